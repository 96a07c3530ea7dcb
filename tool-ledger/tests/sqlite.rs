//! What is particular to the ledger in a SQLite file.

mod support;

use std::fs;
use std::time::{Duration, Instant};
use support::{Directory, intent, lease_of, replayed};
use tool_core::{Begun, LedgerError, OperationFilter, OperationLedger, ToolOutput};
use tool_ledger::SqliteLedger;

#[tokio::test]
async fn what_was_answered_is_there_after_the_file_is_opened_again() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    let lease = lease_of(ledger.begin(&intent("0")).await.unwrap());
    ledger.complete(&lease, &ToolOutput::ok("refunded")).await.unwrap();
    lease_of(ledger.begin(&intent("1")).await.unwrap());
    let before = ledger.list(&OperationFilter::all()).await.unwrap();
    ledger.close().await;

    let ledger = SqliteLedger::open(directory.ledger()).unwrap();
    assert!(ledger.list(&OperationFilter::all()).await.unwrap() == before, "each record is as it was");
    assert_eq!(replayed(ledger.begin(&intent("0")).await.unwrap()), "refunded");
    let begun = ledger.begin(&intent("1")).await.unwrap();
    assert!(matches!(begun, Begun::InDoubt { .. }), "its owner has gone: {begun:?}");
}

#[tokio::test]
async fn a_closed_ledger_says_so_and_leaves_one_file() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    let other = ledger.clone();
    lease_of(ledger.begin(&intent("0")).await.unwrap());
    ledger.close().await;
    assert!(matches!(other.begin(&intent("1")).await, Err(LedgerError::Unavailable(_))));
    other.close().await;
    let mut names: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["operations.ledger", "operations.ledger.owners"]);
}

/// What stands in the directory, and who may do what with it.
#[cfg(unix)]
fn modes(directory: &Directory) -> Vec<(String, String)> {
    use std::os::unix::fs::PermissionsExt;
    let of = |entry: fs::DirEntry| {
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        (entry.file_name().into_string().unwrap(), format!("{mode:o}"))
    };
    let mut modes: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| of(entry.unwrap())).collect();
    modes.sort();
    modes
}

#[cfg(unix)]
fn with_modes(file: &str, owners: &str) -> Vec<(String, String)> {
    [("", file), ("-shm", file), ("-wal", file), (".owners", owners)]
        .map(|(ending, mode)| (format!("operations.ledger{ending}"), mode.to_owned()))
        .to_vec()
}

/// Arguments and results are in the file and in its log.
#[cfg(unix)]
#[tokio::test]
async fn a_new_ledger_and_what_stands_beside_it_are_its_owners_alone() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    lease_of(ledger.begin(&intent("0")).await.unwrap());
    assert_eq!(modes(&directory), with_modes("600", "700"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_ledger_that_was_shared_with_others_stays_so() {
    use std::os::unix::fs::PermissionsExt;
    let directory = Directory::new();
    SqliteLedger::create(directory.ledger()).unwrap().close().await;
    for (ending, mode) in [("", 0o660), (".owners", 0o770)] {
        let path = directory.path().join(format!("operations.ledger{ending}"));
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let ledger = SqliteLedger::open(directory.ledger()).unwrap();
    lease_of(ledger.begin(&intent("0")).await.unwrap());
    assert_eq!(modes(&directory), with_modes("660", "770"));
}

#[tokio::test]
async fn calls_at_the_same_time_share_commits() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    let before = ledger.commits();
    let begins: Vec<_> = (0..200)
        .map(|number| {
            let ledger = ledger.clone();
            tokio::spawn(async move { ledger.begin(&intent(&number.to_string())).await })
        })
        .collect();
    for begun in begins {
        lease_of(begun.await.unwrap().unwrap());
    }
    let commits = ledger.commits() - before;
    assert!((1..50).contains(&commits), "200 operations took {commits} commits");

    let before = ledger.commits();
    ledger.list(&OperationFilter::all()).await.unwrap();
    ledger.find("none").await.unwrap();
    assert!(matches!(ledger.begin(&intent("7")).await.unwrap(), Begun::Busy { .. }));
    assert_eq!(ledger.commits(), before, "nothing was written");
}

/// The stand-in for a power cut: what is on the disk at one moment, opened where none of its owners is.
#[tokio::test]
async fn a_copy_of_an_open_ledger_holds_all_that_was_answered_and_no_living_owner() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    for number in 0..50 {
        let lease = lease_of(ledger.begin(&intent(&number.to_string())).await.unwrap());
        ledger.complete(&lease, &ToolOutput::ok("done")).await.unwrap();
    }
    lease_of(ledger.begin(&intent("running")).await.unwrap());
    let elsewhere = Directory::new();
    for ending in ["", "-wal"] {
        let name = format!("operations.ledger{ending}");
        fs::copy(directory.path().join(&name), elsewhere.path().join(&name)).unwrap();
    }
    let copy = SqliteLedger::open(elsewhere.ledger()).unwrap();
    for number in 0..50 {
        assert_eq!(replayed(copy.begin(&intent(&number.to_string())).await.unwrap()), "done");
    }
    assert!(matches!(copy.begin(&intent("running")).await.unwrap(), Begun::InDoubt { .. }));
    let other = SqliteLedger::open(directory.ledger()).unwrap();
    assert!(matches!(other.begin(&intent("running")).await.unwrap(), Begun::Busy { .. }), "in place it lives");
}

#[tokio::test]
async fn what_was_asked_is_done_although_nobody_waits_for_it() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    let owner = ledger.path().with_extension("ledger.owners").join(ledger.owner());
    assert!(owner.exists());
    for number in 0..20 {
        let (ledger, operation) = (ledger.clone(), intent(&number.to_string()));
        // Sent by the first poll; then both the call and the handle go.
        let mut call = Box::pin(async move { ledger.begin(&operation).await });
        let _ = tokio::time::timeout(Duration::ZERO, &mut call).await;
    }
    drop(ledger);
    let started = Instant::now();
    while owner.exists() {
        assert!(started.elapsed() < Duration::from_secs(30), "the thread does not end");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let ledger = SqliteLedger::open(directory.ledger()).unwrap();
    assert_eq!(ledger.list(&OperationFilter::all()).await.unwrap().len(), 20);
}

#[tokio::test]
async fn a_link_leads_to_the_same_owners() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    lease_of(ledger.begin(&intent("0")).await.unwrap());
    let link = directory.path().join("link");
    #[cfg(unix)]
    std::os::unix::fs::symlink(directory.ledger(), &link).unwrap();
    #[cfg(not(unix))]
    let link = directory.ledger();
    let other = SqliteLedger::open(&link).unwrap();
    assert_eq!(other.path(), ledger.path());
    assert!(matches!(other.begin(&intent("0")).await.unwrap(), Begun::Busy { .. }));
}
