//! What is said of a circle.

use super::identity::LoopIdentity;
use crate::same::clipped;

/// At most so many calls of a circle are named.
const NAMED_CALLS: usize = 5;
/// At most so many characters of each.
const NAMED_CHARS: usize = 200;

/// A circle that a [`LoopDetector`](crate::LoopDetector) has seen. Whether it ends the run or is only told to the model is the
/// caller's to decide; `times` grows with each further round.
///
/// ```
/// use tool_core::{LoopDetector, LoopIdentity, ToolCall, ToolOutput};
/// let mut detector = LoopDetector::default();
/// let mut last = None;
/// for path in ["a", "b", "a", "b"] {
///     let call = ToolCall::new("c", format!("read_{path}"), "{}");
///     last = detector.observe(LoopIdentity::of(&call, None), &ToolOutput::ok("the same"));
/// }
/// let finding = last.unwrap();
/// assert_eq!((finding.times, finding.cycle.len()), (2, 2));
/// assert!(finding.for_operator().contains(r#"2 times in turn: "read_a", "read_b""#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoopFinding {
    /// What the newest call is about.
    pub identity: LoopIdentity,
    /// How often the call, or the whole cycle, was made with the same results.
    pub times: usize,
    /// The calls of the cycle, in their order, the newest last; one where a single call is repeated.
    pub cycle: Vec<LoopIdentity>,
}

impl LoopFinding {
    /// What to tell the model, so that it does something else.
    pub fn for_model(&self) -> String {
        let Self { times, .. } = self;
        let made = if self.cycle.len() > 1 {
            format!("You have made the same calls {times} times in turn, with the same results: {}.", self.named())
        } else {
            format!("You have called {} {times} times in the same way, with the same result.", self.named())
        };
        format!("{made} Another time brings nothing new. Use what you have, try another way, or say what is missing.")
    }

    /// What to tell the operator. It names what the calls are about, by their declared identity; it holds no results, and no
    /// arguments of tools that declare none.
    pub fn for_operator(&self) -> String {
        let Self { times, .. } = self;
        if self.cycle.len() > 1 {
            format!(
                "the run goes in circles: the same calls with the same results {times} times in turn: {}",
                self.named()
            )
        } else {
            format!(
                "the run goes in circles: {} called {times} times in the same way, with the same result",
                self.named()
            )
        }
    }

    fn named(&self) -> String {
        let identities = self.cycle.iter().take(NAMED_CALLS);
        let mut named: Vec<String> =
            identities.map(|identity| clipped(&identity.to_string(), NAMED_CHARS).into_owned()).collect();
        if self.cycle.len() > NAMED_CALLS {
            named.push(format!("and {} more", self.cycle.len() - NAMED_CALLS));
        }
        named.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(target: &str) -> LoopIdentity {
        LoopIdentity::Declared { operation: "read".into(), target: Some(target.into()), arguments_key: None }
    }

    fn finding(targets: &[&str]) -> LoopFinding {
        let cycle: Vec<_> = targets.iter().map(|target| identity(target)).collect();
        LoopFinding { identity: cycle[cycle.len() - 1].clone(), times: 3, cycle }
    }

    #[test]
    fn the_model_is_told_what_it_repeats_and_what_to_do_instead() {
        assert_eq!(
            finding(&["a.txt"]).for_model(),
            "You have called \"read\" of \"a.txt\" 3 times in the same way, with the same result. Another time brings \
             nothing new. Use what you have, try another way, or say what is missing."
        );
        assert_eq!(
            finding(&["a", "b"]).for_model(),
            "You have made the same calls 3 times in turn, with the same results: \"read\" of \"a\", \"read\" of \"b\". \
             Another time brings nothing new. Use what you have, try another way, or say what is missing."
        );
    }

    #[test]
    fn the_operator_is_told_the_same_in_one_line_whatever_the_words_are() {
        let said = finding(&["a\n\u{1b}[2J", "b"]).for_operator();
        assert_eq!(
            said,
            "the run goes in circles: the same calls with the same results 3 times in turn: \"read\" of \
             \"a\\n\\u{1b}[2J\", \"read\" of \"b\""
        );
    }

    #[test]
    fn what_is_said_stays_short() {
        let long = "é".repeat(10_000);
        let said = finding(&[long.as_str(); 9]).for_model();
        assert!(said.contains("and 4 more") && said.chars().count() < 1500, "{said}");
    }
}
