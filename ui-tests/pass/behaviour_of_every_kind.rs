//! Each key becomes a method of `Tool`, and its value arrives in `RawTool` and in the descriptor.
#![deny(warnings)]

use serde_json::{Value, json};
use std::time::Duration;
use tool_core::*;

fn rename(mut arguments: Value) -> Result<Value, ToolError> {
    if let Some(old) = arguments.as_object_mut().and_then(|object| object.remove("order")) {
        arguments["order_id"] = old;
    }
    Ok(arguments)
}

const CHARS: usize = 1_000;

/// Cancels an order.
#[tool(
    destructive,
    recovery = idempotent,
    open_world = false,
    private_data,
    untrusted_input = false,
    egress = blind,
    target = sandbox,
    exclusive_sandbox,
    concurrency = resources(write("order", order_id), read("user", format!("{user}-{attempt}"))),
    timeout = "250ms",
    max_result_chars = CHARS,
    idempotency_key = format!("{order_id}/{attempt}"),
    aborts_siblings_on_error,
    counts_toward_call_limit = false,
    counts_toward_termination_vote,
    history(deduplicate_by = (order_id, user), compact, pin),
    identity(operation = "cancel", target = order_id, key = attempt),
    prepare = rename,
    strict
)]
fn cancel(order_id: &str, #[arg(rename = "userId")] user: String, #[arg(default = 1)] attempt: u32) -> String {
    format!("{order_id} {user} {attempt}")
}

/// Says nothing of itself.
#[tool]
fn silent(_unused: Option<u32>) {}

/// Reads the token where nobody sees it.
#[tool(recovery = idempotent(ambient))]
fn ambient() -> bool {
    current_tool_operation_token().is_some()
}

/// Reads.
#[tool(concurrency = parallel, egress = none)]
fn look(#[args] place: Place) -> u32 {
    place.x
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    x: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let tool = erase(Cancel);
    let behaviour = tool.behaviour();
    assert_eq!(Some(behaviour.clone()), tool.descriptor().map(|descriptor| descriptor.behaviour().clone()));
    assert_eq!((behaviour.private_data, behaviour.untrusted_input), (Some(true), Some(false)));
    assert_eq!((behaviour.egress, behaviour.concurrency), (Some(Egress::Blind), ConcurrencyClass::Resources));
    assert_eq!((behaviour.timeout, behaviour.max_result_chars), (Some(Duration::from_millis(250)), Some(1_000)));
    assert!(behaviour.exclusive_sandbox && behaviour.aborts_siblings_on_error && !behaviour.blocking);
    assert!(!behaviour.counts_toward_call_limit && behaviour.counts_toward_termination_vote);
    assert_eq!(behaviour.argument_mode, ArgumentMode::Strict);
    assert_eq!(behaviour.history.deduplicate_by, ["order_id", "userId"]);
    assert!(behaviour.history.compact && behaviour.history.pin);

    let call = ToolCall::new("c", "cancel", json!({"order": "#7", "userId": "ada"}));
    assert_eq!(tool.idempotency_key(&call).unwrap(), Some("#7/1".to_owned()));
    let claims = vec![ResourceClaim::write("order", "#7"), ResourceClaim::read("user", "ada-1")];
    assert_eq!(tool.concurrency(&call).unwrap(), Concurrency::Resources(claims));
    let identity =
        CallIdentity { operation: "cancel".into(), target: Some("#7".into()), arguments_key: Some("1".into()) };
    assert_eq!(tool.identity(&call).unwrap(), Some(identity));
    assert_eq!(tool.invoke(call).await.unwrap().text(), "#7 ada 1");
    let invalid = ToolCall::new("c", "cancel", "{}");
    assert!(matches!(tool.idempotency_key(&invalid), Err(ToolError::InvalidArguments(_))));

    assert_eq!(erase(Silent).behaviour(), ToolBehaviour::default());
    assert_eq!(erase(Silent).concurrency(&ToolCall::new("c", "silent", "")).unwrap(), Concurrency::Serial);
    assert_eq!(erase(Ambient).recovery_capability(), ToolRecoveryCapability::Idempotent);
    assert_eq!(erase(Look).concurrency(&ToolCall::new("c", "look", "")).unwrap(), Concurrency::Parallel);
}
