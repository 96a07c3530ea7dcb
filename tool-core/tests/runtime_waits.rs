//! Waits: approval, an answer, an instant. They survive the runtime, and are answered once.

mod runtime_support;

use runtime_support::{builder, call, only, run, ticket};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};
use tool_core::{
    ArgumentLimits, CallStatus, LedgerError, MemoryLedger, OperationFilter, Outcome, RawToolRegistry, Resolution,
    ResumeError, Stage, Ticket, ToolCall, ToolContext, ToolRuntime, ToolRuntimeBuilder, Wait, erase, input_schema,
    tool,
};

/// Refunds an order.
#[tool]
fn refund(#[state] effects: &AtomicUsize, order: String) -> String {
    format!("{order} refunded, number {}", effects.fetch_add(1, Ordering::SeqCst) + 1)
}

/// Asks which of two customers is meant.
#[tool]
fn pick(#[state] entered: &AtomicUsize, #[context] cx: &ToolContext, name: String) -> Outcome<String> {
    entered.fetch_add(1, Ordering::SeqCst);
    match cx.answer() {
        Some(answer) => Outcome::Output(format!("{name}: {answer}")),
        None => Outcome::Suspend {
            reason: format!("There are two named {name}."),
            input_schema: json!({"type": "integer", "minimum": 1, "maximum": 2}),
        },
    }
}

/// Waits for its instant.
#[tool(read_only)]
fn after(#[state] entered: &AtomicUsize) -> Outcome<&'static str> {
    match entered.fetch_add(1, Ordering::SeqCst) {
        0 => Outcome::Sleep { until: SystemTime::now() + Duration::from_millis(60) },
        _ => Outcome::Output("awake"),
    }
}

/// A runtime with the gate that it has where a program names none.
fn asking(effects: &Arc<AtomicUsize>) -> ToolRuntimeBuilder {
    ToolRuntime::builder(RawToolRegistry::new([erase(Refund::new(effects.clone()))]))
}

const REFUND: &str = r#"{"order": "W1"}"#;

#[tokio::test]
async fn a_call_waits_for_approval_over_a_restart_and_is_approved_once() {
    let effects = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let runtime = asking(&effects).ledger(ledger.clone()).build().unwrap();
    let step = || vec![call("a", "refund", REFUND)];
    let waiting = only(run(&runtime).await.step(0, step()).await);
    assert!(waiting.output.text().starts_with("The call waits for a person's approval: "), "{}", waiting.output.text());
    let ticket = ticket(&waiting);

    let restarted = asking(&effects).ledger(ledger.clone()).build().unwrap();
    assert_eq!(only(run(&restarted).await.step(0, step()).await).status, waiting.status);
    let listed = restarted.operations(&OperationFilter::all().at(Stage::Suspended)).await.unwrap();
    assert_eq!(
        (listed.len(), &listed[0].arguments, listed[0].ticket.as_ref()),
        (1, &json!({"order": "W1"}), Some(&ticket))
    );
    assert_eq!(effects.load(Ordering::SeqCst), 0);

    let wrong = restarted.resume(&ticket, json!({"approved": true})).await.unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "Invalid arguments: `answer.approved`: unknown property \"approved\"; did you mean `approve`? Known: `approve`, \
         `note`; `answer.approve`: required, but missing"
    );
    let approved = restarted.resume(&ticket, json!({"approve": true})).await.unwrap();
    assert_eq!((approved.output.text().as_ref(), approved.call_id.as_ref()), ("W1 refunded, number 1", "a"));
    let again = restarted.resume(&ticket, json!({"approve": true})).await.unwrap_err();
    assert_eq!(again, ResumeError::Ledger(LedgerError::NotWaiting));
    assert_eq!(only(run(&runtime).await.step(0, step()).await).output.text(), "W1 refunded, number 1");
    assert_eq!(effects.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_approval_is_for_the_exact_call_and_a_refusal_is_its_result() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = asking(&effects).build().unwrap();
    let run = run(&runtime).await;
    let waiting = only(run.step(0, vec![call("a", "refund", REFUND)]).await);
    let other = only(run.step(0, vec![call("a", "refund", r#"{"order": "W2"}"#)]).await);
    assert_eq!(other.status, CallStatus::Conflict { what: "it was recorded with other arguments".into() });
    let answer = json!({"approve": false, "note": "Ask the customer first."});
    let refused = runtime.resume(&ticket(&waiting), answer).await.unwrap();
    let told = "Nothing was done: a person did not approve of this call. Ask the customer first.";
    assert_eq!((refused.output.text().as_ref(), refused.output.is_error), (told, true));
    assert_eq!(only(run.step(0, vec![call("a", "refund", REFUND)]).await).output.text(), told);
    assert_eq!(effects.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_tool_is_entered_again_with_the_answer_that_it_waited_for() {
    let entered = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let make = || builder([erase(Pick::new(entered.clone()))]).ledger(ledger.clone()).build().unwrap();
    let step = || vec![call("a", "pick", r#"{"name": "Ada"}"#)];
    let waiting = only(run(&make()).await.step(0, step()).await);
    assert_eq!(waiting.output.text(), "The call waits for an answer: There are two named Ada.");
    assert!(matches!(waiting.status, CallStatus::Waiting { wait: Wait::Tool(_), .. }), "{:?}", waiting.status);
    assert_eq!(only(run(&make()).await.step(0, step()).await).status, waiting.status);
    assert_eq!(entered.load(Ordering::SeqCst), 1);

    let runtime = make();
    let ticket = ticket(&waiting);
    for (wrong, told) in [
        (json!(3), "Invalid arguments: `answer`: expected an integer from 1 to 2, got the number 3"),
        (json!({"n": 1}), "Invalid arguments: `answer`: expected an integer from 1 to 2, got an object"),
    ] {
        assert_eq!(runtime.resume(&ticket, wrong).await.unwrap_err().to_string(), told);
    }
    let (one, two) = tokio::join!(runtime.resume(&ticket, json!(2)), runtime.resume(&ticket, json!(1)));
    let answered: Vec<_> = [one, two].into_iter().filter_map(Result::ok).collect();
    assert_eq!(answered.len(), 1, "only one answer counts");
    assert_eq!(answered[0].output.text(), "Ada: 2");
    assert_eq!(entered.load(Ordering::SeqCst), 2);
    assert_eq!(only(run(&make()).await.step(0, step()).await).output.text(), "Ada: 2");
    let unknown = runtime.resume(&Ticket::new("nonsense"), json!(1)).await.unwrap_err();
    assert_eq!(unknown, ResumeError::Ledger(LedgerError::NotFound));
}

#[tokio::test]
async fn a_call_that_sleeps_goes_on_when_its_step_is_executed_after_its_instant() {
    let entered = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let make = || builder([erase(After::new(entered.clone()))]).ledger(ledger.clone()).build().unwrap();
    let step = || vec![call("a", "after", "{}")];
    let waiting = only(run(&make()).await.step(0, step()).await);
    let early = make().resume(&ticket(&waiting), json!(null)).await.unwrap_err();
    assert!(matches!(early, ResumeError::TooEarly { .. }), "{early:?}");
    assert_eq!(only(run(&make()).await.step(0, step()).await).status, waiting.status);
    tokio::time::sleep(Duration::from_millis(80)).await;
    assert_eq!(only(run(&make()).await.step(0, step()).await).output.text(), "awake");
    assert_eq!(entered.load(Ordering::SeqCst), 2);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(tag = "op")]
#[allow(dead_code)] // only its schema is looked at
enum Expression {
    Leaf { v: u8 },
    Not { of: Box<Expression> },
}

/// Asks for an expression.
#[tool]
fn ask(#[context] cx: &ToolContext) -> Outcome<String> {
    match cx.answer() {
        Some(answer) => Outcome::Output(answer.to_string()),
        None => Outcome::Suspend { reason: "Which one?".into(), input_schema: input_schema::<Expression>() },
    }
}

#[tokio::test]
async fn an_answer_of_a_recursive_type_is_read_along_its_own_root() {
    let runtime = builder([erase(Ask)]).build().unwrap();
    let report = only(run(&runtime).await.step(0, vec![call("c", "ask", "{}")]).await);
    let ticket = ticket(&report);
    // Under the name that answers are read under, nothing of the schema stands.
    let wrong = json!({"op": "Not", "of": {"answer": {"op": "Leaf", "v": 1}}});
    assert!(matches!(runtime.resume(&ticket, wrong).await, Err(ResumeError::Answer(_))));
    let right = json!({"op": "Not", "of": {"op": "Leaf", "v": 1}});
    let report = runtime.resume(&ticket, right.clone()).await.unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&report.output.text()).unwrap(), right);
}

#[tokio::test]
async fn after_its_instant_a_wait_can_be_resumed_too() {
    let runtime = builder([erase(After::new(Arc::default()))]).build().unwrap();
    let waiting = only(run(&runtime).await.step(0, vec![call("a", "after", "{}")]).await);
    let early = runtime.resume(&ticket(&waiting), json!(null)).await.unwrap_err();
    assert!(matches!(early, ResumeError::TooEarly { .. }), "{early}");
    tokio::time::sleep(Duration::from_millis(80)).await;
    assert_eq!(runtime.resume(&ticket(&waiting), json!(null)).await.unwrap().output.text(), "awake");
}

#[tokio::test]
async fn an_answer_is_not_taken_while_the_tool_is_gone() {
    let ledger = MemoryLedger::new();
    let pick = || erase(Pick::new(Arc::default()));
    let with = |tools: Vec<_>| builder(tools).ledger(ledger.clone()).build().unwrap();
    let waiting = only(run(&with(vec![pick()])).await.step(0, vec![call("a", "pick", r#"{"name": "Ann"}"#)]).await);
    let gone = with(Vec::new());
    let refused = gone.resume(&ticket(&waiting), json!(2)).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the call still waits, since its tool cannot take it: tool \"pick\" cannot be called: the run's snapshot has no such \
         tool"
    );
    let shown = only(run(&gone).await.step(0, vec![call("a", "pick", r#"{"name": "Ann"}"#)]).await);
    assert_eq!(ticket(&shown), ticket(&waiting), "it is told what it waits for");
    assert_eq!(with(vec![pick()]).resume(&ticket(&waiting), json!(2)).await.unwrap().output.text(), "Ann: 2");
}

/// Asks for what nobody can check.
#[tool]
fn ask_oddly() -> Outcome<String> {
    let input_schema = json!({"if": {"type": "string"}, "then": {"minLength": 3}});
    Outcome::Suspend { reason: "Which?".to_owned(), input_schema }
}

#[tokio::test]
async fn an_answer_that_nobody_could_check_is_not_waited_for() {
    let run = run(&builder([erase(AskOddly)]).build().unwrap()).await;
    let report = only(run.step(0, vec![call("a", "ask_oddly", "{}")]).await);
    assert_eq!(
        report.output.text(),
        "The tool asked for an answer in a form that cannot be checked, and did not go on."
    );
    assert!(report.output.is_error && report.status == CallStatus::Finished { replayed: false }, "{report:?}");
    run.end().await.unwrap();
}

#[tokio::test]
async fn a_call_that_was_within_its_limits_goes_on_after_its_answer() {
    let runtime = builder([erase(Pick::new(Arc::default()))]).build().unwrap();
    let name = "x".repeat(2 * ArgumentLimits::DEFAULT_MAX_BYTES);
    let mut large: ToolCall = call("a", "pick", &json!({"name": name}).to_string());
    large.arguments = large.arguments.with_limits(ArgumentLimits::default().with_max_bytes(usize::MAX));
    let waiting = only(run(&runtime).await.step(0, vec![large]).await);
    let report = runtime.resume(&ticket(&waiting), json!(1)).await.unwrap();
    assert_eq!(report.status, CallStatus::Finished { replayed: false });
}

#[tokio::test]
async fn a_wait_that_nobody_answers_can_be_given_up() {
    let runtime = builder([erase(Pick::new(Arc::default()))]).build().unwrap();
    let run = run(&runtime).await;
    let waiting = only(run.step(0, vec![call("a", "pick", r#"{"name": "Ann"}"#)]).await);
    let given_up = Resolution::Abandoned("Nobody knows which.".to_owned());
    let report = runtime.resolve(&waiting.operation.ledger_id(), given_up).await.unwrap();
    assert_eq!(report.output.text(), "Nobody knows which.");
    let late = runtime.resume(&ticket(&waiting), json!(2)).await.unwrap_err();
    assert_eq!(late, ResumeError::Ledger(LedgerError::NotWaiting));
    run.end().await.unwrap();
}

#[test]
fn answers_are_in_no_debug_text() {
    let context = ToolContext::detached().with_answer(json!("4711"));
    assert_eq!(format!("{context:?}"), "ToolContext { operation: None, is_cancelled: false, .. }");
}
