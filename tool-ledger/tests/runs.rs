//! Runs over a ledger in a file: several owners of one run, and what outlives a call.

mod support;

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{Directory, run};
use tool_core::*;
use tool_ledger::SqliteLedger;

fn runtime(ledger: SqliteLedger, tools: impl IntoIterator<Item = Arc<dyn RawTool>>) -> ToolRuntime {
    let registry = RawToolRegistry::try_new(tools).unwrap();
    ToolRuntime::builder(registry).gate(AllowAll).ledger(ledger).build().unwrap()
}

fn call(tool: &str, arguments: &Value) -> ToolCall {
    ToolCall::new("call_1", tool, arguments.clone())
}

struct Count;

impl StateKey for Count {
    const KEY: &'static str = "count";
    type Value = u32;
}

/// Adds to the run's count.
#[tool]
async fn add(by: u32, ms: u64, #[context] cx: &ToolContext) -> ToolOutput {
    let count = cx.state::<Count>().unwrap().unwrap_or(0) + by;
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ToolOutput::ok(count.to_string()).with_state(Count::set(&count).unwrap())
}

#[tokio::test]
async fn a_run_follows_the_state_that_another_owner_committed() {
    let directory = Directory::new();
    SqliteLedger::create(directory.ledger()).unwrap().close().await;
    let open = || SqliteLedger::open(directory.ledger()).unwrap();
    let (one, other) = (runtime(open(), [erase(Add)]), runtime(open(), [erase(Add)]));
    let (of_one, of_other) = (one.run(run("r1")).await.unwrap(), other.run(run("r1")).await.unwrap());
    let step = || vec![call("add", &json!({"by": 100, "ms": 100}))];
    let doing = tokio::spawn(async move { of_one.step(0, step()).await });
    tokio::time::sleep(Duration::from_millis(30)).await;
    let waited = of_other.step(0, step()).await;
    assert_eq!(waited.calls[0].status, CallStatus::Finished { replayed: true });
    doing.await.unwrap();
    assert_eq!(of_other.state::<Count>().unwrap(), Some(100));
    let next = of_other.step(1, vec![call("add", &json!({"by": 1, "ms": 0}))]).await;
    assert_eq!(next.calls[0].output.text(), "101");
    assert_eq!(open().state(&run("r1")).await.unwrap()["count"], 101);
}

/// Sets the run's count.
#[tool(concurrency = parallel)]
async fn set(value: u32) -> ToolOutput {
    ToolOutput::ok("set").with_state(Count::set(&value).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_calls_at_the_same_time_the_ledger_s_order_counts() {
    let directory = Directory::fast();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    let run_of_all = runtime(ledger.clone(), [erase(Set)]).run(run("r1")).await.unwrap();
    for step in 0..100 {
        let calls = (0..4).map(|value| call("set", &json!({ "value": value })));
        run_of_all.step(step, calls.collect()).await;
        let committed = &ledger.state(&run("r1")).await.unwrap()["count"];
        assert_eq!(committed, &json!(run_of_all.state::<Count>().unwrap()), "in step {step}");
    }
}

/// Keeps a document.
#[tool]
fn keep(document: String) -> Result<ToolOutput, String> {
    let document = serde_json::from_str(&document).map_err(|error| error.to_string())?;
    Ok(ToolOutput::ok("kept").with_state(StateCommand::set("document", document)))
}

#[tokio::test]
async fn what_could_not_be_read_again_is_not_recorded() {
    let directory = Directory::new();
    let runtime = runtime(SqliteLedger::create(directory.ledger()).unwrap(), [erase(Keep)]);
    let of_all = runtime.run(run("r1")).await.unwrap();
    let mut statuses = Vec::new();
    for depth in 100..=127_u32 {
        let text = format!("{}1{}", "[".repeat(depth as usize), "]".repeat(depth as usize));
        let step = || vec![call("keep", &json!({"document": text}))];
        let first = of_all.step(depth.into(), step()).await.calls.remove(0);
        let again = of_all.step(depth.into(), step()).await.calls.remove(0);
        match first.status {
            CallStatus::Finished { .. } => assert_eq!(again.status, CallStatus::Finished { replayed: true }),
            CallStatus::InDoubt { ref why, .. } => assert!(why.contains("nested more than 127 deep"), "{why}"),
            ref other => panic!("{other:?}"),
        }
        statuses.push(first.status.name());
    }
    statuses.dedup();
    assert_eq!(statuses, ["finished", "in_doubt"]);
    // A person sees all of it, and settles what is uncertain.
    assert_eq!(runtime.operations(&OperationFilter::all()).await.unwrap().len(), 28);
    for uncertain in runtime.in_doubt().await.unwrap() {
        runtime.resolve(&uncertain.ledger_id, Resolution::Abandoned("too deep".into())).await.unwrap();
    }
    of_all.end().await.unwrap();
}

#[tokio::test]
async fn a_commit_that_cannot_be_read_again_leaves_nothing() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let commands = [StateCommand::set("shallow", json!(1)), StateCommand::set("deep", deep)];
    let error = ledger.commit(&run("r1"), &commands).await.unwrap_err();
    assert!(matches!(error, LedgerError::Unrecordable(_)), "{error}");
    assert!(ledger.state(&run("r1")).await.unwrap().is_empty());
}

type Kept = Mutex<Vec<ToolContext>>;

/// Keeps its context.
#[tool]
fn hold(#[context] cx: &ToolContext, #[state] kept: &Kept) -> ToolOutput {
    kept.lock().unwrap().push(cx.clone());
    ToolOutput::ok("held").with_state(Count::set(&7).unwrap())
}

#[tokio::test]
async fn a_context_that_outlives_its_call_holds_neither_run_nor_ledger() {
    let directory = Directory::new();
    let kept = Arc::new(Kept::default());
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    let runtime = runtime(ledger, [erase(Hold::new(kept.clone()))]);
    let first = runtime.run(run("r1")).await.unwrap();
    first.step(0, vec![call("hold", &json!({}))]).await;
    assert_eq!(first.state::<Count>().unwrap(), Some(7));
    first.cancel();
    assert!(kept.lock().unwrap()[0].is_cancelled(), "it is told as long as it lives");
    first.end().await.unwrap();

    let again = runtime.run(run("r1")).await.unwrap();
    assert_eq!(again.state::<Count>().unwrap(), None, "the run has ended");
    let report = again.step(0, vec![call("hold", &json!({}))]).await;
    assert_eq!(report.calls[0].output.text(), "held", "and so has its cancellation");
    drop((again, runtime));
    let owners = format!("{}.owners", directory.ledger().display());
    wait_until_empty(Path::new(&owners)).await;
    assert_eq!(kept.lock().unwrap().len(), 2);
}

/// The ledger's thread ends by itself once its last handle is gone.
async fn wait_until_empty(directory: &Path) {
    for _ in 0..500 {
        if fs::read_dir(directory).unwrap().next().is_none() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the ledger is still open");
}
