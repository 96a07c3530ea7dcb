//! A panic ends its own call and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "runtime")]
use std::pin::{Pin, pin};
#[cfg(feature = "runtime")]
use std::task::Poll;

use crate::error::ToolError;
use crate::output::ToolOutput;

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
