//! What a running tool may know of its run.

use serde_json::Value;
use std::fmt;
use std::sync::Arc;
#[cfg(feature = "runtime")]
use std::sync::OnceLock;
#[cfg(feature = "cancellation")]
use tokio_util::sync::CancellationToken;

use crate::coordinates::{OperationId, RunId, ThreadId, WorkspaceId};
use crate::operation::{ToolOperationContext, ToolOperationToken};
use crate::state::{StateEntries, StateError, StateKey};

tokio::task_local! {
    static CURRENT: ToolContext;
}

/// What the runtime tells a running tool: its operation and whether it is to stop.
///
/// A tool takes it as `#[context] cx: &ToolContext`. Outside a run it is *detached*: no operation, never cancelled.
/// Cloning is a reference count, so a clone can be moved into spawned work, which the ambient scope does not follow.
#[derive(Clone, Default)]
pub struct ToolContext {
    // `None` is the detached context: making one costs nothing.
    inner: Option<Arc<Inner>>,
}

#[derive(Clone, Default)]
struct Inner {
    operation: Option<ToolOperationContext>,
    #[cfg(feature = "cancellation")]
    cancellation: Option<Cancellation>,
    state: Option<Arc<StateEntries>>,
    answer: Option<Arc<Value>>,
    progress: Option<Arc<dyn ProgressSink>>,
}

/// By what a call is asked to stop.
#[cfg(feature = "cancellation")]
enum Cancellation {
    Token(CancellationToken),
    /// A token of the call's own, made when it is first asked for: most calls end before anybody asks.
    #[cfg(feature = "runtime")]
    Within(Arc<CancellationToken>, OnceLock<CancellationToken>),
}

#[cfg(feature = "cancellation")]
impl Cancellation {
    fn token(&self) -> &CancellationToken {
        match self {
            Self::Token(token) => token,
            #[cfg(feature = "runtime")]
            Self::Within(step, own) => own.get_or_init(|| step.child_token()),
        }
    }

    fn is_cancelled(&self) -> bool {
        match self {
            #[cfg(feature = "runtime")]
            Self::Within(step, own) if own.get().is_none() => step.is_cancelled(),
            _ => self.token().is_cancelled(),
        }
    }
}

#[cfg(feature = "cancellation")]
impl Clone for Cancellation {
    /// Of the same token, made now if it was not: what stops the one stops the other.
    fn clone(&self) -> Self {
        Self::Token(self.token().clone())
    }
}

impl fmt::Debug for ToolContext {
    /// Without state and answer, which may hold what must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("operation", &self.operation())
            .field("is_cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

/// Where a running tool's progress goes. A runtime gives one to the [context](ToolContext::with_progress).
pub trait ProgressSink: Send + Sync + fmt::Debug {
    /// The tool has done `done` of `total` (where it knows how much there is), in whatever unit it counts.
    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>);
}

impl ToolContext {
    /// A context outside any run.
    pub const fn detached() -> Self {
        Self { inner: None }
    }

    /// The context of a call in a run, made at once. It may outlive the call, so that nothing of the run is in it that must
    /// end with the run.
    #[cfg(feature = "runtime")]
    pub(crate) fn of_call(
        operation: ToolOperationContext,
        step: Arc<CancellationToken>,
        state: Option<Arc<StateEntries>>,
        answer: Option<Value>,
        progress: Option<Arc<dyn ProgressSink>>,
    ) -> Self {
        let answer = answer.map(Arc::new);
        let cancellation = Some(Cancellation::Within(step, OnceLock::new()));
        Self { inner: Some(Arc::new(Inner { operation: Some(operation), cancellation, state, answer, progress })) }
    }

    /// The context of the running task; detached outside a runtime's scope.
    pub fn current() -> Self {
        CURRENT.try_with(Clone::clone).unwrap_or_default()
    }

    /// This context with another operation.
    #[must_use]
    pub fn with_operation(self, operation: ToolOperationContext) -> Self {
        self.with(|inner| inner.operation = Some(operation))
    }

    /// This context, stopped when `cancellation` is cancelled. Needs the feature `cancellation`.
    #[cfg(feature = "cancellation")]
    #[must_use]
    pub fn with_cancellation(self, cancellation: CancellationToken) -> Self {
        self.with(|inner| inner.cancellation = Some(Cancellation::Token(cancellation)))
    }

    /// This context with a run's committed state.
    #[must_use]
    pub fn with_state(self, state: Arc<StateEntries>) -> Self {
        self.with(|inner| inner.state = Some(state))
    }

    /// This context with the answer that the operation waited for.
    #[must_use]
    pub fn with_answer(self, answer: Value) -> Self {
        self.with(|inner| inner.answer = Some(Arc::new(answer)))
    }

    /// This context, reporting progress to `sink`.
    #[must_use]
    pub fn with_progress(self, sink: Arc<dyn ProgressSink>) -> Self {
        self.with(|inner| inner.progress = Some(sink))
    }

    fn with(self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = self.inner.unwrap_or_default();
        change(Arc::make_mut(&mut inner));
        Self { inner: Some(inner) }
    }

    /// Runs `future` with this context as the current one.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        CURRENT.scope(self, future).await
    }

    /// Runs `body` with this context as the current one, on this thread.
    pub fn sync_scope<T>(self, body: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self, body)
    }

    /// The operation that is running; `None` outside a run.
    pub fn operation(&self) -> Option<&ToolOperationContext> {
        self.inner.as_ref()?.operation.as_ref()
    }

    /// The token under which the running operation deduplicates, the same in every attempt at it.
    pub fn operation_token(&self) -> Option<ToolOperationToken> {
        self.operation()?.token()
    }

    /// The run; `None` outside one.
    pub fn run_id(&self) -> Option<&RunId> {
        self.operation().map(ToolOperationContext::run_id)
    }

    /// The conversation; `None` outside a run.
    pub fn thread_id(&self) -> Option<&ThreadId> {
        self.operation().map(ToolOperationContext::thread_id)
    }

    /// The workspace; `None` outside a run.
    pub fn workspace_id(&self) -> Option<&WorkspaceId> {
        self.operation().map(ToolOperationContext::workspace_id)
    }

    /// The operation's place in the run; `None` outside a run.
    pub fn operation_id(&self) -> Option<&OperationId> {
        self.operation().map(ToolOperationContext::operation_id)
    }

    /// The run's state as it was committed when the call began, by its typed key; `None` where there is no such entry.
    /// Read-only: a tool changes it by [`ToolOutput::with_state`](crate::ToolOutput::with_state).
    pub fn state<K: StateKey>(&self) -> Result<Option<K::Value>, StateError> {
        match self.inner.as_ref().and_then(|inner| inner.state.as_deref()) {
            Some(entries) => K::read(entries),
            None => Ok(None),
        }
    }

    /// The answer that the operation waited for, once it has come; `None` in a call that has not waited. It fits the schema
    /// that [`Outcome::Suspend`](crate::Outcome) gave.
    pub fn answer(&self) -> Option<&Value> {
        self.inner.as_ref()?.answer.as_deref()
    }

    /// Says how far the call is: `done` of `total`, where it is known how much there is. Only what goes forward is
    /// reported, and nothing after the call's end.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        if let Some(sink) = self.inner.as_ref().and_then(|inner| inner.progress.as_ref()) {
            sink.progress(done, total, message);
        }
    }

    /// Whether the tool has been asked to stop.
    pub fn is_cancelled(&self) -> bool {
        #[cfg(feature = "cancellation")]
        if let Some(cancellation) = self.inner.as_ref().and_then(|inner| inner.cancellation.as_ref()) {
            return cancellation.is_cancelled();
        }
        false
    }

    /// Waits until the tool is asked to stop; for ever in a context that nobody can cancel. Use it in
    /// `tokio::select!` beside the work.
    pub async fn cancelled(&self) {
        #[cfg(feature = "cancellation")]
        if let Some(token) = self.cancellation_token() {
            return token.cancelled().await;
        }
        std::future::pending::<()>().await;
    }

    /// The token behind [`cancelled`](Self::cancelled), for work that takes one; `None` where nobody can cancel. Needs the
    /// feature `cancellation`.
    #[cfg(feature = "cancellation")]
    pub fn cancellation_token(&self) -> Option<&CancellationToken> {
        Some(self.inner.as_ref()?.cancellation.as_ref()?.token())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Poll;

    #[tokio::test]
    async fn a_detached_context_knows_nothing_and_is_never_cancelled() {
        let context = ToolContext::current();
        assert!(context.operation().is_none() && context.run_id().is_none() && context.operation_token().is_none());
        assert!(!context.is_cancelled());
        let mut waiting = std::pin::pin!(context.cancelled());
        assert_eq!(std::future::poll_fn(|cx| Poll::Ready(waiting.as_mut().poll(cx))).await, Poll::Pending);
    }

    #[tokio::test]
    async fn cancellation_reaches_the_scope_and_survives_a_new_operation() {
        let token = CancellationToken::new();
        let operation = ToolOperationContext::new(
            WorkspaceId::new("w"),
            ThreadId::new("t"),
            RunId::new("r"),
            OperationId::at(0, 0),
        );
        let context = ToolContext::detached().with_cancellation(token.clone());
        context
            .scope(crate::scope_tool_operation(operation, async {
                let inside = ToolContext::current();
                assert_eq!(inside.run_id(), Some(&RunId::new("r")));
                assert!(!inside.is_cancelled());
                token.cancel();
                inside.cancelled().await;
                assert!(inside.is_cancelled());
            }))
            .await;
    }
}
