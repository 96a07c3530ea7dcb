//! What the tests of the runtime share.

#![allow(dead_code)] // each test file uses a part of it

use serde_json::Value;
use std::sync::Arc;
use tool_core::{
    AllowAll, CallReport, CallStatus, RawTool, RawToolRegistry, Run, RunId, RunScope, StepReport, ThreadId, Ticket,
    ToolCall, ToolRuntime, ToolRuntimeBuilder, WorkspaceId,
};

/// A runtime over these tools that asks nobody.
pub(crate) fn builder(tools: impl IntoIterator<Item = Arc<dyn RawTool>>) -> ToolRuntimeBuilder {
    ToolRuntime::builder(RawToolRegistry::try_new(tools).unwrap()).gate(AllowAll)
}

pub(crate) fn scope(run: &str) -> RunScope {
    RunScope::new(WorkspaceId::new("acme"), ThreadId::new("t1"), RunId::new(run))
}

pub(crate) async fn run(runtime: &ToolRuntime) -> Run {
    runtime.run(scope("r1")).await.unwrap()
}

pub(crate) fn call(id: &str, tool: &str, arguments: &str) -> ToolCall {
    ToolCall::new(id, tool, arguments)
}

/// What each call told the model.
pub(crate) fn told(report: &StepReport) -> Vec<String> {
    report.calls.iter().map(|call| call.output.text().into_owned()).collect()
}

pub(crate) fn only(report: StepReport) -> CallReport {
    let [call] = <[CallReport; 1]>::try_from(report.calls).unwrap();
    call
}

/// The ticket of a call that waits.
#[track_caller]
pub(crate) fn ticket(report: &CallReport) -> Ticket {
    match &report.status {
        CallStatus::Waiting { ticket, .. } => ticket.clone(),
        other => panic!("it does not wait: {other:?}"),
    }
}

/// A person's answer to a wait for approval.
pub(crate) fn approved() -> Value {
    serde_json::json!({"approve": true})
}
