//! A detector beside a runtime: fed with whole steps, and part of the run's state.

use super::{LoopDetector, LoopFinding, LoopIdentity};
use crate::call::ToolCall;
use crate::runtime::StepReport;
use crate::state::StateKey;

impl LoopDetector {
    /// Takes note of the calls of a step and of what its report says of them; answers with the last circle that they close.
    ///
    /// A call that has not come to its end (it waits, is in doubt, is executed elsewhere) is left out; it is seen when its step
    /// is executed again and has its result. So a step may be shown as often as it is executed: an operation counts once.
    ///
    /// ```
    /// use tool_core::{LoopDetector, StepReport};
    /// assert!(LoopDetector::default().observe_step([], &StepReport::default()).is_none());
    /// ```
    pub fn observe_step<'a>(
        &mut self,
        calls: impl IntoIterator<Item = &'a ToolCall>,
        report: &StepReport,
    ) -> Option<LoopFinding> {
        let settled = calls.into_iter().zip(&report.calls).filter(|(_, report)| report.status.is_settled());
        let mut finding = None;
        for (call, report) in settled {
            let operation = report.operation.operation_id().as_str();
            if self.recent.iter().any(|observed| observed.operation.as_deref() == Some(operation)) {
                continue;
            }
            let identity = LoopIdentity::of(call, report.identity.clone());
            finding = self.take_note(Some(operation.to_owned()), identity, &report.output).or(finding);
        }
        finding
    }
}

/// The detector as a part of a run's state, so that a restart forgets nothing.
///
/// ```
/// use tool_core::{LoopDetector, StateEntries, StateKey};
/// let mut entries = StateEntries::new();
/// LoopDetector::set(&LoopDetector::default())?.apply(&mut entries);
/// assert_eq!(LoopDetector::read(&entries)?, Some(LoopDetector::default()));
/// # Ok::<(), tool_core::StateError>(())
/// ```
impl StateKey for LoopDetector {
    const KEY: &'static str = "tool_core.loop_detector";
    type Value = Self;
}
