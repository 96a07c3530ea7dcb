//! A detector beside a runtime: fed with whole steps, and part of the run's state.

use std::collections::HashSet;

use super::{LoopDetector, LoopFinding, LoopIdentity};
use crate::call::ToolCall;
use crate::runtime::{CallReport, CallStatus, StepReport};
use crate::state::StateKey;

/// So many operations are remembered as counted, besides those of a step that has more: some steps back, for a program that
/// shows a step late, and still a small part of a run's state.
const COUNTED: usize = 256;

impl LoopDetector {
    /// Takes note of the calls of a step and of what its report says of them; answers with the last circle that they close.
    ///
    /// A call that has not come to its end (it waits, is in doubt, is executed elsewhere) or was not run is left out; it is
    /// seen when its step is executed again and has its result. So a step may be shown as often as it is executed: an operation
    /// counts once.
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
        let mut known: HashSet<_> = self.counted.iter().cloned().collect();
        let mut shown = Vec::new();
        let mut finding = None;
        for (call, report) in calls.into_iter().zip(&report.calls).filter(|(_, report)| has_its_answer(report)) {
            let operation = report.operation.operation_id().as_str().to_owned();
            if known.insert(operation.clone()) {
                let identity = LoopIdentity::of(call, report.identity.clone());
                finding = self.observe(identity, &report.output).or(finding);
            }
            shown.push(operation);
        }
        self.count(shown);
        finding
    }

    /// Remembers the operations of a step as counted. All of them stay, however many they are: it is the newest step that is
    /// executed again. Of earlier ones the latest stay.
    fn count(&mut self, operations: Vec<String>) {
        let most = COUNTED.max(operations.len());
        let again: HashSet<_> = operations.iter().collect();
        self.counted.retain(|operation| !again.contains(operation));
        self.counted.extend(operations);
        let surplus = self.counted.len().saturating_sub(most);
        self.counted.drain(..surplus);
    }
}

/// Whether a call has the answer that it keeps. One that was not run may be run when its step is executed again.
fn has_its_answer(report: &CallReport) -> bool {
    report.status.is_settled() && !matches!(report.status, CallStatus::NotRun { .. })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_step_is_remembered_whole_and_of_earlier_ones_a_bounded_part() {
        let step = |step: u32, calls: usize| (0..calls).map(|call| format!("{step}/{call}")).collect::<Vec<_>>();
        let mut detector = LoopDetector::default();
        (0..10).for_each(|number| detector.count(step(number, 64)));
        let latest: Vec<_> = (6..10).flat_map(|number| step(number, 64)).collect();
        assert_eq!(detector.counted, latest);
        detector.count(step(10, 1000));
        assert_eq!(detector.counted, step(10, 1000));
        detector.count(step(11, 1));
        assert_eq!(detector.counted.len(), COUNTED);
        // A step that is shown again is the newest again.
        detector.count(step(10, 1000));
        detector.count(step(10, 1000));
        assert_eq!(detector.counted, step(10, 1000));
    }
}
