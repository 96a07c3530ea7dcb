//! A panic ends its own call and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

use crate::error::ToolError;
use crate::output::ToolOutput;

/// What the operator reads of a tool that panicked. The panic's own message is the panic hook's to print: it may hold what
/// no model must see.
const PANICKED: &str = "the tool panicked";

/// Runs a tool's future; a panic in it is an [`Execution`](ToolError::Execution), since its effect may have happened. (Under
/// `panic = "abort"` it ends the process.)
pub(crate) async fn panics<F>(start: impl Fn() -> F) -> Result<ToolOutput, ToolError>
where
    F: Future<Output = Result<ToolOutput, ToolError>> + Unpin,
{
    let mut running = None;
    std::future::poll_fn(|context| {
        // Started inside, so that a panic before the first await is contained as well. Nothing looks at what the tool left
        // half done: its future is not polled again.
        catch_unwind(AssertUnwindSafe(|| Pin::new(running.get_or_insert_with(&start)).poll(context)))
            .unwrap_or_else(|_panic| Poll::Ready(Err(ToolError::execution(PANICKED))))
    })
    .await
}
