//! State and hooks: what is committed with a result, and what a hook may make of it.

mod runtime_support;

use async_trait::async_trait;
use runtime_support::{builder, call, only, run, told};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tool_core::{
    AfterToolHook, ContextMessages, FinishedCall, GateRequest, HookError, HookReaction, Interlock, MemoryLedger,
    StateError, StateKey, ToolContext, ToolError, ToolGate, ToolOutput, Verdict, erase, tool,
};

struct Basket;

impl StateKey for Basket {
    const KEY: &'static str = "shop.basket";
    type Value = Vec<String>;
}

/// Puts something into the basket.
#[tool]
fn add(#[context] cx: &ToolContext, item: String, fail: bool) -> Result<ToolOutput, ToolError> {
    let mut basket = cx.state::<Basket>().map_err(|error| ToolError::failed(error.to_string()))?.unwrap_or_default();
    basket.push(item);
    let output = ToolOutput::ok(basket.join(" "))
        .with_state(Basket::set(&basket).map_err(|error| ToolError::failed(error.to_string()))?);
    if fail { Err(ToolError::failed("sold out")) } else { Ok(output) }
}

fn put(item: &str, fail: bool) -> tool_core::ToolCall {
    call("a", "add", &format!(r#"{{"item": "{item}", "fail": {fail}}}"#))
}

#[tokio::test]
async fn state_is_committed_with_the_result_or_not_at_all() {
    let ledger = MemoryLedger::new();
    let make = || builder([erase(Add)]).ledger(ledger.clone()).build().unwrap();
    let runtime = make();
    let first = run(&runtime).await;
    assert_eq!(
        told(&first.step(0, vec![put("tea", false), put("gold", true), put("milk", false)]).await),
        ["tea", "sold out", "tea milk"]
    );
    // After a restart the state is there, and a replayed result does not apply its commands again.
    let second = run(&make()).await;
    assert_eq!(second.state::<Basket>().unwrap().unwrap(), ["tea", "milk"]);
    second.step(0, vec![put("tea", false)]).await;
    assert_eq!(second.state::<Basket>().unwrap().unwrap(), ["tea", "milk"]);
    // Another run has a state of its own.
    let other = runtime.run(runtime_support::scope("r2")).await.unwrap();
    assert_eq!(other.state::<Basket>().unwrap(), None);
}

struct Numbers;

impl StateKey for Numbers {
    const KEY: &'static str = "shop.basket";
    type Value = u32;
}

#[tokio::test]
async fn an_entry_that_is_not_what_its_key_says_is_an_error_that_shows_nothing_of_it() {
    let run = run(&builder([erase(Add)]).build().unwrap()).await;
    run.commit(&[Basket::set(&vec!["secret".to_owned()]).unwrap()]).await.unwrap();
    let error: StateError = run.state::<Numbers>().unwrap_err();
    assert_eq!(error.to_string(), "the state entry \"shop.basket\" does not fit its type");
}

/// Reminds of what was called, and counts.
struct Reminder(Arc<AtomicUsize>);

#[async_trait]
impl AfterToolHook for Reminder {
    async fn after_tool(&self, finished: &FinishedCall<'_>) -> Result<HookReaction, HookError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(HookReaction::none()
            .with_reminder(format!("{} was called in {}", finished.call.tool_id, finished.operation.operation_id()))
            .with_state(ContextMessages::add(format!("basket: {}", finished.output.text()))))
    }
}

struct Panics;

#[async_trait]
impl AfterToolHook for Panics {
    async fn after_tool(&self, _: &FinishedCall<'_>) -> Result<HookReaction, HookError> {
        panic!("a hook that panics")
    }
}

struct Fails;

#[async_trait]
impl AfterToolHook for Fails {
    async fn after_tool(&self, _: &FinishedCall<'_>) -> Result<HookReaction, HookError> {
        Err("a hook that fails".into())
    }
}

#[tokio::test]
async fn hooks_remind_and_stage_and_one_that_fails_changes_no_result() {
    let ledger = MemoryLedger::new();
    let asked = Arc::new(AtomicUsize::new(0));
    let make = || {
        builder([erase(Add)])
            .ledger(ledger.clone())
            .hook(Panics)
            .hook(Fails)
            .hook(Reminder(asked.clone()))
            .build()
            .unwrap()
    };
    let first = run(&make()).await;
    let report = first.step(0, vec![put("tea", false)]).await;
    assert_eq!(told(&report), ["tea"]);
    assert_eq!(report.reminders().collect::<Vec<_>>(), ["add was called in step-0/call-0"]);
    // What is for the next request alone is taken once.
    assert_eq!(first.take_context_messages().await.unwrap(), ["basket: tea"]);
    assert_eq!(first.take_context_messages().await.unwrap(), [""; 0]);
    // A replayed result brings the committed reaction with it, and its hooks are not asked again.
    let again = run(&make()).await.step(0, vec![put("tea", false)]).await;
    assert_eq!(again.reminders().collect::<Vec<_>>(), ["add was called in step-0/call-0"]);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert_eq!(run(&make()).await.take_context_messages().await.unwrap(), [""; 0]);
}

/// Sees the exact call, and denies some.
struct NoGold;

#[async_trait]
impl ToolGate for NoGold {
    async fn judge(&self, request: &GateRequest<'_>) -> Verdict {
        assert_eq!(request.operation.run_id().as_str(), "r1");
        assert_eq!(request.descriptor.map(tool_core::ToolDescriptor::id), Some("add"));
        match request.arguments.value()["item"].as_str() {
            Some("gold") => Verdict::deny("Choose something cheaper.", "take `gold` out of NoGold"),
            Some("panic") => panic!("a gate that panics"),
            _ => Verdict::Allow,
        }
    }
}

#[tokio::test]
async fn gates_see_calls_that_can_be_made_and_what_they_deny_is_not_recorded() {
    let ledger = MemoryLedger::new();
    let runtime = builder([erase(Add)]).gate(NoGold).ledger(ledger.clone()).build().unwrap();
    let run = run(&runtime).await;
    // The gate would panic at arguments that do not fit: it never sees them. A string for a boolean it sees repaired.
    let calls = vec![
        call("a", "add", r#"{"item": 5}"#),
        put("gold", false),
        call("a", "add", r#"{"item": "tea", "fail": "false"}"#),
        put("panic", false),
    ];
    let report = run.step(0, calls).await;
    let denied = "Nothing was done: this call is not allowed. Choose something cheaper.";
    let failed = "Nothing was done: this call is not allowed. A check of this call failed.";
    assert_eq!(told(&report)[1..], [denied, "tea", failed]);
    let remedy = "take `gold` out of NoGold".to_owned();
    assert_eq!(report.calls[1].status, tool_core::CallStatus::Denied { remedy });
    let recorded = runtime.operations(&tool_core::OperationFilter::all()).await.unwrap();
    assert_eq!(recorded.len(), 1);
    assert_eq!(only(run.step(0, vec![put("gold", false)]).await).output.text(), denied);
}

/// Reads what is private.
#[tool(read_only, concurrency = parallel, private_data = true, untrusted_input = false, egress = none)]
async fn read_mail() -> &'static str {
    "mail"
}

/// Reads what anybody wrote.
#[tool(read_only, concurrency = parallel, private_data = false, untrusted_input = true, egress = none)]
async fn read_page() -> &'static str {
    "page"
}

/// Sends to whom the model likes.
#[tool(concurrency = parallel, private_data = false, untrusted_input = false, egress = chosen)]
async fn send() -> &'static str {
    "sent"
}

/// Takes its time, so that other calls come in between where they may.
struct Deliberates;

#[async_trait]
impl ToolGate for Deliberates {
    async fn judge(&self, _: &GateRequest<'_>) -> Verdict {
        tokio::time::sleep(Duration::from_millis(5)).await;
        Verdict::Allow
    }

    /// One gate that does is enough.
    fn minds_earlier_calls(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn calls_beside_each_other_do_not_bring_together_what_no_run_may() {
    let ledger = MemoryLedger::new();
    let make = || {
        let tools = [erase(ReadMail), erase(ReadPage), erase(Send)];
        builder(tools).gate(Interlock::new()).gate(Deliberates).ledger(ledger.clone()).build().unwrap()
    };
    let one_of_each = vec![call("a", "read_mail", "{}"), call("b", "read_page", "{}"), call("c", "send", "{}")];
    let report = run(&make()).await.step(0, one_of_each).await;
    let denied = |call: &&tool_core::CallReport| matches!(call.status, tool_core::CallStatus::Denied { .. });
    assert_eq!(report.calls.iter().filter(denied).count(), 1, "{report:?}");
    // What was touched is known after a restart too.
    let third = report.calls.iter().find(denied).unwrap().tool_id.clone();
    let again = only(run(&make()).await.step(1, vec![call("d", &third, "{}")]).await);
    assert!(denied(&&again), "{again:?}");
}

/// Counts how many calls it judges at once.
#[derive(Clone)]
struct Counts {
    minds: bool,
    inside: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

#[async_trait]
impl ToolGate for Counts {
    async fn judge(&self, _: &GateRequest<'_>) -> Verdict {
        self.most.fetch_max(self.inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(5)).await;
        self.inside.fetch_sub(1, Ordering::SeqCst);
        Verdict::Allow
    }

    fn minds_earlier_calls(&self) -> bool {
        self.minds
    }
}

#[tokio::test]
async fn only_where_a_gate_minds_earlier_calls_are_calls_judged_one_after_the_other() {
    for (minds, most) in [(false, 2), (true, 1)] {
        let counts = Counts { minds, inside: Arc::default(), most: Arc::default() };
        let runtime = builder([erase(ReadMail)]).gate(counts.clone()).build().unwrap();
        let calls = vec![call("a", "read_mail", "{}"), call("b", "read_mail", "{}")];
        assert_eq!(told(&run(&runtime).await.step(0, calls).await), ["mail"; 2]);
        assert_eq!(counts.most.load(Ordering::SeqCst), most, "{minds}");
    }
}

#[tokio::test]
async fn messages_of_several_calls_all_reach_the_next_request() {
    let runtime = builder([erase(Add)]).hook(Reminder(Arc::default())).build().unwrap();
    let run = run(&runtime).await;
    run.step(0, vec![put("tea", false), put("milk", false)]).await;
    assert_eq!(run.take_context_messages().await.unwrap(), ["basket: tea", "basket: tea milk"]);
    assert_eq!(run.take_context_messages().await.unwrap(), [""; 0]);
}

/// Reminds of how often it was asked.
struct Count(AtomicUsize);

#[async_trait]
impl AfterToolHook for Count {
    async fn after_tool(&self, _: &FinishedCall<'_>) -> Result<HookReaction, HookError> {
        let asked = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok(HookReaction::none().with_reminder(format!("asked {asked}")))
    }
}

#[tokio::test]
async fn reminders_that_are_told_are_those_that_were_committed() {
    let run = run(&builder([erase(ReadMail)]).hook(Count(AtomicUsize::new(0))).build().unwrap()).await;
    let step = || run.step(0, vec![call("a", "read_mail", "{}")]);
    let (one, two) = tokio::join!(step(), step());
    let later = step().await;
    for report in [one, two] {
        assert!(report.reminders().eq(later.reminders()), "{report:?} {later:?}");
    }
    assert_eq!(later.reminders().count(), 1);
}

#[tokio::test]
async fn a_run_that_is_taken_up_again_stands_where_the_ledger_has_it() {
    let ledger = MemoryLedger::new();
    let make = || builder([erase(Add)]).ledger(ledger.clone()).build().unwrap();
    let one = make();
    let held = run(&one).await;
    run(&make()).await.commit(&[Basket::set(&vec!["tea".to_owned()]).unwrap()]).await.unwrap();
    assert_eq!(run(&one).await.state::<Basket>().unwrap(), Some(vec!["tea".to_owned()]));
    held.step(0, vec![put("milk", false)]).await;
    held.clone().end().await.unwrap();
    let anew = run(&one).await;
    assert_eq!(anew.state::<Basket>().unwrap(), None, "a run of the same name begins anew");
    assert!(held.touched().is_everything() && anew.touched() == tool_core::Touched::default());
}
