//! The part of a host program that matters here: a model's call goes through a runtime, and what the model is told comes
//! out.

use std::sync::Arc;

use anyhow::Context;
use tool_core::{
    AllowAll, CallReport, Run, RunId, RunScope, ThreadId, ToolCall, ToolRuntime, ToolRuntimeBuilder, WorkspaceId,
};

use crate::approval::AskAbove;
use crate::store::Store;
use crate::tools;

/// A runtime over the shop's tools. A person is asked before more than `ask_above` dollars are paid back; without it,
/// before nothing.
pub(crate) fn runtime(store: &Arc<Store>, ask_above: Option<f64>) -> ToolRuntimeBuilder {
    let builder = ToolRuntime::builder(tools::registry(store));
    match ask_above {
        Some(dollars) => builder.gate(AskAbove::new(Arc::clone(store), dollars)),
        // Has to be said: a runtime without any gate asks before every call that is not read-only.
        None => builder.gate(AllowAll),
    }
}

/// Where a run belongs: which shop, which conversation, and which run in it. This is the host's to say, and never the
/// model's.
pub(crate) fn scope(conversation: &str, run: impl Into<Arc<str>>) -> RunScope {
    RunScope::new(WorkspaceId::new("retail"), ThreadId::new(conversation), RunId::new(run))
}

/// Makes one call, as the whole of the run's `step`. `arguments` is the raw text as it comes from a model provider, right or
/// wrong.
pub(crate) async fn ask(run: &Run, step: u64, tool: &str, arguments: &str) -> anyhow::Result<CallReport> {
    let call = ToolCall::new("call_1", tool, arguments);
    run.step(step, vec![call]).await.calls.pop().context("a step reports on each of its calls")
}
