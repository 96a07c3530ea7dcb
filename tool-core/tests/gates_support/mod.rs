//! Calls to judge.
#![allow(dead_code)] // each test binary takes what it needs

use serde_json::{Value, json};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tool_core::{
    GateArguments, GateRequest, OperationId, RunId, ThreadId, ToolAnnotations, ToolCall, ToolDescriptor, ToolGate,
    ToolOperationContext, Touched, Verdict, WorkspaceId,
};

/// What `gate` says of this call.
pub(crate) fn judge(
    gate: &dyn ToolGate,
    id: &str,
    tool: Option<&ToolDescriptor>,
    touched: Touched,
    text: &str,
) -> Verdict {
    let call = ToolCall::new("call_1", id, text);
    let arguments = GateArguments::new(text);
    let operation =
        ToolOperationContext::new(WorkspaceId::new("w"), ThreadId::new("t"), RunId::new("r"), OperationId::at(0, 0));
    let request = GateRequest::new(&call, &arguments, &operation).with_touched(touched);
    let request = tool.map_or(request, |tool| request.with_descriptor(tool));
    // The provided gates wait for nothing.
    match pin!(gate.judge(&request)).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(verdict) => verdict,
        Poll::Pending => panic!("a provided gate waits"),
    }
}

/// A tool that takes anything.
pub(crate) fn tool(id: &str) -> ToolDescriptor {
    ToolDescriptor::new("test", id, "A tool.", json!({"type": "object"}), None)
}

pub(crate) fn read_only(id: &str) -> ToolDescriptor {
    tool(id).with_annotations(ToolAnnotations::new().with_read_only(true))
}

/// What `gate` says of a call of a tool that takes anything.
pub(crate) fn judge_call(gate: &dyn ToolGate, id: &str, arguments: &Value) -> Verdict {
    judge(gate, id, Some(&tool(id)), Touched::default(), &arguments.to_string())
}

/// `allow`, `ask` or `deny`.
pub(crate) fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask { .. } => "ask",
        Verdict::Deny { .. } => "deny",
        other => panic!("{other:?}"),
    }
}
