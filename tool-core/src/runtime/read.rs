//! Resolve and parse: from a model's call to one that can be made.

use std::sync::Arc;

use super::call::Call;
use super::event::{self, ToolEvent};
use super::record;
use super::report::{CallReport, CallStatus, Ending};
use super::run::RunState;
use super::step::Step;
use crate::call::ToolCall;
use crate::contain;
use crate::error::ToolError;
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;
use crate::prepared::{CallBody, PreparedCall};
use crate::raw::RawTool;

/// A call that cannot be made.
pub(super) struct Refused {
    pub(super) request: ToolCall,
    pub(super) operation: ToolOperationContext,
    pub(super) error: ToolError,
}

impl Refused {
    /// What is told of it: that it is refused, or what it came to while it could be made.
    pub(super) async fn report(self, run: &RunState) -> CallReport {
        let inner = &run.runtime.inner;
        let ending = record::before_refusal(inner, &self).await.unwrap_or_else(|| {
            let status = CallStatus::Refused { why: self.error.to_string().into() };
            Ending::of(ToolOutput::for_error(&self.error), status)
        });
        event::tell(&inner.observers, || ToolEvent::of(&self.request, &self.operation, ending.event()));
        CallReport::new(self.request, self.operation, None, ending)
    }
}

/// The call, ready to be judged; or what stands against it. Nothing is recorded of the latter.
pub(super) fn read(
    step: Step,
    operation: ToolOperationContext,
    request: ToolCall,
    counted: &mut usize,
) -> Result<(Box<Call>, CallBody), Box<Refused>> {
    let inner = &step.run.runtime.inner;
    let request = inner.registry.as_read_here(request);
    let Some(planned) = inner.tools.get(&request.tool_id).map(Arc::clone) else {
        let error = ToolError::unknown(&*request.tool_id, "the run's snapshot has no such tool");
        return Err(Box::new(Refused { request, operation, error }));
    };
    let counts = planned.descriptor.behaviour().counts_toward_call_limit;
    *counted += usize::from(counts);
    let most = inner.limits.calls_per_step;
    let beyond_limit = (counts && *counted > most).then_some(most);
    // Written where it stays: it is large.
    let mut prepared = None;
    let _panicked = contain::caught_now(|| prepared = Some(prepare(&planned.tool, &request)));
    let panicked = || Err(ToolError::unavailable("the tool panicked while its arguments were read"));
    let prepared = match prepared.unwrap_or_else(panicked) {
        Ok(prepared) => prepared,
        Err(error) => return Err(Box::new(Refused { request, operation, error })),
    };
    for repair in &prepared.repairs {
        tracing::debug!(tool = &*request.tool_id, call = &*request.call_id, path = repair.path, rule = %repair.rule, "argument repaired");
    }
    Ok(Call::new(step, planned, operation, request, prepared, beyond_limit))
}

/// Reads the arguments, also for a tool that does so only when it is invoked.
pub(super) fn prepare(tool: &Arc<dyn RawTool>, request: &ToolCall) -> Result<PreparedCall, ToolError> {
    if let Some(prepared) = Arc::clone(tool).prepare_call(request) {
        return prepared;
    }
    // The least that any tool asks: one JSON object.
    crate::parse_tool_args::<serde_json::Map<String, serde_json::Value>>(&request.arguments)?;
    let invoked = (Arc::clone(tool), request.clone());
    let body = Box::pin(async move { invoked.0.invoke(invoked.1).await });
    Ok(PreparedCall {
        concurrency: tool.concurrency(request)?,
        idempotency_key: tool.idempotency_key(request)?,
        identity: tool.identity(request)?,
        ..PreparedCall::new(request.arguments.as_json(), body)
    })
}
