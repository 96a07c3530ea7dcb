//! A panic ends its own call and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
#[cfg(feature = "runtime")]
use std::pin::pin;
use std::task::{Context, Poll};

use crate::error::ToolError;
use crate::output::ToolOutput;

/// What the operator reads of a tool that panicked. The panic's own message is the panic hook's to print: it may hold what
/// no model must see.
const PANICKED: &str = "the tool panicked";

/// Runs a tool's future; a panic in it is an [`Execution`](ToolError::Execution), since its effect may have happened. (Under
/// `panic = "abort"` it ends the process.)
///
/// Started when it is first polled, so that a panic before the first await is contained as well. A type of its own, since an
/// output that goes through an `async` block is moved once more.
pub(crate) struct Contained<F, S> {
    start: S,
    running: Option<F>,
}

impl<F, S: Fn() -> F> Contained<F, S> {
    pub(crate) fn new(start: S) -> Self {
        Self { start, running: None }
    }
}

impl<F, S> Future for Contained<F, S>
where
    F: Future<Output = Result<ToolOutput, ToolError>> + Unpin,
    S: Fn() -> F + Unpin,
{
    type Output = Result<ToolOutput, ToolError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { start, running } = &mut *self;
        caught_now(|| Pin::new(running.get_or_insert_with(start)).poll(context))
            .unwrap_or_else(|Panicked| Poll::Ready(panicked()))
    }
}

/// What a tool's future comes to that panicked.
fn panicked() -> Result<ToolOutput, ToolError> {
    Err(ToolError::execution(PANICKED))
}

/// [`panics`] of a future that is there already.
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
