//! Telling that a model goes round in circles.

mod finding;
mod identity;
mod step;

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt;

pub use finding::LoopFinding;
pub use identity::LoopIdentity;

use crate::output::ToolOutput;

/// Watches the calls of a run for circles: one call again and again, or the same few in turn, with nothing new in the results.
///
/// It is shown each call with the answer that the model got, refusals included, in request order. A call whose result
/// differs from the one before is progress (polling, a list that grows), however often it is made. A result that always
/// differs, by a time of day in it, say, hides a circle: it is told by what the model reads alone.
///
/// What it remembers is bounded (a window of calls, of long arguments their digest, the names of the latest operations) and
/// serialises, so that a run's state can hold it over a restart.
///
/// ```
/// use tool_core::{LoopDetector, LoopIdentity, ToolCall, ToolOutput};
///
/// let mut detector = LoopDetector::default();
/// let call = ToolCall::new("c", "read_file", r#"{"path": "a.txt"}"#);
/// let mut again = || detector.observe(LoopIdentity::of(&call, None), &ToolOutput::ok("Hello."));
/// assert!(again().is_none() && again().is_none());
/// let finding = again().unwrap();
/// assert_eq!(finding.times, 3);
/// assert!(finding.for_model().starts_with("You have called \"read_file\""));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopDetector {
    limits: LoopLimits,
    /// The newest last. One that is read from JSON may be longer than the window, until the next call.
    recent: VecDeque<Observed>,
    /// The operations that were seen, the newest last: one that is reported again is not made again. They stay longer than
    /// their calls do, since a step may have more calls than the window.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    counted: VecDeque<String>,
}

/// A call and what it came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Observed {
    identity: LoopIdentity,
    /// The digest of the result.
    result: String,
}

impl LoopDetector {
    /// Watches with these limits.
    pub fn new(limits: LoopLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// With other limits, as for a run that goes on under a changed configuration.
    #[must_use]
    pub fn with_limits(self, limits: LoopLimits) -> Self {
        Self { limits, ..self }
    }

    /// Forgets all calls: after the history was cut, the model has reason to read again what it has read.
    pub fn clear(&mut self) {
        self.recent.clear();
        self.counted.clear();
    }

    /// Takes note of a call and of what the model was shown of it. Says so where it closes a circle, at this call and at
    /// every further one of it. Beside a runtime, [`observe_step`](Self::observe_step) takes note of a whole step.
    pub fn observe(&mut self, identity: LoopIdentity, output: &ToolOutput) -> Option<LoopFinding> {
        self.recent.push_back(Observed { identity, result: identity::result_digest(output) });
        let surplus = self.recent.len().saturating_sub(self.limits.window);
        self.recent.drain(..surplus);
        self.circle().or_else(|| self.repetition())
    }

    /// The newest call, where it was made too often with this result.
    fn repetition(&self) -> Option<LoopFinding> {
        let newest = self.recent.back()?;
        let same_call = self.recent.iter().rev().filter(|observed| observed.identity == newest.identity);
        let times = same_call.take_while(|observed| observed.result == newest.result).count();
        let identity = || newest.identity.clone();
        (times >= self.limits.repeats).then(|| LoopFinding { identity: identity(), times, cycle: vec![identity()] })
    }

    /// The shortest sequence of several calls that was made too often in turn, up to the newest call.
    fn circle(&self) -> Option<LoopFinding> {
        let newest = self.recent.back()?;
        let length = self.recent.len();
        for period in 2..=length / self.limits.cycles {
            let later = self.recent.iter().rev();
            let earlier = self.recent.iter().rev().skip(period);
            let matching = later.zip(earlier).take_while(|(later, earlier)| later == earlier).count();
            let times = (matching + period) / period;
            if times < self.limits.cycles {
                continue;
            }
            let cycle: Vec<_> = self.recent.range(length - period..).map(|observed| &observed.identity).collect();
            // One call alone is a repetition, which looks at the results otherwise.
            if cycle.iter().any(|identity| **identity != newest.identity) {
                let cycle = cycle.into_iter().cloned().collect();
                return Some(LoopFinding { identity: newest.identity.clone(), times, cycle });
            }
        }
        None
    }
}

/// When a [`LoopDetector`] speaks. By default: 3 times the same call, or 2 times the same few, within 20 calls.
///
/// ```
/// use tool_core::LoopLimits;
/// assert_eq!(LoopLimits::new(20, 3, 2).unwrap(), LoopLimits::default());
/// assert!(LoopLimits::new(20, 1, 2).is_err()); // one call is no repetition
/// assert!(serde_json::from_str::<LoopLimits>(r#"{"window": 20, "repeats": 1, "cycles": 2}"#).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "StoredLimits")]
pub struct LoopLimits {
    window: usize,
    repeats: usize,
    cycles: usize,
}

impl LoopLimits {
    /// The longest window, in calls: what is remembered is part of the run's state.
    pub const GREATEST_WINDOW: usize = 1000;

    /// Looks at the last `window` calls, and speaks at the `repeats`-th same call with the same result among them, or at
    /// the `cycles`-th time that the same two or more calls were made in turn.
    ///
    /// Fails unless `repeats` and `cycles` are at least 2, and `window` has room for both (`repeats` calls, and `cycles` times
    /// two calls) and is at most [`GREATEST_WINDOW`](Self::GREATEST_WINDOW).
    pub const fn new(window: usize, repeats: usize, cycles: usize) -> Result<Self, InvalidLoopLimits> {
        if window > Self::GREATEST_WINDOW {
            return Err(InvalidLoopLimits::WindowTooGreat);
        }
        if repeats < 2 || cycles < 2 {
            return Err(InvalidLoopLimits::Single);
        }
        if window < repeats || window / 2 < cycles {
            return Err(InvalidLoopLimits::WindowTooSmall);
        }
        Ok(Self { window, repeats, cycles })
    }

    /// How many calls are looked at.
    pub const fn window(self) -> usize {
        self.window
    }

    /// At which same call with the same result it speaks.
    pub const fn repeats(self) -> usize {
        self.repeats
    }

    /// At which round of the same few calls it speaks.
    pub const fn cycles(self) -> usize {
        self.cycles
    }
}

impl Default for LoopLimits {
    fn default() -> Self {
        Self { window: 20, repeats: 3, cycles: 2 }
    }
}

/// Limits as they were written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLimits {
    window: usize,
    repeats: usize,
    cycles: usize,
}

impl TryFrom<StoredLimits> for LoopLimits {
    type Error = InvalidLoopLimits;

    fn try_from(stored: StoredLimits) -> Result<Self, InvalidLoopLimits> {
        Self::new(stored.window, stored.repeats, stored.cycles)
    }
}

/// Why [`LoopLimits`] are refused; its text says what to do.
///
/// ```
/// use tool_core::{InvalidLoopLimits, LoopLimits};
/// assert_eq!(LoopLimits::new(2, 3, 2), Err(InvalidLoopLimits::WindowTooSmall));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidLoopLimits {
    /// `repeats` or `cycles` is 0 or 1: every call would be a circle.
    Single,
    /// `window` has no room for what is looked for.
    WindowTooSmall,
    /// `window` is above [`LoopLimits::GREATEST_WINDOW`].
    WindowTooGreat,
}

impl fmt::Display for InvalidLoopLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single => f.write_str("`repeats` and `cycles` are at least 2: once is no repetition"),
            Self::WindowTooSmall => f.write_str(
                "`window` is too small to ever hold what is looked for: at least `repeats`, and 2 × `cycles`",
            ),
            Self::WindowTooGreat => {
                write!(
                    f,
                    "`window` is at most {}: what is remembered is part of the run's state",
                    LoopLimits::GREATEST_WINDOW
                )
            }
        }
    }
}

impl std::error::Error for InvalidLoopLimits {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolCall;

    fn limits(window: usize, repeats: usize, cycles: usize) -> LoopLimits {
        LoopLimits::new(window, repeats, cycles).unwrap()
    }

    /// Shows the detector calls as `tool=result` and tells the finding at each: how often, and of how many calls.
    fn findings(detector: &mut LoopDetector, calls: &str) -> Vec<Option<(usize, usize)>> {
        let observe = |call: &str| {
            let (tool, result) = call.split_once('=').unwrap();
            let identity = LoopIdentity::of(&ToolCall::new("c", tool, "{}"), None);
            let found = detector.observe(identity.clone(), &ToolOutput::ok(result))?;
            assert_eq!(found.identity, identity);
            assert_eq!(found.cycle.last(), Some(&identity));
            Some((found.times, found.cycle.len()))
        };
        calls.split_whitespace().map(observe).collect()
    }

    #[test]
    fn the_same_call_with_the_same_result_is_told_from_its_third_time_on() {
        let found = findings(&mut LoopDetector::default(), "a=1 a=1 a=1 a=1");
        assert_eq!(found, [None, None, Some((3, 1)), Some((4, 1))]);
    }

    #[test]
    fn other_calls_between_do_not_hide_a_repetition() {
        let found = findings(&mut LoopDetector::default(), "a=1 b=1 a=1 c=1 a=1");
        assert_eq!(found, [None, None, None, None, Some((3, 1))]);
    }

    #[test]
    fn a_changed_result_is_progress() {
        let polling = "a=1 a=2 a=3 a=4 a=4 a=1 a=4 a=1 a=4";
        assert_eq!(findings(&mut LoopDetector::default(), polling), [None; 9]);
        let stuck = "a=1 a=1 a=2 a=2 a=2";
        assert_eq!(findings(&mut LoopDetector::default(), stuck), [None, None, None, None, Some((3, 1))]);
        let circle = "a=1 b=1 a=2 b=1 a=3 b=1";
        let found = findings(&mut LoopDetector::new(limits(20, 9, 2)), circle);
        assert_eq!(found, [None; 6]);
    }

    #[test]
    fn a_failure_is_another_result_than_a_success_of_the_same_text() {
        let mut detector = LoopDetector::new(limits(4, 2, 2));
        let identity = LoopIdentity::of(&ToolCall::new("c", "a", "{}"), None);
        assert_eq!(detector.observe(identity.clone(), &ToolOutput::ok("no")), None);
        assert_eq!(detector.observe(identity.clone(), &ToolOutput::error("no")), None);
        assert_eq!(detector.observe(identity, &ToolOutput::error("no")).unwrap().times, 2);
    }

    #[test]
    fn calls_in_turn_are_a_circle_at_their_second_round() {
        let found = findings(&mut LoopDetector::default(), "x=1 a=1 b=1 a=1 b=1 a=1 b=1");
        assert_eq!(found, [None, None, None, None, Some((2, 2)), Some((2, 2)), Some((3, 2))]);
        let found = findings(&mut LoopDetector::default(), "a=1 b=1 c=1 a=1 b=1 c=1");
        assert_eq!(found, [None, None, None, None, None, Some((2, 3))]);
    }

    #[test]
    fn a_circle_of_one_call_is_a_repetition_alone() {
        let found = findings(&mut LoopDetector::new(limits(20, 5, 2)), "a=1 a=1 a=1 a=1 a=1");
        assert_eq!(found, [None, None, None, None, Some((5, 1))]);
    }

    #[test]
    fn what_left_the_window_is_forgotten() {
        let mut detector = LoopDetector::new(limits(4, 3, 2));
        assert_eq!(findings(&mut detector, "a=1 a=1 b=1 c=1 a=1"), [None; 5]);
        assert_eq!(detector.recent.len(), 4);
        detector.clear();
        assert_eq!(findings(&mut detector, "a=1 a=1"), [None; 2]);
    }

    #[test]
    fn a_restart_forgets_nothing() {
        let mut detector = LoopDetector::default();
        assert_eq!(findings(&mut detector, "a=1 a=1"), [None, None]);
        let state = serde_json::to_string(&detector).unwrap();
        let mut again: LoopDetector = serde_json::from_str(&state).unwrap();
        assert_eq!(again, detector);
        assert_eq!(findings(&mut again, "a=1"), [Some((3, 1))]);
        let mut narrower = again.with_limits(limits(4, 2, 2));
        assert_eq!(findings(&mut narrower, "b=1 b=1 c=1"), [None, Some((2, 1)), None]);
        assert_eq!(narrower.recent.len(), 4);
    }

    #[test]
    fn limits_that_make_no_sense_are_refused_from_code_and_from_json() {
        for (window, repeats, cycles, refusal) in [
            (20, 1, 2, InvalidLoopLimits::Single),
            (20, 3, 0, InvalidLoopLimits::Single),
            (2, 3, 2, InvalidLoopLimits::WindowTooSmall),
            (3, 3, 2, InvalidLoopLimits::WindowTooSmall),
            (0, 2, 2, InvalidLoopLimits::WindowTooSmall),
            (1001, 3, 2, InvalidLoopLimits::WindowTooGreat),
        ] {
            assert_eq!(LoopLimits::new(window, repeats, cycles), Err(refusal));
            let json = serde_json::json!({"window": window, "repeats": repeats, "cycles": cycles});
            let refused = serde_json::from_value::<LoopLimits>(json).unwrap_err().to_string();
            assert_eq!(refused, refusal.to_string());
        }
        assert!(LoopLimits::new(4, 4, 2).is_ok() && LoopLimits::new(1000, 2, 500).is_ok());
    }
}
