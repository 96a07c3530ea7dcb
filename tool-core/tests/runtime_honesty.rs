//! What is said of a call that is not executed now: nothing that the ledger does not bear out, and nothing is lost.

mod runtime_support;

use runtime_support::{builder, call, only, run, scope};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tool_core::*;

fn quick() -> RunLimits {
    RunLimits::default().with_backoff(Duration::from_millis(1)).with_lease(Duration::from_millis(80))
}

/// Has an effect.
#[tool]
fn effect(#[state] effects: &AtomicUsize) -> String {
    format!("done {}", effects.fetch_add(1, Ordering::SeqCst) + 1)
}

/// Charges once an order.
#[tool(recovery = idempotent, idempotency_key = order)]
fn charge_order(#[state] effects: &AtomicUsize, order: String) -> String {
    format!("{order} as charge {}", effects.fetch_add(1, Ordering::SeqCst) + 1)
}

/// No gate has allowed the call that is cancelled to be told another run's result.
#[tokio::test]
async fn another_runs_result_under_a_key_is_not_shown_to_a_call_that_is_cancelled() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(ChargeOrder::new(effects.clone()))]).build().unwrap();
    let (one, two) = (run(&runtime).await, runtime.run(scope("r2")).await.unwrap());
    let charge = || vec![call("a", "charge_order", r#"{"order": "W1"}"#)];
    only(one.step(0, charge()).await);
    let first = only(two.step(0, charge()).await);
    assert_eq!(first.output.text(), "W1 as charge 1");
    two.cancel();
    let again = only(two.step(0, charge()).await);
    assert_eq!(again.output.text(), "Nothing was done now: the run was cancelled.");
    assert!(matches!(again.status, CallStatus::NotRun { .. }), "{again:?}");
    drop(two);
    let anew = runtime.run(scope("r2")).await.unwrap();
    assert_eq!(only(anew.step(0, charge()).await).output.text(), first.output.text(), "it is not lost");
}

/// Charges once an order, and dies.
#[tool(id = "charge_lost", recovery = idempotent, idempotency_key = order)]
async fn charge_lost(#[state] effects: &AtomicUsize, order: String) -> String {
    effects.fetch_add(1, Ordering::SeqCst);
    std::future::pending::<()>().await;
    order
}

/// The same key again in the same run: the first attempt has no outcome, the second call is cancelled.
#[tokio::test]
async fn nothing_was_done_is_not_said_where_the_key_has_an_unknown_outcome() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(ChargeLost::new(effects.clone()))]).limits(quick()).build().unwrap();
    let run = run(&runtime).await;
    let charge = || vec![call("a", "charge_lost", r#"{"order": "W1"}"#)];
    let dropped = tokio::time::timeout(Duration::from_millis(20), run.step(0, charge())).await;
    assert!(dropped.is_err() && effects.load(Ordering::SeqCst) == 1);
    run.cancel();
    let by_key = only(run.step(1, charge()).await);
    assert!(!by_key.output.text().starts_with("Nothing was done:"), "{}", by_key.output.text());
}

struct Described(&'static str, Arc<AtomicUsize>);

#[async_trait]
impl RawTool for Described {
    #[allow(clippy::unnecessary_literal_bound)] // the trait's own signature
    fn id(&self) -> &str {
        "described"
    }
    fn descriptor(&self) -> Option<Arc<ToolDescriptor>> {
        Some(Arc::new(ToolDescriptor::new("test", "described", self.0, serde_json::json!({"type": "object"}), None)))
    }
    async fn invoke(&self, _call: ToolCall) -> Result<ToolOutput, ToolError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Err(ToolError::execution("the connection broke"))
    }
}

/// The very same call after a release that changed the tool's description.
#[tokio::test]
async fn nothing_was_done_is_not_said_where_only_the_description_changed() {
    let effects = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let old = builder([Arc::new(Described("Charges.", effects.clone())) as Arc<dyn RawTool>])
        .ledger(ledger.clone())
        .build()
        .unwrap();
    let first = only(run(&old).await.step(0, vec![call("a", "described", "{}")]).await);
    assert!(matches!(first.status, CallStatus::InDoubt { .. }), "{:?}", first.status);
    let new = builder([Arc::new(Described("Charges a card.", effects.clone())) as Arc<dyn RawTool>])
        .ledger(ledger.clone())
        .build()
        .unwrap();
    let again = only(run(&new).await.step(0, vec![call("a", "described", "{}")]).await);
    assert_eq!(effects.load(Ordering::SeqCst), 1);
    assert!(!again.output.text().starts_with("Nothing was done:"), "{}", again.output.text());
}

/// Asks.
#[tool(id = "ask", read_only)]
fn ask(#[context] cx: &ToolContext) -> Outcome<String> {
    match cx.answer() {
        Some(answer) => Outcome::Output(answer.to_string()),
        None => Outcome::Suspend { reason: "which?".into(), input_schema: serde_json::json!({"type": "integer"}) },
    }
}

#[tokio::test]
async fn a_call_that_waits_is_not_settled_by_a_cancelled_step() {
    let ledger = MemoryLedger::new();
    let runtime = builder([erase(Ask)]).ledger(ledger.clone()).build().unwrap();
    let run = run(&runtime).await;
    let waiting = only(run.step(0, vec![call("a", "ask", "{}")]).await);
    assert!(matches!(waiting.status, CallStatus::Waiting { .. }));
    run.cancel();
    let again = run.step(0, vec![call("a", "ask", "{}")]).await;
    assert!(!again.is_settled(), "the ledger holds a wait and the step says that it is settled");
}

#[tokio::test]
async fn a_call_that_waits_for_approval_is_not_settled_by_a_cancelled_step() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = ToolRuntime::builder(RawToolRegistry::new([erase(Effect::new(effects.clone()))])).build().unwrap();
    let first = run(&runtime).await;
    let waiting = only(first.step(0, vec![call("a", "effect", "{}")]).await);
    let CallStatus::Waiting { ticket, .. } = waiting.status else { panic!() };
    first.cancel();
    let again = first.step(0, vec![call("a", "effect", "{}")]).await;
    assert!(!again.is_settled(), "it may yet be approved and executed");
    drop((first, again));
    let resumed = runtime.resume(&ticket, serde_json::json!({"approve": true})).await.unwrap();
    assert_eq!(resumed.output.text(), "done 1");
}

struct Balance;

impl StateKey for Balance {
    const KEY: &'static str = "shop.balance";
    type Value = u32;
}

/// Charges once an order, keeps the balance in the run's state; hangs the first time.
#[tool(id = "charge_state", recovery = idempotent, idempotency_key = order)]
async fn charge_state(#[state] effects: &AtomicUsize, order: String) -> ToolOutput {
    if effects.fetch_add(1, Ordering::SeqCst) == 0 {
        std::future::pending::<()>().await;
    }
    ToolOutput::ok(order).with_state(Balance::set(&7).unwrap())
}

struct Reminds;

#[async_trait]
impl AfterToolHook for Reminds {
    async fn after_tool(&self, _: &FinishedCall<'_>) -> Result<HookReaction, HookError> {
        Ok(HookReaction::none().with_reminder("remember"))
    }
}

/// Under a key, another run's operation is executed by this run's call: in which run is its state?
#[tokio::test]
async fn a_runs_state_is_what_the_ledger_has() {
    let effects = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let runtime = builder([erase(ChargeState::new(effects.clone()))])
        .hook(Reminds)
        .ledger(ledger.clone())
        .limits(quick())
        .build()
        .unwrap();
    let (one, two) = (run(&runtime).await, runtime.run(scope("r2")).await.unwrap());
    let charge = || vec![call("a", "charge_state", r#"{"order": "W1"}"#)];
    assert!(tokio::time::timeout(Duration::from_millis(20), one.step(0, charge())).await.is_err());
    tokio::time::sleep(Duration::from_millis(100)).await; // the lease ends
    assert_eq!(only(two.step(0, charge()).await).output.text(), "W1");
    assert_eq!(one.state::<Balance>().unwrap(), Some(7));
    for run in [&one, &two] {
        assert_eq!(run.state::<Balance>().unwrap(), Balance::read(&ledger.state(run.scope()).await.unwrap()).unwrap());
    }
}

/// ... and the reminder of its hook.
#[tokio::test]
async fn a_hooks_reaction_to_what_this_call_executed_is_kept() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(ChargeState::new(effects.clone()))]).hook(Reminds).limits(quick()).build().unwrap();
    let (one, two) = (run(&runtime).await, runtime.run(scope("r2")).await.unwrap());
    let charge = || vec![call("a", "charge_state", r#"{"order": "W1"}"#)];
    assert!(tokio::time::timeout(Duration::from_millis(20), one.step(0, charge())).await.is_err());
    tokio::time::sleep(Duration::from_millis(100)).await;
    let report = only(two.step(0, charge()).await);
    assert_eq!(report.reminders, ["remember"]);
}

/// It has been entered once, and waits.
#[tokio::test]
async fn a_resumed_call_of_a_changed_tool_is_not_called_undone() {
    let entered = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let old = builder([Arc::new(Waits("Waits.", entered.clone())) as Arc<dyn RawTool>])
        .ledger(ledger.clone())
        .build()
        .unwrap();
    let first = only(run(&old).await.step(0, vec![call("a", "waits", "{}")]).await);
    let CallStatus::Waiting { ticket, .. } = first.status else { panic!("{:?}", first.status) };
    let new = builder([Arc::new(Waits("Waits long.", entered.clone())) as Arc<dyn RawTool>])
        .ledger(ledger.clone())
        .build()
        .unwrap();
    let again = new.resume(&ticket, serde_json::json!(1)).await.unwrap();
    assert!(
        !again.output.text().starts_with("Nothing was done:"),
        "{} after it was entered {} times",
        again.output.text(),
        entered.load(Ordering::SeqCst)
    );
}

struct Waits(&'static str, Arc<AtomicUsize>);

#[async_trait]
impl RawTool for Waits {
    #[allow(clippy::unnecessary_literal_bound)] // the trait's own signature
    fn id(&self) -> &str {
        "waits"
    }
    fn descriptor(&self) -> Option<Arc<ToolDescriptor>> {
        Some(Arc::new(ToolDescriptor::new("test", "waits", self.0, serde_json::json!({"type": "object"}), None)))
    }
    async fn invoke(&self, _call: ToolCall) -> Result<ToolOutput, ToolError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Ok(ToolOutput::ok("half done").suspended(Suspension::Input {
            reason: "which?".into(),
            input_schema: serde_json::json!({"type": "integer"}),
        }))
    }
}

/// A person found that it did not happen: that is known.
#[tokio::test]
async fn what_a_person_found_is_known() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([Arc::new(Described("Charges.", effects.clone())) as Arc<dyn RawTool>]).build().unwrap();
    let run = run(&runtime).await;
    let report = only(run.step(0, vec![call("a", "described", "{}")]).await);
    let CallStatus::InDoubt { ledger_id, .. } = report.status else { panic!() };
    run.cancel();
    let settled = runtime.resolve(&ledger_id, Resolution::DidNotHappen).await.unwrap();
    assert_eq!(settled.output.text(), "Nothing was done: the run was cancelled.");
}

/// A conflict leaves nothing behind: the key was never used.
#[tokio::test]
async fn a_conflict_does_not_take_the_key() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime =
        builder([erase(Effect::new(effects.clone())), erase(ChargeOrder::new(effects.clone()))]).build().unwrap();
    let (one, two) = (run(&runtime).await, runtime.run(scope("r2")).await.unwrap());
    let charge = || vec![call("a", "charge_order", r#"{"order": "W1"}"#)];
    only(one.step(0, vec![call("a", "effect", "{}")]).await);
    assert!(matches!(only(one.step(0, charge()).await).status, CallStatus::Conflict { .. }));
    let report = only(two.step(0, charge()).await);
    assert_eq!(report.output.text(), "W1 as charge 2");
}

/// ... and the run that had the conflict ends.
#[tokio::test]
async fn a_conflict_of_a_run_that_ended_loses_no_result_of_another() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Effect::new(effects.clone())), erase(ChargeOrder::new(effects.clone()))])
        .limits(quick())
        .build()
        .unwrap();
    let (one, two) = (run(&runtime).await, runtime.run(scope("r2")).await.unwrap());
    let charge = || vec![call("a", "charge_order", r#"{"order": "W1"}"#)];
    only(one.step(0, vec![call("a", "effect", "{}")]).await);
    assert!(matches!(only(one.step(0, charge()).await).status, CallStatus::Conflict { .. }));
    one.end().await.unwrap();
    let report = only(two.step(0, charge()).await);
    assert_eq!(report.output.text(), "W1 as charge 2");
    tokio::time::sleep(Duration::from_millis(100)).await; // a lease would have ended
    assert_eq!(only(two.step(0, charge()).await).output.text(), "W1 as charge 2");
    assert_eq!(effects.load(Ordering::SeqCst), 2);
}
