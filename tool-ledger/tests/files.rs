//! Files that cannot be read are errors that say what to do: none is taken for an empty ledger, and none is changed.

mod support;

use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Directory, intent, lease_of};
use tool_core::{Begun, LedgerError, OperationFilter, OperationLedger, ToolOutput};
use tool_ledger::{OpenError, SqliteLedger};

/// A ledger with some operations, closed.
async fn ledger_in(directory: &Directory) -> PathBuf {
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    for number in 0..20 {
        let lease = lease_of(ledger.begin(&intent(&number.to_string())).await.unwrap());
        ledger.complete(&lease, &ToolOutput::ok("x".repeat(1000))).await.unwrap();
    }
    let path = ledger.path().to_owned();
    ledger.close().await;
    path
}

/// What opening says, in either way that takes an existing file; the file is as it was.
#[track_caller]
fn refused(path: &Path) -> OpenError {
    let before = fs::read(path).ok();
    let error = SqliteLedger::open_or_create(path).expect_err("it was opened or made");
    let again = SqliteLedger::open(path).expect_err("it was opened");
    assert_eq!(error.to_string(), again.to_string());
    assert_eq!(fs::read(path).ok(), before, "{error}");
    error
}

#[track_caller]
fn says(error: &OpenError, words: &[&str]) {
    let text = error.to_string();
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

/// Changes a closed ledger behind its back.
fn meddle(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(sql).unwrap();
    connection.close().unwrap();
}

#[tokio::test]
async fn a_path_without_a_file_is_an_error_unless_a_new_ledger_is_asked_for() {
    let directory = Directory::new();
    let error = SqliteLedger::open(directory.ledger()).unwrap_err();
    assert!(matches!(error, OpenError::Missing { .. }));
    says(&error, &["there is no ledger at", "create"]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "nothing was made");

    SqliteLedger::open_or_create(directory.ledger()).unwrap().close().await;
    let error = SqliteLedger::create(directory.ledger()).unwrap_err();
    assert!(matches!(error, OpenError::Exists { .. }), "{error}");
    let nowhere = directory.path().join("none").join("operations.ledger");
    let error = SqliteLedger::open_or_create(nowhere).unwrap_err();
    assert!(matches!(error, OpenError::Io { .. } | OpenError::Sqlite { .. }), "{error}");
}

#[tokio::test]
async fn what_is_no_ledger_is_not_touched() {
    let directory = Directory::new();
    let path = directory.ledger();
    for content in [&b""[..], b"x", b"SQLite format 3\0", &[0; 8192], &[b'#'; 200]] {
        fs::write(&path, content).unwrap();
        let error = refused(&path);
        assert!(matches!(error, OpenError::NotALedger { .. }), "{error}");
    }
    says(
        &{
            fs::write(&path, b"").unwrap();
            refused(&path)
        },
        &["is empty, which a ledger never is"],
    );
    fs::remove_file(&path).unwrap();

    fs::create_dir(&path).unwrap();
    says(&SqliteLedger::open(&path).unwrap_err(), &["it is no file"]);
    fs::remove_dir(&path).unwrap();

    meddle(&path, "CREATE TABLE operations (x); PRAGMA application_id = 7; PRAGMA user_version = 1");
    says(&refused(&path), &["another program's SQLite file"]);
    let names: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["operations.ledger"], "nothing was put beside it");
}

#[tokio::test]
async fn another_version_is_named() {
    for (version, words) in [
        (2, &["has version 2", "reads up to version 1", "newer"][..]),
        (i32::MAX, &["has version 2147483647"]),
        (0, &["no release has written version 0"]),
        (-1, &["no release has written version -1"]),
    ] {
        let directory = Directory::new();
        let path = ledger_in(&directory).await;
        meddle(&path, &format!("PRAGMA user_version = {version}"));
        let error = refused(&path);
        assert_eq!(matches!(error, OpenError::Newer { .. }), version > 1, "{error}");
        says(&error, words);
        meddle(&path, "PRAGMA user_version = 1");
        let ledger = SqliteLedger::open(&path).unwrap();
        assert_eq!(ledger.list(&OperationFilter::all()).await.unwrap().len(), 20, "nothing was lost by it");
    }
}

#[tokio::test]
async fn a_ledger_that_lacks_something_is_damaged() {
    for (sql, lacks) in [
        ("DROP TABLE operations", "operations, operations_by_key, operations_by_stage"),
        ("DROP TABLE state", "state"),
        ("DROP INDEX operations_by_key", "operations_by_key"),
    ] {
        let directory = Directory::new();
        let path = ledger_in(&directory).await;
        meddle(&path, sql);
        let error = refused(&path);
        assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
        says(&error, &[&format!("it lacks {lacks}"), "backup"]);
    }
}

#[tokio::test]
async fn a_truncated_file_is_damaged() {
    let directory = Directory::new();
    let path = ledger_in(&directory).await;
    let whole = fs::read(&path).unwrap();
    for length in [100, 512, 4096, 8192, whole.len() - 4096, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = refused(&path);
        assert!(matches!(error, OpenError::Damaged { .. }), "{length} of {} bytes: {error}", whole.len());
    }
    fs::write(&path, &whole).unwrap();
    SqliteLedger::open(&path).unwrap();
}

#[tokio::test]
async fn a_page_that_cannot_be_read_fails_what_needs_it() {
    let directory = Directory::new();
    let path = ledger_in(&directory).await;
    let whole = fs::read(&path).unwrap();
    // Every page but the first in turn: overwritten, and the ledger must never answer that it does not know.
    for page in 1..whole.len() / 4096 {
        let mut spoilt = whole.clone();
        spoilt[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&path, &spoilt).unwrap();
        let Ok(ledger) = SqliteLedger::open(&path) else { continue };
        for number in 0..20 {
            match ledger.begin(&intent(&number.to_string())).await {
                Ok(Begun::Replay(_)) | Err(LedgerError::Unreadable(_)) => {}
                other => panic!("page {page}, operation {number}: {other:?}"),
            }
        }
        match ledger.list(&OperationFilter::all()).await {
            Ok(records) => assert_eq!(records.len(), 20, "page {page}"),
            Err(error) => assert!(matches!(error, LedgerError::Unreadable(_)), "{error}"),
        }
        ledger.close().await;
    }
}

#[tokio::test]
async fn a_log_without_its_ledger_is_not_written_into_a_new_one() {
    let directory = Directory::new();
    let path = directory.ledger();
    let ledger = SqliteLedger::create(&path).unwrap();
    lease_of(ledger.begin(&intent("0")).await.unwrap());
    let aside = directory.path().join("aside");
    fs::rename(&path, &aside).unwrap();
    let error = SqliteLedger::open_or_create(&path).unwrap_err();
    assert!(matches!(error, OpenError::Remains { .. }), "{error}");
    says(&error, &["operations.ledger-wal is left"]);

    // Who has it open notices as well, before it records where nobody will look.
    match ledger.begin(&intent("1")).await {
        Err(LedgerError::Unavailable(why)) => assert!(why.contains("moved or removed"), "{why}"),
        other => panic!("{other:?}"),
    }
    fs::rename(&aside, &path).unwrap();
    lease_of(ledger.begin(&intent("1")).await.unwrap());
}

#[tokio::test]
async fn a_log_that_is_none_is_damage() {
    let directory = Directory::new();
    let path = ledger_in(&directory).await;
    let log = directory.path().join("operations.ledger-wal");
    fs::write(&log, [b'#'; 5000]).unwrap();
    says(&refused(&path), &["is no write-ahead log"]);
    // What a power cut may leave of a log that has just been made.
    fs::write(&log, [0; 5000]).unwrap();
    SqliteLedger::open(&path).unwrap();
}

#[tokio::test]
async fn a_record_that_cannot_be_read_is_no_missing_record_and_hurts_no_other() {
    let directory = Directory::new();
    let path = ledger_in(&directory).await;
    let ids = [0, 1, 2].map(|number| intent(&number.to_string()).operation.ledger_id());
    meddle(&path, &format!("UPDATE operations SET record = '{{}}' WHERE ledger_id = '{}'", ids[0]));
    meddle(
        &path,
        &format!(
            "UPDATE operations SET record = (SELECT record FROM operations WHERE ledger_id = '{}') WHERE ledger_id = '{}'",
            ids[2], ids[1]
        ),
    );
    let ledger = SqliteLedger::open(&path).unwrap();
    for (number, id) in ids.iter().enumerate().take(2) {
        let intent = intent(&number.to_string());
        assert!(matches!(ledger.find(id).await, Err(LedgerError::Unreadable(_))));
        // Together with others, which are answered all the same.
        let (spoilt, sound, new) =
            tokio::join!(ledger.begin(&intent), async { ledger.begin(&support::intent("2")).await }, async {
                ledger.begin(&support::intent(&format!("new-{number}"))).await
            });
        match spoilt {
            Err(LedgerError::Unreadable(why)) => assert!(why.contains(id), "{why}"),
            other => panic!("{other:?}"),
        }
        assert!(matches!(sound.unwrap(), Begun::Replay(_)));
        lease_of(new.unwrap());
    }
    assert!(matches!(ledger.list(&OperationFilter::all()).await, Err(LedgerError::Unreadable(_))));
}

#[tokio::test]
async fn a_ledger_that_was_brought_to_a_newer_version_is_not_written_by_an_older_release() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    lease_of(ledger.begin(&intent("0")).await.unwrap());
    meddle(&directory.ledger(), "PRAGMA user_version = 2");
    match ledger.begin(&intent("1")).await {
        Err(LedgerError::Unreadable(why)) => assert!(why.contains("version 2"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(ledger.find("none").await.is_err());
}

/// A backup is put in the place of a ledger in use, here and by another process.
#[tokio::test]
async fn a_ledger_whose_file_was_replaced_leaves_the_new_one_alone() {
    let directory = Directory::new();
    let path = ledger_in(&directory).await;
    let backup = directory.path().join("backup");
    fs::copy(&path, &backup).unwrap();
    let old = SqliteLedger::open(&path).unwrap();
    lease_of(old.begin(&intent("before")).await.unwrap());
    fs::rename(&backup, &path).unwrap();
    let error = old.begin(&intent("more")).await.unwrap_err();
    assert!(error.to_string().contains("was moved or removed"), "{error}");
    let error = SqliteLedger::open(&path).unwrap_err();
    assert!(matches!(error, OpenError::Replaced { .. }), "{error}");
    says(&error, &["close that first", "one log"]);

    // Another process does not see that, and writes into the log that both have by its name.
    let elsewhere = Connection::open(&path).unwrap();
    elsewhere.execute_batch("CREATE TABLE by_another (x); INSERT INTO by_another VALUES (1)").unwrap();
    old.close().await;
    let kept: i64 = elsewhere.query_row("SELECT x FROM by_another", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 1);
    elsewhere.close().unwrap();
    let kept: i64 =
        Connection::open(&path).unwrap().query_row("SELECT x FROM by_another", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 1);
}
