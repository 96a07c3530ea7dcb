//! Cases from the field of what happens while a tool runs, as far as a registry alone deals with them.

use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_core::{RawToolRegistry, ToolCall, ToolError, ToolOutput, erase, tool};

/// Fails at once.
#[tool]
fn panics() -> String {
    panic!("hunter2")
}

/// Fails later.
#[tool]
async fn panics_later() -> String {
    tokio::task::yield_now().await;
    panic!("hunter2")
}

/// Fails elsewhere.
#[tool]
async fn panics_in_a_task() -> Result<String, tokio::task::JoinError> {
    tokio::spawn(async { panic!("hunter2") }).await
}

/// Fails on the pool.
#[tool(blocking)]
fn panics_on_the_pool() -> String {
    panic!("hunter2")
}

/// Answers.
#[tool]
fn echo(text: &str) -> String {
    text.to_owned()
}

#[tokio::test]
async fn r2_a_panic_is_an_error_without_its_message_and_the_next_call_works() {
    let registry = RawToolRegistry::new([
        erase(Panics),
        erase(PanicsLater),
        erase(PanicsInATask),
        erase(PanicsOnThePool),
        erase(Echo),
    ]);
    for id in ["panics", "panics_later", "panics_in_a_task", "panics_on_the_pool"] {
        let error = registry.dispatch(&ToolCall::new("c", id, "{}")).await.unwrap_err();
        assert!(matches!(error, ToolError::Execution(_)), "{id}: {error}");
        let told = ToolOutput::for_error(&error);
        assert!(told.is_error && told.text().contains("its outcome is unknown"), "{id}: {}", told.text());
        assert!(!error.to_string().contains("hunter2"), "{id}: {error}");
        let next = registry.dispatch(&ToolCall::new("c", "echo", json!({"text": "alive"}))).await.unwrap();
        assert_eq!(next.text(), "alive");
    }
}

type Log = Mutex<Vec<&'static str>>;

/// Blocks its thread.
#[tool(blocking)]
fn slow(#[state] log: &Log, #[state] gate: &Mutex<()>) {
    drop(gate.lock());
    log.lock().unwrap().push("slow");
}

/// Does not.
#[tool]
async fn quick(#[state] log: &Log) {
    log.lock().unwrap().push("quick");
}

#[tokio::test(flavor = "current_thread")]
#[allow(clippy::await_holding_lock)] // held until the quick tool has run: that is the test
async fn r4_a_blocking_tool_does_not_hold_up_a_quick_one() {
    let log: Arc<Log> = Arc::default();
    let gate: Arc<Mutex<()>> = Arc::default();
    let registry = RawToolRegistry::new([
        erase(Slow::new(Arc::clone(&log), Arc::clone(&gate))),
        erase(Quick::new(Arc::clone(&log))),
    ]);
    let closed = gate.lock().unwrap();
    let (slow, quick) = (ToolCall::new("c1", "slow", "{}"), ToolCall::new("c2", "quick", "{}"));
    let mut slow = std::pin::pin!(registry.dispatch(&slow));
    // The slow one has begun, and waits for the gate on its own thread.
    assert!(tokio::time::timeout(Duration::from_millis(20), &mut slow).await.is_err());
    registry.dispatch(&quick).await.unwrap();
    drop(closed);
    slow.await.unwrap();
    assert_eq!(*log.lock().unwrap(), ["quick", "slow"]);
}

#[tokio::test]
async fn r5_two_tools_of_one_name_are_both_reported_and_neither_can_be_called() {
    mod other {
        /// Answers too.
        #[tool_core::tool(id = "echo")]
        pub(super) fn echo_again() {}
    }
    let tools = || [erase(Echo), erase(other::EchoAgain)];
    let problems = RawToolRegistry::try_new(tools()).unwrap_err();
    assert_eq!(problems.to_string(), "tool id \"echo\" was registered more than once; give each tool an id of its own");
    let error = RawToolRegistry::new(tools()).dispatch(&ToolCall::new("c", "echo", "{}")).await.unwrap_err();
    assert!(matches!(error, ToolError::Unknown { .. }), "{error}");
}

#[tokio::test]
async fn r6_the_same_call_id_twice_is_two_calls() {
    let registry = RawToolRegistry::new([erase(Echo)]);
    for text in ["one", "two"] {
        let output = registry.dispatch(&ToolCall::new("call_0", "echo", json!({"text": text}))).await.unwrap();
        assert_eq!((output.call_id.as_str(), output.text().as_ref()), ("call_0", text));
    }
}
