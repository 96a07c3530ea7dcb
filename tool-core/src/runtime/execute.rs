//! Execute: where the tool belongs, within its time, and so that its panic is its own.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::call::Call;
use super::event::{Progress, ToolEventKind};
use super::read;
use crate::call::{ToolArguments, ToolCall};
use crate::contain::{self, Execution, Panicked};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::ledger::{Lease, LedgerError, OperationLedger};
use crate::output::ToolOutput;
use crate::prepared::CallBody;
use crate::target::ToolExecutionTarget;

/// Executes one attempt. A call that does not end when it is asked to is abandoned: it is dropped where it stands, and its
/// outcome is unknown.
pub(super) async fn execute(call: &Call, lease: &Lease, prepared: Option<CallBody>) -> Outcome {
    let body = body(call, prepared)?;
    let progress = progress(call);
    let context = ToolContext::of_call(
        lease.operation.clone(),
        Arc::clone(call.step.cancellation()),
        call.step.run.entries(),
        lease.answer.clone(),
        progress.clone().map(|progress| progress as _),
    );
    let until = call.time();
    let mut outcome = None;
    let ended = {
        let mut running = pin!(context.clone().scope(Execution::new(body, &mut outcome)));
        match at_once(running.as_mut()).await {
            Poll::Ready(()) => Ok(()),
            Poll::Pending => wait_for(running, call, lease, &context, until).await,
        }
    };
    if let Some(progress) = progress {
        progress.end();
    }
    outcome.unwrap_or_else(|| {
        let why = ended.err().unwrap_or("it was given up");
        Err(ToolError::execution(format!("{why}, and not when it was asked to stop either")))
    })
}

type Outcome = Result<ToolOutput, ToolError>;

/// What a future comes to without waiting. Most do, so that what others are waited for with need not be made for them.
pub(super) async fn at_once<T>(mut future: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    poll_fn(|waker| Poll::Ready(future.as_mut().poll(waker))).await
}

/// Waits for an execution that is not at its end yet. Fails with the reason where it is abandoned.
async fn wait_for(
    mut running: Pin<&mut impl Future<Output = ()>>,
    call: &Call,
    lease: &Lease,
    context: &ToolContext,
    until: Option<Instant>,
) -> Result<(), &'static str> {
    let why = tokio::select! {
        biased;
        () = &mut running => return Ok(()),
        () = deadline(until) => "it did not end in its time",
        () = context.cancelled() => "it was cancelled",
        () = lost(&*call.inner().ledger, lease) => "its lease was lost",
    };
    if let Some(stop) = context.cancellation_token() {
        stop.cancel();
    }
    let stopping = pin!(timeout(call.inner().limits.grace, running));
    while_renewed(call, lease, stopping).await.map_err(|_| why)
}

/// What a future comes to that is waited for while the lease holds: whether it still does, the ledger says at the end.
pub(super) async fn while_renewed<T>(call: &Call, lease: &Lease, mut future: Pin<&mut impl Future<Output = T>>) -> T {
    if let Poll::Ready(value) = at_once(future.as_mut()).await {
        return value;
    }
    let renewal = async {
        lost(&*call.inner().ledger, lease).await;
        std::future::pending::<Infallible>().await
    };
    tokio::select! {
        biased;
        value = future => value,
        never = renewal => match never {},
    }
}

/// The execution itself: here, or in the sandbox.
fn body(call: &Call, prepared: Option<CallBody>) -> Result<CallBody, ToolError> {
    let own = match prepared {
        Some(body) => body,
        // It was read before, so that a panic here is the tool's own change of mind.
        None => match contain::caught_now(|| read::prepare(&call.planned.tool, call.request())) {
            Ok(prepared) => prepared?.body,
            Err(Panicked) => return Err(ToolError::unavailable("the tool panicked while its arguments were read")),
        },
    };
    match (call.planned.descriptor.execution_target(), &call.inner().sandbox) {
        (ToolExecutionTarget::Brain, _) => Ok(own),
        (ToolExecutionTarget::Sandbox, Some(sandbox)) => {
            // What was read, and gates have judged.
            let arguments = ToolArguments::from(Arc::clone(&call.intent.arguments));
            let (sandbox, request) = (Arc::clone(sandbox), ToolCall { arguments, ..call.request().clone() });
            Ok(Box::pin(async move { sandbox.invoke(&request).await }))
        }
        (ToolExecutionTarget::Sandbox, None) => Err(ToolError::unavailable("there is no sandbox")),
    }
}

fn progress(call: &Call) -> Option<Arc<Progress>> {
    let observers = &call.inner().observers;
    let kind = ToolEventKind::Progress { done: 0.0, total: None, message: None };
    (!observers.is_empty()).then(|| Arc::new(Progress::new(call.event(kind), Arc::clone(observers))))
}

async fn deadline(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Renews the lease for as long as it is polled; ends when the lease is lost.
async fn lost(ledger: &dyn OperationLedger, lease: &Lease) {
    let third = (lease.duration / 3).max(Duration::from_millis(1));
    loop {
        sleep(third).await;
        match ledger.renew(lease).await {
            Err(LedgerError::Fenced | LedgerError::NotFound) => return,
            // It is tried again in time, and if that fails too, the fence holds.
            Err(error) => tracing::warn!(%error, "a lease could not be renewed"),
            Ok(()) => {}
        }
    }
}
