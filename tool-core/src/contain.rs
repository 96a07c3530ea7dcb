//! A panic ends its own call and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "runtime")]
use std::pin::Pin;
#[cfg(feature = "runtime")]
use std::task::{Context, Poll};

use crate::error::ToolError;
use crate::output::ToolOutput;
#[cfg(feature = "runtime")]
use crate::prepared::CallBody;

/// What the operator reads of a tool that panicked. The panic's own message is the panic hook's to print: it may hold what
/// no model must see.
const PANICKED: &str = "the tool panicked";

/// What a tool comes to that panicked: an [`Execution`](ToolError::Execution), since its effect may have happened. (Under
/// `panic = "abort"` it ends the process.)
pub(crate) fn panicked() -> Result<ToolOutput, ToolError> {
    Err(ToolError::execution(PANICKED))
}

/// The execution of a call. A panic in it is its own, also one in being dropped, since what it holds may panic then. What it
/// comes to is written where it stays, and not handed from future to future.
#[cfg(feature = "runtime")]
pub(crate) struct Execution<'o> {
    body: Option<CallBody>,
    outcome: &'o mut Option<Result<ToolOutput, ToolError>>,
}

#[cfg(feature = "runtime")]
impl<'o> Execution<'o> {
    pub(crate) fn new(body: CallBody, outcome: &'o mut Option<Result<ToolOutput, ToolError>>) -> Self {
        Self { body: Some(body), outcome }
    }
}

#[cfg(feature = "runtime")]
impl Future for Execution<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Self { body, outcome } = &mut *self;
        let Some(body) = body else { return Poll::Pending }; // it is being dropped
        let polled = caught_now(|| body.as_mut().poll(context).map(|ended| **outcome = Some(ended)));
        polled.unwrap_or_else(|Panicked| {
            **outcome = Some(panicked());
            Poll::Ready(())
        })
    }
}

#[cfg(feature = "runtime")]
impl Drop for Execution<'_> {
    fn drop(&mut self) {
        let body = self.body.take();
        if caught_now(|| drop(body)).is_err() {
            tracing::warn!("a tool panicked when its call was given up");
        }
    }
}

/// A future panicked. Its message is the panic hook's.
pub(crate) struct Panicked;

/// Runs a future to its end, or to its panic. It stays where it is pinned: the futures of a call are large.
#[cfg(feature = "runtime")]
pub(crate) async fn caught<T>(mut running: Pin<&mut impl Future<Output = T>>) -> Result<T, Panicked> {
    std::future::poll_fn(|context| match caught_now(|| running.as_mut().poll(context)) {
        Ok(poll) => poll.map(Ok),
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
    .await
}

/// Runs `body`. Nothing looks at what a panic in it left half done.
pub(crate) fn caught_now<T>(body: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|_panic| Panicked)
}
