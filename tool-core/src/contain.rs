//! A panic ends its own call and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "runtime")]
use std::pin::{Pin, pin};
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

/// A tool's future, with a panic in it as an error.
#[cfg(feature = "runtime")]
pub(crate) async fn panics_of(
    running: impl Future<Output = Result<ToolOutput, ToolError>>,
) -> Result<ToolOutput, ToolError> {
    caught(pin!(running)).await.unwrap_or_else(|Panicked| panicked())
}

/// The execution of a call, whose end by being dropped is contained too: what it holds may panic then.
#[cfg(feature = "runtime")]
pub(crate) struct QuietlyDropped(Option<CallBody>);

#[cfg(feature = "runtime")]
impl QuietlyDropped {
    pub(crate) fn new(body: CallBody) -> Self {
        Self(Some(body))
    }
}

#[cfg(feature = "runtime")]
impl Future for QuietlyDropped {
    type Output = Result<ToolOutput, ToolError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Some(body) => body.as_mut().poll(context),
            None => Poll::Pending, // it is being dropped
        }
    }
}

#[cfg(feature = "runtime")]
impl Drop for QuietlyDropped {
    fn drop(&mut self) {
        let body = self.0.take();
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
