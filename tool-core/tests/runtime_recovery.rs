//! Recovery: what is tried again, what is in doubt, and how it is settled.

mod runtime_support;

use runtime_support::{builder, call, only, run, scope};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_core::{
    CallStatus, ExecutableSnapshot, LedgerError, MemoryLedger, RawToolRegistry, Resolution, ResumeError, Rules,
    RunLimits, ToolContext, ToolError, ToolOutput, ToolRecoveryMode, ToolRecoveryPolicy, ToolRuntime, erase, tool,
};

fn quick() -> RunLimits {
    RunLimits::default().with_backoff(Duration::from_millis(1)).with_lease(Duration::from_millis(80))
}

/// Is not reached the first times.
#[tool]
fn reach(#[state] times: &AtomicUsize, after: usize) -> Result<String, ToolError> {
    let tried = times.fetch_add(1, Ordering::SeqCst) + 1;
    if tried < after { Err(ToolError::unavailable(format!("refused {tried}"))) } else { Ok(format!("at {tried}")) }
}

#[tokio::test]
async fn what_was_never_dispatched_is_tried_again_within_the_budget_whatever_the_mode() {
    for (after, told, tried) in
        [(3, "at 3", 3), (9, "The tool could not be reached, and nothing was done: refused 3", 3)]
    {
        let times = Arc::new(AtomicUsize::new(0));
        let runtime = builder([erase(Reach::new(times.clone()))]).limits(quick()).build().unwrap();
        let run = run(&runtime).await;
        let report = only(run.step(0, vec![call("a", "reach", &format!(r#"{{"after": {after}}}"#))]).await);
        assert_eq!((report.output.text().as_ref(), times.load(Ordering::SeqCst)), (told, tried));
        assert!(matches!(report.status, CallStatus::Finished { .. }), "{:?}", report.status);
    }
}

/// Has an effect and does not say what came of it.
#[tool]
fn charge(#[state] effects: &AtomicUsize, amount: u32) -> Result<String, ToolError> {
    effects.fetch_add(1, Ordering::SeqCst);
    Err(ToolError::execution(format!("the connection broke after {amount}")))
}

#[tokio::test]
async fn a_person_settles_what_is_in_doubt_and_the_run_goes_on() {
    let happened = Resolution::Happened(ToolOutput::ok("charged, receipt 7"));
    let abandoned = Resolution::Abandoned("The bank will tell tomorrow.".to_owned());
    for (resolution, told, effects) in
        [(happened, "charged, receipt 7", 1), (abandoned, "The bank will tell tomorrow.", 1)]
    {
        let counter = Arc::new(AtomicUsize::new(0));
        let runtime = builder([erase(Charge::new(counter.clone()))]).limits(quick()).build().unwrap();
        let run = run(&runtime).await;
        let charge = || vec![call("a", "charge", r#"{"amount": 5}"#)];
        let report = only(run.step(0, charge()).await);
        let CallStatus::InDoubt { ledger_id, why } = report.status else { panic!("{:?}", report.status) };
        assert_eq!(why, "the connection broke after 5");
        let settled = runtime.resolve(&ledger_id, resolution.clone()).await.unwrap();
        assert_eq!((settled.output.text().as_ref(), settled.call_id.as_ref()), (told, "a"));
        assert_eq!(only(run.step(0, charge()).await).output.text(), told);
        assert_eq!(counter.load(Ordering::SeqCst), effects);
        let twice = runtime.resolve(&ledger_id, resolution).await.unwrap_err();
        assert_eq!(twice, ResumeError::Ledger(LedgerError::NotInDoubt));
    }
}

#[tokio::test]
async fn what_did_not_happen_is_executed_once_more() {
    let counter = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Charge::new(counter.clone()))]).limits(quick()).build().unwrap();
    let run = run(&runtime).await;
    let report = only(run.step(0, vec![call("a", "charge", r#"{"amount": 5}"#)]).await);
    let CallStatus::InDoubt { ledger_id, .. } = report.status else { panic!("{:?}", report.status) };
    let report = runtime.resolve(&ledger_id, Resolution::DidNotHappen).await.unwrap();
    assert!(matches!(report.status, CallStatus::InDoubt { .. }), "{:?}", report.status);
    assert_eq!(counter.load(Ordering::SeqCst), 2);
}

/// Notes the token under which it runs, and never ends the first time.
#[tool(recovery = idempotent)]
async fn note(#[state] tokens: &Mutex<Vec<String>>, #[context] cx: &ToolContext) -> String {
    let token = cx.operation_token().unwrap().ledger_id();
    let times = {
        let mut tokens = tokens.lock().unwrap();
        tokens.push(token);
        tokens.len()
    };
    if times == 1 {
        std::future::pending::<()>().await;
    }
    format!("noted {times}")
}

/// Never ends the first time, and must not be repeated.
#[tool]
async fn hang(#[state] effects: &AtomicUsize) -> &'static str {
    effects.fetch_add(1, Ordering::SeqCst);
    std::future::pending().await
}

/// Runs a step whose future is dropped in the middle: to the ledger, its owner has died.
async fn dies(runtime: &ToolRuntime, tool: &str) {
    let run = run(runtime).await;
    let step = run.step(0, vec![call("a", tool, "{}")]);
    tokio::time::timeout(Duration::from_millis(20), step).await.expect_err("it hangs");
}

#[tokio::test]
async fn after_the_owners_death_a_call_runs_again_under_the_same_token_or_is_in_doubt() {
    let tokens = Arc::new(Mutex::new(Vec::new()));
    let effects = Arc::new(AtomicUsize::new(0));
    let tools = [erase(Note::new(tokens.clone())), erase(Hang::new(effects.clone()))];
    let ledger = MemoryLedger::new();
    let runtime = builder(tools).ledger(ledger).limits(quick()).build().unwrap();

    dies(&runtime, "note").await;
    let report = only(run(&runtime).await.step(0, vec![call("a", "note", "{}")]).await);
    assert_eq!(report.output.text(), "noted 2");
    let tokens = tokens.lock().unwrap().clone();
    assert_eq!((tokens.len(), &tokens[0]), (2, &tokens[1]));

    let run = runtime.run(scope("r2")).await.unwrap();
    let step = run.step(0, vec![call("a", "hang", "{}")]);
    tokio::time::timeout(Duration::from_millis(20), step).await.expect_err("it hangs");
    let report = only(run.step(0, vec![call("a", "hang", "{}")]).await);
    let CallStatus::InDoubt { why, .. } = report.status else { panic!("{:?}", report.status) };
    assert_eq!(why, "whoever executed it died before its result was recorded");
    assert_eq!(effects.load(Ordering::SeqCst), 1);
}

/// Charges an order.
#[tool(recovery = idempotent, idempotency_key = order)]
fn charge_order(#[state] effects: &AtomicU32, order: String, amount: u32) -> String {
    format!("{order}: {amount} as charge {}", effects.fetch_add(1, Ordering::SeqCst) + 1)
}

#[tokio::test]
async fn a_declared_key_deduplicates_across_the_runs_of_a_workspace() {
    let effects = Arc::new(AtomicU32::new(0));
    let runtime = builder([erase(ChargeOrder::new(effects.clone()))]).build().unwrap();
    let (one, two) = (run(&runtime).await, runtime.run(scope("r2")).await.unwrap());
    let charge = |order: &str, amount: u32| {
        vec![call("a", "charge_order", &format!(r#"{{"order":"{order}","amount":{amount}}}"#))]
    };
    let first = only(one.step(0, charge("W1", 5)).await);
    let second = only(two.step(0, charge("W1", 5)).await);
    assert_eq!(
        (first.output.text().as_ref(), second.output.text().as_ref()),
        ("W1: 5 as charge 1", "W1: 5 as charge 1")
    );
    assert_eq!(second.status, CallStatus::Finished { replayed: true });
    let other = only(two.step(1, charge("W1", 6)).await);
    assert_eq!(other.status, CallStatus::Conflict { what: "it was recorded with other arguments".into() });
    assert_eq!(only(two.step(2, charge("W2", 6)).await).output.text(), "W2: 6 as charge 2");
    // What has ended is forgotten, and the key is not.
    one.end().await.unwrap();
    assert_eq!(only(two.step(3, charge("W1", 5)).await).output.text(), "W1: 5 as charge 1");
}

#[tokio::test]
async fn a_policy_may_be_narrower_than_the_tool() {
    let effects = Arc::new(AtomicUsize::new(0));
    let registry = Arc::new(RawToolRegistry::new([erase(Count::new(effects.clone()))]));
    let once = ToolRecoveryPolicy::new(ToolRecoveryMode::ReplaySafe, NonZeroU32::MIN);
    let snapshot = ExecutableSnapshot::of(&registry).with_policy("count", once).unwrap();
    let runtime =
        ToolRuntime::builder(registry).snapshot(snapshot).gate(tool_core::AllowAll).limits(quick()).build().unwrap();
    let report = only(run(&runtime).await.step(0, vec![call("a", "count", "{}")]).await);
    assert!(matches!(report.status, CallStatus::InDoubt { .. }), "{:?}", report.status);
    assert_eq!(effects.load(Ordering::SeqCst), 1);
}

/// Fails without saying what came of it, and may be repeated.
#[tool(recovery = replay_safe)]
fn count(#[state] effects: &AtomicUsize) -> Result<String, ToolError> {
    effects.fetch_add(1, Ordering::SeqCst);
    Err(ToolError::execution("no answer"))
}

/// Takes longer than its lease.
#[tool(recovery = replay_safe)]
async fn outlast(#[state] effects: &AtomicUsize) -> String {
    let times = effects.fetch_add(1, Ordering::SeqCst) + 1;
    tokio::time::sleep(Duration::from_millis(300)).await;
    format!("at {times}")
}

#[tokio::test]
async fn a_lease_is_renewed_while_its_call_runs_so_that_nobody_takes_it_over() {
    let effects = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let make =
        || builder([erase(Outlast::new(effects.clone()))]).ledger(ledger.clone()).limits(quick()).build().unwrap();
    let (one, two) = (make(), make());
    let (one, two) = (run(&one).await, run(&two).await);
    let step = || vec![call("a", "outlast", "{}")];
    let (first, second) = tokio::join!(one.step(0, step()), async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        two.step(0, step()).await
    });
    assert_eq!((only(first).output.text().as_ref(), only(second).output.text().as_ref()), ("at 1", "at 1"));
    assert_eq!(effects.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_that_is_not_made_again_is_never_called_undone_where_that_is_not_known() {
    let (ledger, counter) = (MemoryLedger::new(), Arc::new(AtomicUsize::new(0)));
    let tools = || [erase(Charge::new(counter.clone())), erase(Hang::new(counter.clone()))];
    let calls = || vec![call("a", "charge", r#"{"amount": 5}"#), call("b", "hang", "{}"), call("c", "hang", "{}")];
    let before = builder(tools()).limits(quick()).ledger(ledger.clone()).build().unwrap();
    // The first has no outcome, the second is dropped while it runs, the third has not begun.
    let dropped = tokio::time::timeout(Duration::from_millis(50), run(&before).await.step(0, calls())).await;
    assert!(dropped.is_err() && counter.load(Ordering::SeqCst) == 2);

    let refuse = || builder(tools()).limits(quick()).ledger(ledger.clone());
    let denied = refuse().gate(Rules::new().deny("*").unwrap()).build().unwrap();
    let cancelled = refuse().build().unwrap();
    for (runtime, cancels) in [(denied, false), (cancelled, true)] {
        let run = run(&runtime).await;
        if cancels {
            run.cancel();
        }
        let report = run.step(0, calls()).await;
        let denied = "this call is not allowed. Tool \"hang\" may not be called. Go on without it, and say what you could not do.";
        let why = if cancels { "the run was cancelled." } else { denied };
        let told: Vec<_> = report.calls.iter().map(|call| call.output.text()).collect();
        assert_eq!(told[1], "The call is executed elsewhere, and its result is not known yet.");
        assert!(matches!(report.calls[1].status, CallStatus::Elsewhere { .. }) && !report.is_settled());
        assert_eq!(told[2], format!("Nothing was done: {why}"));
        let CallStatus::InDoubt { why, .. } = &report.calls[0].status else { panic!("{:?}", report.calls[0].status) };
        assert_eq!(why, "the connection broke after 5");
    }
    assert_eq!(counter.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_result_is_not_lost_to_a_run_that_was_cancelled() {
    let times = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Reach::new(times.clone()))]).limits(quick()).build().unwrap();
    let run = run(&runtime).await;
    let reach = || vec![call("a", "reach", r#"{"after": 1}"#)];
    run.step(0, reach()).await;
    run.cancel();
    let report = only(run.step(0, reach()).await);
    assert_eq!((report.output.text().as_ref(), report.status), ("at 1", CallStatus::Finished { replayed: true }));
    assert_eq!(times.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_whose_tool_is_gone_keeps_what_it_came_to() {
    let ledger = MemoryLedger::new();
    let counter = Arc::new(AtomicUsize::new(0));
    let calls = || vec![call("a", "reach", r#"{"after": 1}"#), call("b", "charge", r#"{"amount": 5}"#)];
    let tools = [erase(Reach::new(Arc::default())), erase(Charge::new(counter.clone()))];
    let before = builder(tools).limits(quick()).ledger(ledger.clone()).build().unwrap();
    run(&before).await.step(0, calls()).await;
    let gone = builder([]).ledger(ledger.clone()).build().unwrap();
    let report = run(&gone).await.step(0, calls()).await;
    assert_eq!(report.calls[0].output.text(), "at 1");
    assert_eq!(report.calls[0].status, CallStatus::Finished { replayed: true });
    let CallStatus::InDoubt { ledger_id, .. } = &report.calls[1].status else { panic!("{:?}", report.calls[1]) };
    let charged = Resolution::Happened(ToolOutput::ok("charged 5"));
    assert_eq!(gone.resolve(ledger_id, charged).await.unwrap().output.text(), "charged 5");
    // What was never made, and what is another call, is refused.
    for (step, other) in [(1, call("a", "reach", r#"{"after": 1}"#)), (0, call("a", "reach", r#"{"after": 2}"#))] {
        let refused = only(run(&gone).await.step(step, vec![other]).await);
        assert!(matches!(refused.status, CallStatus::Refused { .. }), "{refused:?}");
    }
}

#[tokio::test]
async fn a_run_with_a_call_that_was_never_done_can_be_ended() {
    let limits = quick().with_backoff(Duration::from_secs(5));
    let runtime = builder([erase(Reach::new(Arc::default()))]).limits(limits).build().unwrap();
    let run = run(&runtime).await;
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        run.cancel();
    };
    let (report, ()) = tokio::join!(run.step(0, vec![call("a", "reach", r#"{"after": 2}"#)]), cancel);
    assert!(matches!(only(report).status, CallStatus::NotRun { .. }));
    run.end().await.unwrap();
    assert!(runtime.operations(&tool_core::OperationFilter::all()).await.unwrap().is_empty());
}
