//! A step: every call its result, in the order of the calls.

mod runtime_support;

use runtime_support::{builder, call, only, run, scope, told};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Barrier;
use tool_core::{
    CallStatus, ContentBlock, MemoryLedger, OperationFilter, OperationLedger, ResourceContents, RunLimits, SpillPort,
    ToolContext, ToolOperationContext, async_trait, erase, tool,
};

/// Counts how often it was executed.
#[tool(recovery = replay_safe, concurrency = parallel)]
fn count(#[state] counter: &AtomicUsize, n: u32) -> String {
    let times = counter.fetch_add(1, Ordering::SeqCst) + 1;
    format!("{n} at {times}")
}

/// Answers with its operation's place.
#[tool(concurrency = parallel)]
async fn place(#[context] cx: &ToolContext, wait_ms: u64) -> String {
    tokio::time::sleep(Duration::from_millis(wait_ms)).await;
    cx.operation_id().unwrap().to_string()
}

/// Fails in its own words.
#[tool]
fn fail() -> Result<String, &'static str> {
    Err("no such order")
}

#[tokio::test]
async fn results_stand_in_the_order_of_the_calls_whatever_ends_first() {
    let runtime = builder([erase(Place), erase(Fail)]).build().unwrap();
    let run = run(&runtime).await;
    let calls = vec![
        call("a", "place", r#"{"wait_ms": 40}"#),
        call("b", "nowhere", "{}"),
        call("c", "place", r#"{"wait_ms": 0}"#),
        call("d", "place", r#"{"wait_ms": "soon"}"#),
        call("e", "fail", "{}"),
    ];
    let report = run.step(7, calls).await;
    assert_eq!(
        told(&report),
        [
            "step-7/call-0",
            "There is no tool named \"nowhere\".",
            "step-7/call-2",
            "Invalid arguments: `wait_ms`: expected an integer from 0 to 18446744073709551615, got the string \"soon\"",
            "no such order",
        ]
    );
    let ids: Vec<_> = report.calls.iter().map(|call| (call.call_id.as_ref(), call.output.call_id.as_str())).collect();
    assert_eq!(ids, [("a", "a"), ("b", "b"), ("c", "c"), ("d", "d"), ("e", "e")]);
    assert!(matches!(report.calls[1].status, CallStatus::Refused { .. }), "{:?}", report.calls[1].status);
    assert!(matches!(report.calls[3].status, CallStatus::Refused { .. }), "{:?}", report.calls[3].status);
    assert_eq!(report.calls[4].status, CallStatus::Finished { replayed: false });
    assert!(report.calls[4].output.is_error && report.is_settled());
}

#[tokio::test]
async fn a_call_that_is_refused_leaves_nothing_in_the_ledger() {
    let ledger = MemoryLedger::new();
    let runtime = builder([erase(Fail)]).ledger(ledger.clone()).build().unwrap();
    let run = run(&runtime).await;
    run.step(0, vec![call("a", "nowhere", "{}"), call("b", "fail", r#"{"x": 1}"#)]).await;
    assert_eq!(ledger.list(&OperationFilter::all()).await.unwrap(), []);
    run.step(1, vec![call("a", "fail", "{}")]).await;
    assert_eq!(ledger.list(&OperationFilter::all()).await.unwrap().len(), 1);
}

/// R6: the model's ids may repeat.
#[tokio::test]
async fn r6_repeated_call_ids_are_operations_of_their_own() {
    let counter = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Count::new(counter.clone()))]).build().unwrap();
    let run = run(&runtime).await;
    let first = run.step(0, vec![call("call_0", "count", r#"{"n": 1}"#)]).await;
    let second =
        run.step(1, vec![call("call_0", "count", r#"{"n": 2}"#), call("call_0", "count", r#"{"n": 3}"#)]).await;
    assert_eq!(counter.load(Ordering::SeqCst), 3);
    assert_eq!(told(&first), ["1 at 1"]);
    let second = told(&second);
    assert!(second[0].starts_with("2 at ") && second[1].starts_with("3 at "), "{second:?}");
}

#[tokio::test]
async fn a_step_that_is_executed_again_replays_what_has_a_result() {
    let counter = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let calls = || vec![call("a", "count", r#"{"n": 1}"#), call("b", "fail", "{}")];
    for (round, replayed) in [(0, false), (1, true), (2, true)] {
        // A new runtime each time, as after a restart.
        let tools = [erase(Count::new(counter.clone())), erase(Fail)];
        let runtime = builder(tools).ledger(ledger.clone()).build().unwrap();
        let report = run(&runtime).await.step(0, calls()).await;
        assert_eq!(told(&report), ["1 at 1", "no such order"], "round {round}");
        assert!(report.calls.iter().all(|call| call.status == CallStatus::Finished { replayed }), "round {round}");
    }
}

#[tokio::test]
async fn another_call_in_a_recorded_ones_place_is_a_conflict() {
    let counter = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Count::new(counter.clone())), erase(Fail)]).build().unwrap();
    let run = run(&runtime).await;
    run.step(0, vec![call("a", "count", r#"{"n": 1}"#)]).await;
    for (again, what) in [
        (call("a", "count", r#"{"n": 2}"#), "it was recorded with other arguments"),
        (call("a", "fail", "{}"), "it was recorded for the tool \"count\""),
    ] {
        let report = only(run.step(0, vec![again]).await);
        assert_eq!(report.status, CallStatus::Conflict { what: what.into() });
        assert_eq!(report.output.text(), "Nothing was done: another call was recorded in this one's place.");
    }
    // The same arguments in other words are the same call.
    let report = only(run.step(0, vec![call("a", "count", "{ \"n\" :  1 }")]).await);
    assert_eq!(report.status, CallStatus::Finished { replayed: true });
    assert_eq!(counter.load(Ordering::SeqCst), 1);
}

/// Waits for another call of the same step.
#[tool(concurrency = parallel)]
async fn meet(#[state] barrier: &Barrier) -> String {
    barrier.wait().await;
    "met".to_owned()
}

/// Runs beside nothing.
#[tool(concurrency = serial)]
async fn alone(#[state] running: &AtomicUsize) -> usize {
    running.fetch_add(1, Ordering::SeqCst);
    tokio::task::yield_now().await;
    running.fetch_sub(1, Ordering::SeqCst)
}

#[tokio::test]
async fn parallel_calls_run_beside_each_other_and_serial_ones_by_themselves() {
    let running = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Meet::new(Arc::new(Barrier::new(3)))), erase(Alone::new(running))]).build().unwrap();
    let run = run(&runtime).await;
    let meet = || call("m", "meet", "{}");
    let step = run.step(0, vec![meet(), meet(), meet()]);
    let report = tokio::time::timeout(Duration::from_secs(20), step).await.expect("they wait for each other");
    assert_eq!(told(&report), ["met", "met", "met"]);
    let alone = || call("s", "alone", "{}");
    assert_eq!(told(&run.step(1, vec![alone(), alone(), alone()]).await), ["1", "1", "1"]);
}

/// Ends the batch where it fails.
#[tool(concurrency = serial, aborts_siblings_on_error)]
fn essential(ok: bool) -> Result<&'static str, &'static str> {
    if ok { Ok("fine") } else { Err("no money") }
}

/// Works until it is asked to stop.
#[tool(concurrency = parallel)]
async fn until_stopped(#[context] cx: &ToolContext) -> Result<String, &'static str> {
    cx.cancelled().await;
    Err("stopped")
}

/// Fails at once, and ends the batch.
#[tool(concurrency = parallel, aborts_siblings_on_error)]
fn essential_beside() -> Result<String, &'static str> {
    Err("no money")
}

#[tokio::test]
async fn a_failure_that_ends_its_siblings_stops_them_and_starts_no_other() {
    let counter = Arc::new(AtomicUsize::new(0));
    let tools = [erase(Essential), erase(EssentialBeside), erase(UntilStopped), erase(Count::new(counter.clone()))];
    let runtime = builder(tools).build().unwrap();
    let run = run(&runtime).await;
    let count = || call("c", "count", r#"{"n": 1}"#);
    let report = run.step(0, vec![call("a", "essential", r#"{"ok": true}"#), count()]).await;
    assert_eq!(told(&report), ["fine", "1 at 1"]);
    let report = run.step(1, vec![call("a", "essential", r#"{"ok": false}"#), count()]).await;
    let told_of_it = "Nothing was done: `essential` failed, which ends the calls beside it.";
    assert_eq!(told(&report), ["no money", told_of_it]);
    assert!(matches!(report.calls[1].status, CallStatus::NotRun { .. }), "{:?}", report.calls[1].status);
    let report = run.step(2, vec![call("a", "until_stopped", "{}"), call("b", "essential_beside", "{}")]).await;
    assert_eq!(told(&report), ["stopped", "no money"]);
    assert_eq!(counter.load(Ordering::SeqCst), 1);
}

/// Costs nothing.
#[tool(read_only, counts_toward_call_limit = false)]
fn free() -> &'static str {
    "free"
}

#[tokio::test]
async fn calls_beyond_the_limit_of_a_step_are_refused() {
    let runtime =
        builder([erase(Fail), erase(Free)]).limits(RunLimits::default().with_calls_per_step(1)).build().unwrap();
    let calls =
        vec![call("a", "free", "{}"), call("b", "fail", "{}"), call("c", "fail", "{}"), call("d", "free", "{}")];
    let report = run(&runtime).await.step(0, calls).await;
    let beyond = "Nothing was done: at most 1 calls are made at once. Make this one later.";
    assert_eq!(told(&report), ["free", "no such order", beyond, "free"]);
}

/// Says a lot.
#[tool(read_only, max_result_chars = 3)]
fn chatter() -> Vec<ContentBlock> {
    vec![ContentBlock::text("abcdef")]
}

/// Says a lot too.
#[tool(read_only)]
fn speech() -> String {
    "ä".repeat(50)
}

#[tokio::test]
async fn results_are_cut_to_the_tools_limit_and_to_a_share_of_the_steps() {
    let limits = RunLimits::default().with_step_result_chars(80);
    let runtime = builder([erase(Chatter), erase(Speech)]).limits(limits).build().unwrap();
    let run = run(&runtime).await;
    let report = run.step(0, vec![call("a", "chatter", "{}"), call("b", "speech", "{}")]).await;
    let speech = format!("{}\n[10 more characters were left out; ask for less at once]", "ä".repeat(40));
    assert_eq!(told(&report), ["abc\n[3 more characters were left out; ask for less at once]", &speech]);
    assert_eq!(told(&run.step(1, vec![call("b", "speech", "{}")]).await), ["ä".repeat(50)]);
}

/// Reads a file, whole.
#[tool(read_only, max_result_chars = 3)]
fn read_file() -> Vec<ContentBlock> {
    vec![embedded("abcdef")]
}

fn embedded(text: &str) -> ContentBlock {
    let (uri, text) = ("file:///a".to_owned(), text.to_owned());
    ContentBlock::resource(ResourceContents::Text { uri, mime_type: None, text, meta: None })
}

#[tokio::test]
async fn the_text_of_an_embedded_resource_is_cut_to_the_limit_too() {
    let runtime = builder([erase(ReadFile)]).spill(Drawer).build().unwrap();
    let report = only(run(&runtime).await.step(0, vec![call("a", "read_file", "{}")]).await);
    let shown = "abc\n[3 more characters were left out; the whole result is in the drawer with abcdef]";
    assert_eq!(report.output.content, [embedded(shown)]);
}

/// Keeps what it is given, and says what that was.
struct Drawer;

#[async_trait]
impl SpillPort for Drawer {
    async fn spill(&self, _: &ToolOperationContext, text: &str) -> std::io::Result<String> {
        Ok(format!("the drawer with {text}"))
    }
}

/// Never says where it keeps a result.
struct Silent;

#[async_trait]
impl SpillPort for Silent {
    async fn spill(&self, _: &ToolOperationContext, _: &str) -> std::io::Result<String> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_step_does_not_wait_beyond_its_time_for_a_long_result_to_be_kept() {
    let limits = RunLimits::default().with_step_timeout(Some(Duration::from_millis(50)));
    let runtime = builder([erase(Chatter)]).limits(limits).spill(Silent).build().unwrap();
    let run = run(&runtime).await;
    let step = run.step(0, vec![call("a", "chatter", "{}")]);
    let report = only(tokio::time::timeout(Duration::from_secs(20), step).await.expect("the step's time is 50 ms"));
    assert_eq!(report.output.text(), "abc\n[3 more characters were left out; ask for less at once]");
    assert_eq!(report.status, CallStatus::Finished { replayed: false });
}

#[tokio::test]
async fn a_run_that_has_ended_leaves_nothing_and_one_with_open_calls_does_not_end() {
    let ledger = MemoryLedger::new();
    let runtime = builder([erase(Fail)]).ledger(ledger.clone()).build().unwrap();
    let ended = run(&runtime).await;
    ended.step(0, vec![call("a", "fail", "{}")]).await;
    ended.end().await.unwrap();
    assert_eq!(ledger.list(&OperationFilter::all().of_run(scope("r1"))).await.unwrap(), []);

    let asking = tool_core::ToolRuntime::builder(tool_core::RawToolRegistry::new([erase(Fail)]))
        .ledger(ledger.clone())
        .build()
        .unwrap();
    let open = run(&asking).await;
    open.step(0, vec![call("a", "fail", "{}")]).await;
    let refused = open.end().await.unwrap_err().to_string();
    assert_eq!(refused, "1 operations of the run have no result yet: answer or settle them first");
}
