//! An idempotent tool hands its operation's token to the service it calls.
#![deny(warnings)]

use tool_core::testing::{self, ContextBuilder};
use tool_core::{Tool, ToolContext, ToolError, ToolRecoveryCapability, tool};

/// Charges a card.
#[tool(recovery = idempotent, destructive)]
async fn charge(cents: u64, #[context] cx: &ToolContext) -> Result<String, ToolError> {
    let token = cx.operation_token().ok_or_else(|| ToolError::unavailable("charged only inside a run"))?;
    Ok(format!("{cents} under {}", token.ledger_id()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    assert_eq!(Charge.recovery_capability(), ToolRecoveryCapability::Idempotent);
    let outside = testing::call(Charge, r#"{"cents":5}"#).await.unwrap_err();
    assert_eq!(outside, ToolError::unavailable("charged only inside a run"));
    let attempt = || ContextBuilder::new().operation(1, 0).scope(testing::call(Charge, r#"{"cents":5}"#));
    let (first, again) = (attempt().await.unwrap(), attempt().await.unwrap());
    assert_eq!(first.text(), again.text());
    let other = ContextBuilder::new().operation(1, 1).scope(testing::call(Charge, r#"{"cents":5}"#)).await.unwrap();
    assert_ne!(first.text(), other.text());
}
