//! Running one call: the client's cancellation reaches the tool.

use serde_json::Value;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;
use tool_core::{RawToolRegistry, ToolCall, ToolContext, ToolError, ToolOutput};

use crate::runs::{Runs, Slot};

/// Who executes the calls.
#[derive(Clone, Debug)]
pub(crate) enum Tools {
    Registry(Arc<RawToolRegistry>),
    Runtime(Arc<Runs>),
}

/// Where one call is executed.
pub(crate) enum Place<'a> {
    Registry(&'a RawToolRegistry),
    Run(Slot<'a>),
}

impl Tools {
    /// The place of a call of this tool with these arguments.
    pub(crate) fn place(&self, tool: &str, arguments: &Value) -> Place<'_> {
        match self {
            Self::Registry(registry) => Place::Registry(registry),
            Self::Runtime(runs) => Place::Run(runs.slot(tool, arguments)),
        }
    }
}

/// Runs `call` to its end, with events for the operator. `cancelled` is the client's word that it wants no answer.
pub(crate) async fn run(
    place: &Place<'_>,
    call: &ToolCall,
    cancelled: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    if cancelled.is_cancelled() {
        return Err(ToolError::unavailable("the client cancelled the call before it began"));
    }
    tracing::debug!(tool = &*call.tool_id, call = &*call.call_id, "tool call started");
    let started = Instant::now();
    let outcome = match place {
        Place::Registry(registry) => run_cancellable(registry, call, cancelled).await,
        Place::Run(slot) => slot.execute(call, cancelled).await,
    };
    report(call, started, &outcome);
    outcome
}

/// The tool has a token of its own, since the SDK cancels the request's also once it has answered: work that a tool
/// leaves behind on purpose would be stopped by its own success.
async fn run_cancellable(
    registry: &RawToolRegistry,
    call: &ToolCall,
    cancelled: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let stop = CancellationToken::new();
    let context = ToolContext::detached().with_cancellation(stop.clone());
    let mut running = pin!(context.scope(registry.dispatch(call)));
    tokio::select! {
        biased;
        outcome = &mut running => return outcome,
        () = cancelled.cancelled() => stop.cancel(),
    }
    tracing::info!(tool = &*call.tool_id, call = &*call.call_id, "tool call cancelled; waiting for the tool to stop");
    running.await
}

/// Never what the model wrote or reads. The text of a call that broke down is written for the operator, who is the
/// only one to see it.
fn report(call: &ToolCall, started: Instant, outcome: &Result<ToolOutput, ToolError>) {
    let tool = &*call.tool_id;
    if let Err(error @ (ToolError::Execution(_) | ToolError::UnavailableBeforeDispatch(_))) = outcome {
        tracing::warn!(tool, call = &*call.call_id, %error, "tool call broke down");
    }
    let outcome = match outcome {
        Ok(output) if output.is_error => "failed",
        Ok(_) => "ok",
        Err(ToolError::Unknown { .. }) => "unknown",
        Err(ToolError::InvalidArguments(_)) => "invalid arguments",
        Err(ToolError::UnavailableBeforeDispatch(_)) => "unavailable",
        Err(_) => "in doubt",
    };
    let duration_ms = started.elapsed().as_secs_f64() * 1000.0;
    tracing::info!(tool, call = &*call.call_id, outcome, duration_ms, "tool call ended");
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_core::{RawTool, ToolArguments, async_trait};

    struct Unreachable;

    #[async_trait]
    impl RawTool for Unreachable {
        fn id(&self) -> &'static str {
            "unreachable"
        }

        async fn invoke(&self, _call: ToolCall) -> Result<ToolOutput, ToolError> {
            unreachable!("a call that was cancelled before it began was begun")
        }
    }

    #[tokio::test]
    async fn a_call_that_was_cancelled_before_it_began_is_not_begun() {
        let registry = RawToolRegistry::new([Arc::new(Unreachable) as Arc<dyn RawTool>]);
        let cancelled = CancellationToken::new();
        cancelled.cancel();
        let call = ToolCall::new("1", "unreachable", ToolArguments::none());
        let outcome = run(&Place::Registry(&registry), &call, &cancelled).await;
        assert_eq!(outcome, Err(ToolError::unavailable("the client cancelled the call before it began")));
    }
}
