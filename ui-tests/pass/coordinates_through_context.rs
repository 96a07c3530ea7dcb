//! A tool reads the coordinates that it may not take as arguments from its context.

use tool_core::*;

/// Tells where it runs.
#[tool(read_only)]
async fn whereabouts(#[context] cx: &ToolContext) -> Result<String, String> {
    let operation = cx.operation().ok_or("outside a run")?;
    assert_eq!(current_tool_operation_context().as_ref(), Some(operation));
    assert_eq!(current_tool_operation_token(), cx.operation_token());
    Ok(format!("{}/{}/{}/{}", operation.workspace_id(), operation.thread_id(), operation.run_id(), operation.operation_id()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = RawToolRegistry::new([erase(Whereabouts)]);
    let call = ToolCall::new("c", "whereabouts", "{}");
    let operation =
        ToolOperationContext::new(WorkspaceId::new("w"), ThreadId::new("t"), RunId::new("r"), OperationId::at(1, 2));
    let inside = scope_tool_operation(operation, registry.dispatch(&call)).await.unwrap();
    assert_eq!(inside.text(), "w/t/r/step-1/call-2");
    let outside = registry.dispatch(&call).await.unwrap();
    assert!(outside.is_error);
    assert_eq!(outside.text(), "outside a run");
}
