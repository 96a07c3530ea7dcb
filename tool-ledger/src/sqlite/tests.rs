//! What needs a limit that no user can set.

use std::path::PathBuf;
use std::time::Duration;
use tool_core::{
    Begun, LedgerError, OperationFilter, OperationId, OperationIntent, OperationLedger, RunId, RunScope, Stage,
    StateCommand, ThreadId, ToolCall, ToolOutput, ToolRecoveryPolicy, WorkspaceId,
};

use super::SqliteLedger;
use super::file::Limits;
use super::owner::random_id;

struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("tool-ledger-full-{}", random_id()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run() -> RunScope {
    RunScope::new(WorkspaceId::new("acme"), ThreadId::new("t1"), RunId::new("r1"))
}

fn intent(operation: usize, arguments: &str) -> OperationIntent {
    OperationIntent {
        operation: run().operation(OperationId::new(operation.to_string())),
        call: ToolCall::new("call_1", "note", arguments),
        identity: None,
        arguments: arguments.into(),
        policy: ToolRecoveryPolicy::NEVER_REPLAY,
        idempotency_key: None,
        approval: None,
        lease: Duration::from_secs(30),
    }
}

/// A file may grow to 40 pages of 4 KB.
fn with_limit(directory: &Directory) -> SqliteLedger {
    let path = directory.0.join("a.ledger");
    drop(SqliteLedger::create(&path).unwrap());
    SqliteLedger::start(&path, Limits { pages: Some(40) }).unwrap()
}

#[tokio::test]
async fn a_full_disk_refuses_and_leaves_nothing_half_done() {
    let directory = Directory::new();
    let ledger = with_limit(&directory);
    let large = "x".repeat(6000);
    let mut begun = 0;
    let why = loop {
        match ledger.begin(&intent(begun, "{}")).await {
            Ok(Begun::Execute(lease)) => {
                let output = ToolOutput::ok(&large).with_state(StateCommand::set("last", begun.into()));
                match ledger.complete(&lease, &output).await {
                    Ok(()) => begun += 1,
                    Err(LedgerError::Unavailable(why)) => break why,
                    Err(other) => panic!("{other}"),
                }
            }
            other => panic!("{other:?}"),
        }
        assert!(begun < 100, "the limit does not hold");
    };
    assert!(why.contains("full"), "{why}");
    assert_eq!(ledger.state(&run()).await.unwrap()["last"], begun - 1, "no state without its result");
    let lists = ledger.list(&OperationFilter::all()).await.unwrap();
    assert_eq!(lists.len(), begun + 1, "what was answered is there");

    // Space is made, and it works again.
    assert_eq!(ledger.forget(&run()).await.unwrap(), begun);
    assert!(matches!(ledger.begin(&intent(1000, &large)).await.unwrap(), Begun::Execute(_)));
}

#[tokio::test]
async fn who_finds_no_room_takes_no_other_down() {
    let directory = Directory::new();
    let ledger = with_limit(&directory);
    let huge = "x".repeat(200_000);
    // All but one wait together while the thread is busy with the first.
    let requests: Vec<_> = (0..20)
        .map(|number| {
            let (ledger, huge) = (ledger.clone(), huge.clone());
            tokio::spawn(async move { ledger.begin(&intent(number, if number == 10 { &huge } else { "{}" })).await })
        })
        .collect();
    for (number, request) in requests.into_iter().enumerate() {
        match request.await.unwrap() {
            Ok(Begun::Execute(_)) if number != 10 => {}
            Err(LedgerError::Unavailable(_)) if number == 10 => {}
            other => panic!("{number}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_panic_is_the_requests_own() {
    let directory = Directory::new();
    let ledger = with_limit(&directory);
    let broken = ledger.clone().with_clock(|| panic!("no clock"));
    assert!(matches!(broken.begin(&intent(0, "{}")).await, Err(LedgerError::Unavailable(_))));
    assert!(matches!(ledger.begin(&intent(0, "{}")).await.unwrap(), Begun::Execute(_)));
}

#[tokio::test]
async fn a_result_does_not_stand_without_what_it_appends_to_and_minds_no_other_entry() {
    let directory = Directory::new();
    let path = directory.0.join("a.ledger");
    let ledger = SqliteLedger::create(&path).unwrap();
    ledger.commit(&run(), &[StateCommand::set("list", serde_json::json!([1]))]).await.unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute("UPDATE state SET value = '[1'", []).unwrap();

    let Begun::Execute(lease) = ledger.begin(&intent(0, "{}")).await.unwrap() else { panic!("not to be executed") };
    let appends = ToolOutput::ok("done").with_state(StateCommand::append("list", serde_json::json!(2)));
    let failed = ledger.complete(&lease, &appends).await.unwrap_err();
    let why = "the state \"list\" is no record of this release's form (line 1, column 2)";
    assert_eq!(failed, LedgerError::Unreadable(why.to_owned()));
    assert_eq!(ledger.list(&OperationFilter::all()).await.unwrap()[0].state.stage(), Stage::Running);

    let sets = ToolOutput::ok("done").with_state(StateCommand::set("one", serde_json::json!(2)));
    ledger.complete(&lease, &sets).await.unwrap();
    let set: String = other.query_row("SELECT value FROM state WHERE key = 'one'", [], |row| row.get(0)).unwrap();
    assert_eq!(set, "2");
}
