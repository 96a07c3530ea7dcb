//! What is particular to the ledger in a SQLite file.

mod support;

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
    let mut names: Vec<_> =
        std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["operations.ledger", "operations.ledger.owners"]);
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
