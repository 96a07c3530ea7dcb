//! Whether a step of calls ends the run.

use std::collections::BTreeSet;

use crate::descriptor::ToolDescriptor;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::runtime::{CallReport, CallStatus};

/// The tools whose calls are votes to end the run (`counts_toward_termination_vote`).
///
/// ```
/// use serde_json::json;
/// use tool_core::{StepCall, TerminationVote, TerminationVoters, ToolBehaviour, ToolDescriptor};
///
/// let mut behaviour = ToolBehaviour::default();
/// behaviour.counts_toward_termination_vote = true;
/// let finish = ToolDescriptor::new("local", "finish", "Ends the run.", json!({"type": "object"}), None);
/// let voters = TerminationVoters::from_descriptors([finish.with_behaviour(behaviour)]);
///
/// let finished = StepCall::new("finish", true);
/// let read = StepCall::new("read_file", true);
/// assert_eq!(voters.vote([finished]), Some(TerminationVote::End));
/// assert_eq!(voters.vote([read, finished]), Some(TerminationVote::GoOn));
/// assert_eq!(voters.vote([]), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminationVoters {
    tools: BTreeSet<String>,
}

impl TerminationVoters {
    /// Those of these tools that vote.
    pub fn from_descriptors(descriptors: impl IntoIterator<Item: AsRef<ToolDescriptor>>) -> Self {
        let votes = |descriptor: &ToolDescriptor| {
            descriptor.behaviour().counts_toward_termination_vote.then(|| descriptor.id().to_owned())
        };
        Self { tools: descriptors.into_iter().filter_map(|descriptor| votes(descriptor.as_ref())).collect() }
    }

    /// Whether a call of this tool is a vote.
    pub fn votes(&self, tool_id: &str) -> bool {
        self.tools.contains(tool_id)
    }

    /// What the calls of one step come to, all of them.
    ///
    /// The run ends only where nothing is left that the model has to see: every call of the step is a vote, and every one
    /// came to its end in success. A result of any other tool is still to be read; a vote that failed, was refused, waits or
    /// is in doubt is one of those as well. A step without calls says nothing, since what a model's plain answer means is not
    /// the tools' to decide. Of a [`StepReport`](crate::StepReport) it is `voters.vote(report.calls.iter().map(Into::into))`.
    pub fn vote<'a>(&self, step: impl IntoIterator<Item = StepCall<'a>>) -> Option<TerminationVote> {
        let mut step = step.into_iter().peekable();
        step.peek()?;
        let ends = step.all(|call| call.succeeded && self.votes(call.tool_id));
        Some(if ends { TerminationVote::End } else { TerminationVote::GoOn })
    }
}

/// What a step says of the run's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TerminationVote {
    /// The run may end.
    End,
    /// The model goes on with the results.
    GoOn,
}

/// One call of a step, and whether it succeeded.
///
/// ```
/// use tool_core::{StepCall, ToolError, ToolOutput};
/// assert!(StepCall::of("finish", &Ok(ToolOutput::ok("Done."))).succeeded);
/// assert!(!StepCall::of("finish", &Ok(ToolOutput::error("no"))).succeeded);
/// assert!(!StepCall::of("finish", &Err(ToolError::execution("?"))).succeeded);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCall<'a> {
    /// Which tool.
    pub tool_id: &'a str,
    /// Whether it was executed, came to its end, and did not fail: no refusal, no error result, no wait, no doubt.
    pub succeeded: bool,
}

impl<'a> StepCall<'a> {
    /// A call of `tool_id`.
    pub const fn new(tool_id: &'a str, succeeded: bool) -> Self {
        Self { tool_id, succeeded }
    }

    /// A call of `tool_id`, by what an executor answered.
    pub fn of(tool_id: &'a str, answer: &Result<ToolOutput, ToolError>) -> Self {
        let succeeded = answer.as_ref().is_ok_and(|output| !output.is_error && output.suspension.is_none());
        Self::new(tool_id, succeeded)
    }
}

impl<'a> From<&'a CallReport> for StepCall<'a> {
    /// A call by what a runtime reports of it.
    fn from(report: &'a CallReport) -> Self {
        let finished = matches!(report.status, CallStatus::Finished { .. });
        Self::new(&report.tool_id, finished && !report.output.is_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Suspension;
    use std::time::SystemTime;

    fn vote(step: &[(&str, bool)]) -> Option<TerminationVote> {
        let voters = TerminationVoters { tools: BTreeSet::from(["finish".to_owned(), "hand_over".to_owned()]) };
        voters.vote(step.iter().map(|(tool, succeeded)| StepCall::new(tool, *succeeded)))
    }

    #[test]
    fn a_step_of_successful_votes_alone_ends_the_run() {
        assert_eq!(vote(&[("finish", true)]), Some(TerminationVote::End));
        assert_eq!(vote(&[("finish", true), ("hand_over", true)]), Some(TerminationVote::End));
    }

    #[test]
    fn whatever_the_model_has_yet_to_see_keeps_the_run_going() {
        for step in [
            &[("read", true)][..],
            &[("finish", false)],
            &[("finish", true), ("read", true)],
            &[("read", false), ("finish", true)],
            &[("finish", true), ("finish", false)],
        ] {
            assert_eq!(vote(step), Some(TerminationVote::GoOn), "{step:?}");
        }
    }

    #[test]
    fn a_step_without_calls_says_nothing() {
        assert_eq!(vote(&[]), None);
    }

    #[test]
    fn a_wait_is_no_success() {
        let waits = ToolOutput::ok("waits").suspended(Suspension::Until(SystemTime::UNIX_EPOCH));
        assert!(!StepCall::of("finish", &Ok(waits)).succeeded);
    }
}
