//! A runtime behind the server: what a client is told of what waits, is denied, is in doubt or was cut off.

mod support;

use rmcp::service::ServiceExt;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::{Client, call, connected_to, in_time, request};
use tokio::sync::Notify;
use tool_core::{
    AllowAll, GateRequest, MemoryLedger, OperationFilter, OperationView, RawToolRegistry, Resolution, ThreadId,
    ToolContext, ToolError, ToolGate, ToolRuntime, ToolRuntimeBuilder, Verdict, WorkspaceId, async_trait, erase, tool,
};
use tool_mcp::ToolServer;

/// Counts the effects, and says how the next one ends.
#[derive(Default)]
struct Till {
    effects: AtomicUsize,
    is_cut_off: bool,
    entered: Notify,
    goes_on: Notify,
}

/// Pays money back.
#[tool]
async fn refund(#[state] till: &Till, cents: u64) -> Result<Paid, ToolError> {
    let number = till.effects.fetch_add(1, Ordering::SeqCst) + 1;
    if till.is_cut_off {
        return Err(ToolError::execution("the line to the bank broke"));
    }
    Ok(Paid { cents, number })
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Paid {
    cents: u64,
    number: usize,
}

/// Pays slowly. What it has begun it brings to its end, also where it is asked to stop.
#[tool(concurrency = parallel)]
async fn slow_refund(#[state] till: &Till, #[context] cx: &ToolContext, cents: u64) -> String {
    till.entered.notify_one();
    tokio::select! {
        () = till.goes_on.notified() => {}
        () = cx.cancelled() => {}
    }
    format!("{cents} paid, number {}", till.effects.fetch_add(1, Ordering::SeqCst) + 1)
}

/// Asks above 100, and denies above 1000.
struct ByAmount;

#[async_trait]
impl ToolGate for ByAmount {
    async fn judge(&self, request: &GateRequest<'_>) -> Verdict {
        match request.arguments.value()["cents"].as_u64() {
            Some(0..=100) => Verdict::Allow,
            Some(101..=1000) => Verdict::ask("That is much."),
            _ => Verdict::deny("Nobody pays so much back.", "raise the limit"),
        }
    }
}

fn builder(till: &Arc<Till>) -> ToolRuntimeBuilder {
    let tools = [erase(Refund::new(Arc::clone(till))), erase(SlowRefund::new(Arc::clone(till)))];
    ToolRuntime::builder(RawToolRegistry::try_new(tools).unwrap())
}

fn server(runtime: &ToolRuntime) -> ToolServer {
    ToolServer::over_runtime(runtime.clone(), WorkspaceId::new("w"), ThreadId::new("t"))
}

async fn client_of(runtime: &ToolRuntime) -> Client {
    ().serve(connected_to(server(runtime)).0).await.unwrap()
}

async fn told(client: &Client, name: &str, cents: u64) -> (String, bool) {
    let result = call(client, name, json!({"cents": cents})).await;
    let is_error = result.is_error == Some(true);
    assert_eq!(result.structured_content.is_some(), name == "refund" && !is_error);
    (result.content[0].as_text().unwrap().text.clone(), is_error)
}

async fn held(runtime: &ToolRuntime) -> Vec<OperationView> {
    runtime.operations(&OperationFilter::all()).await.unwrap()
}

#[tokio::test]
async fn a_call_is_executed_each_time_it_is_made_and_nothing_is_kept_of_it() {
    let runtime = builder(&Arc::default()).gate(AllowAll).build().unwrap();
    let client = client_of(&runtime).await;
    assert_eq!(told(&client, "refund", 5).await, (r#"{"cents":5,"number":1}"#.to_owned(), false));
    assert_eq!(told(&client, "refund", 5).await, (r#"{"cents":5,"number":2}"#.to_owned(), false));
    let wrong = call(&client, "refund", json!({"sents": 5})).await;
    assert!(wrong.content[0].as_text().unwrap().text.starts_with("Invalid arguments: "));
    assert_eq!(client.list_all_tools().await.unwrap().len(), 2);
    assert_eq!(held(&runtime).await, []);
}

#[tokio::test]
async fn a_call_that_waits_is_taken_up_by_the_same_call_and_a_denied_one_is_told_why() {
    let till = Arc::<Till>::default();
    let runtime = builder(&till).gate(ByAmount).build().unwrap();
    let client = client_of(&runtime).await;
    let waits = "The call waits for a person's approval: That is much. Nothing is done until then. Make the same call \
                 again to see.";
    for _ in 0..2 {
        assert_eq!(told(&client, "refund", 500).await, (waits.to_owned(), true));
    }
    let waiting = held(&runtime).await;
    assert_eq!((waiting.len(), till.effects.load(Ordering::SeqCst)), (1, 0));

    runtime.resume(waiting[0].ticket.as_ref().unwrap(), json!({"approve": true})).await.unwrap();
    assert_eq!(told(&client, "refund", 500).await, (r#"{"cents":500,"number":1}"#.to_owned(), false));
    // That was its answer; one more is a call of its own.
    assert_eq!(told(&client, "refund", 500).await, (waits.to_owned(), true));

    let denied = "Nothing was done: this call is not allowed. Nobody pays so much back.";
    assert_eq!(told(&client, "refund", 5000).await, (denied.to_owned(), true));
    assert_eq!(till.effects.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_in_doubt_is_not_executed_again_before_a_person_has_settled_it() {
    let till = Arc::new(Till { is_cut_off: true, ..Till::default() });
    let runtime = builder(&till).gate(AllowAll).build().unwrap();
    let client = client_of(&runtime).await;
    for _ in 0..2 {
        let (text, is_error) = told(&client, "refund", 5).await;
        assert!(is_error && text.contains("its outcome is unknown"), "{text}");
    }
    let doubt = runtime.in_doubt().await.unwrap();
    assert_eq!((doubt.len(), till.effects.load(Ordering::SeqCst)), (1, 1));

    let paid = tool_core::render_tool_output(&json!({"cents": 5, "number": 1})).unwrap();
    runtime.resolve(&doubt[0].ledger_id, Resolution::Happened(paid)).await.unwrap();
    assert_eq!(told(&client, "refund", 5).await, (r#"{"cents":5,"number":1}"#.to_owned(), false));
    assert_eq!((held(&runtime).await.len(), till.effects.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test]
async fn calls_alike_at_the_same_time_are_calls_of_their_own() {
    let till = Arc::<Till>::default();
    let runtime = builder(&till).gate(AllowAll).build().unwrap();
    let client = client_of(&runtime).await;
    let both = Box::pin(async {
        tokio::join!(told(&client, "slow_refund", 5), told(&client, "slow_refund", 5), async {
            till.entered.notified().await;
            while held(&runtime).await.len() < 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            till.goes_on.notify_one();
            tokio::task::yield_now().await;
            till.goes_on.notify_one();
        })
    });
    let (one, other, ()) = in_time(both).await;
    assert_eq!(till.effects.load(Ordering::SeqCst), 2);
    assert_ne!(one, other);
    assert_eq!(held(&runtime).await, []);
}

/// The connection goes while the tool is at work, which then comes to its end: the client never hears of it.
#[tokio::test]
async fn a_call_whose_connection_ended_answers_the_same_call_made_again() {
    let till = Arc::<Till>::default();
    let ledger = MemoryLedger::new();
    let runtime = builder(&till).gate(AllowAll).ledger(ledger.clone()).build().unwrap();
    let client = client_of(&runtime).await;
    let peer = client.peer().clone();
    let lost = tokio::spawn(async move { peer.call_tool(request("slow_refund", &json!({"cents": 5}))).await });
    in_time(till.entered.notified()).await;
    client.cancel().await.unwrap();
    assert!(lost.await.unwrap().is_err());
    let is_recorded = async {
        while held(&runtime).await.iter().all(|operation| operation.stage.as_str() != "completed") {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    in_time(is_recorded).await;

    let restarted = builder(&till).gate(AllowAll).ledger(ledger).build().unwrap();
    let client = client_of(&restarted).await;
    assert_eq!(told(&client, "slow_refund", 5).await, ("5 paid, number 1".to_owned(), false));
    assert_eq!((held(&restarted).await.len(), till.effects.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test]
async fn the_arguments_are_the_same_whatever_the_order_in_which_they_are_written() {
    /// Two arguments.
    #[tool]
    fn pair(one: u8, two: u8) -> u8 {
        one + two
    }
    let registry = RawToolRegistry::try_new([erase(Pair)]).unwrap();
    let runtime = ToolRuntime::builder(registry).build().unwrap();
    let client = client_of(&runtime).await;
    for text in [r#"{"one": 1, "two": 2}"#, r#"{"two": 2, "one": 1}"#] {
        call(&client, "pair", serde_json::from_str::<Value>(text).unwrap()).await;
    }
    assert_eq!(held(&runtime).await.len(), 1);
}
