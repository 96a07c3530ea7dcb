//! What happens in a run, for whoever shows it.

use std::fmt;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use tokio::sync::mpsc;

use super::report::CallStatus;
use crate::call::ToolCall;
use crate::contain;
use crate::context::ProgressSink;
use crate::operation::ToolOperationContext;

/// One thing that happened to a call. Neither arguments nor results are in it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolEvent {
    /// Which operation.
    pub operation: ToolOperationContext,
    /// The model's id of the call.
    pub call_id: Arc<str>,
    /// Which tool.
    pub tool_id: Arc<str>,
    /// What happened.
    pub kind: ToolEventKind,
}

impl ToolEvent {
    pub(super) fn of(call: &ToolCall, operation: &ToolOperationContext, kind: ToolEventKind) -> Self {
        let (call_id, tool_id) = (Arc::clone(&call.call_id), Arc::clone(&call.tool_id));
        Self { operation: operation.clone(), call_id, tool_id, kind }
    }
}

/// What happened to a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolEventKind {
    /// It is executed.
    Started {
        /// Which attempt this is, from 1.
        attempt: u32,
    },
    /// It has done so much.
    Progress {
        /// How much is done, in the tool's own unit; more with every event of a call.
        done: f64,
        /// Of how much, where that is known.
        total: Option<f64>,
        /// What it does.
        message: Option<String>,
    },
    /// It has come to this: the last event of each call of a step, also of one that was refused.
    Ended {
        /// To what.
        status: CallStatus,
        /// Whether the model is told of a failure.
        is_error: bool,
    },
}

/// Tells all of a runtime's observers of an event, which is not even made where there is none.
pub(super) fn tell(observers: &[Arc<dyn ToolObserver>], event: impl FnOnce() -> ToolEvent) {
    if observers.is_empty() {
        return;
    }
    let event = event();
    for observer in observers {
        // What somebody looks on with must not cost a call its result.
        if contain::caught_now(|| observer.observe(&event)).is_err() {
            tracing::error!("an observer panicked");
        }
    }
}

/// Is told of all that happens, in order for each call. It must not block.
pub trait ToolObserver: Send + Sync {
    /// Something happened.
    fn observe(&self, event: &ToolEvent);
}

/// The events of a runtime as a stream: [`channel`](Self::channel) makes an observer and its receiving end.
pub struct ToolEvents(mpsc::UnboundedReceiver<ToolEvent>);

impl ToolEvents {
    /// An observer, and the stream of what it observes. Nothing is dropped: whoever takes the stream reads it.
    pub fn channel() -> (Arc<dyn ToolObserver>, Self) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Arc::new(Sender(sender)), Self(receiver))
    }

    /// The next event; `None` once the runtime is gone.
    pub async fn next(&mut self) -> Option<ToolEvent> {
        self.0.recv().await
    }

    /// The next event, if there is one already.
    pub fn try_next(&mut self) -> Option<ToolEvent> {
        self.0.try_recv().ok()
    }
}

impl fmt::Debug for ToolEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ToolEvents")
    }
}

struct Sender(mpsc::UnboundedSender<ToolEvent>);

impl ToolObserver for Sender {
    fn observe(&self, event: &ToolEvent) {
        let _ = self.0.send(event.clone()); // nobody listens any more
    }
}

/// Tells observers of a call's progress, as long as it runs.
pub(super) struct Progress {
    event: ToolEvent,
    observers: Arc<[Arc<dyn ToolObserver>]>,
    /// How much is done; `None` once the call has ended. Locked while observers are told, so that they see it in order.
    done: Mutex<Option<f64>>,
}

impl Progress {
    pub(super) fn new(event: ToolEvent, observers: Arc<[Arc<dyn ToolObserver>]>) -> Self {
        Self { event, observers, done: Mutex::new(Some(f64::NEG_INFINITY)) }
    }

    /// Nothing is reported from here on.
    pub(super) fn end(&self) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl ProgressSink for Progress {
    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let mut reported = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        // A number that is none is not more than anything.
        if reported.is_some_and(|reported| done > reported) {
            *reported = Some(done);
            let kind = ToolEventKind::Progress { done, total, message: message.map(str::to_owned) };
            tell(&self.observers, || ToolEvent { kind, ..self.event.clone() });
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}
