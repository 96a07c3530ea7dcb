//! What may be left out of a long conversation, by what the tools declare.

mod plan;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::transcript::{Transcript, TranscriptMessage};
use crate::behaviour::HistoryPolicy;
use crate::content::ContentBlock;
use crate::descriptor::ToolDescriptor;

/// What may become of each tool's results, and the transforms that do it.
///
/// * **Deduplicate**, always. Of results of one tool whose calls agree in the arguments of
///   [`deduplicate_by`](HistoryPolicy::deduplicate_by) only the latest is kept: an older look at a file misleads. A success
///   makes way for a later success alone; a failure for any later result. Arguments are compared as JSON values (`1` is
///   `1.0`), and one that is missing as `null`; arguments that are no object agree with nothing.
/// * **Compact**, over a budget of characters. Results of tools with [`compact`](HistoryPolicy::compact) are left out, oldest
///   first, but for the last few. A failure is left out as well: calling again shows whether it still is one.
/// * **Pin**. Of a tool with [`pin`](HistoryPolicy::pin) the latest result stays as it is, and the latest success.
///
/// A result that is left out is replaced by a short text that says what was there and how to get it, or where its successor
/// is; never is a message removed or moved, since providers want a result for each call. Nothing grows by it: a result
/// that is no longer than the text stays. The text depends on the call alone and not on how the conversation goes on, so that
/// a provider's prompt cache holds, and a second application changes nothing.
///
/// ```
/// use serde_json::json;
/// use tool_core::{
///     ContentBlock, HistoryOptions, HistoryPolicies, HistoryPolicy, Transcript, TranscriptCall, TranscriptMessage,
///     TranscriptResult,
/// };
///
/// let mut policy = HistoryPolicy::default();
/// policy.deduplicate_by.push("path".into());
/// let policies = HistoryPolicies::default().with("read_file", policy);
///
/// let look = |text: &str| {
///     let call = TranscriptCall::new("c", "read_file", json!({"path": "a.txt"}));
///     let result = TranscriptResult::new("c", [ContentBlock::text(text.repeat(100))]);
///     [TranscriptMessage::assistant("", [call]), TranscriptMessage::Tool(result)]
/// };
/// let transcript = Transcript::from_iter([look("old "), look("new ")].into_iter().flatten());
/// let shorter = policies.apply(&transcript, &HistoryOptions::default());
/// assert_eq!(shorter.messages[3], transcript.messages[3]);
/// let TranscriptMessage::Tool(old) = &shorter.messages[1] else { unreachable!() };
/// assert!(old.content[0].as_text().unwrap().starts_with("[Left out: "));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HistoryPolicies {
    by_tool: BTreeMap<String, HistoryPolicy>,
}

impl HistoryPolicies {
    /// Those that these tools declare.
    pub fn from_descriptors(descriptors: impl IntoIterator<Item: AsRef<ToolDescriptor>>) -> Self {
        let declared =
            |descriptor: &ToolDescriptor| (descriptor.id().to_owned(), descriptor.behaviour().history.clone());
        Self { by_tool: descriptors.into_iter().map(|descriptor| declared(descriptor.as_ref())).collect() }
    }

    /// With this policy for the tool, in place of what it declares.
    #[must_use]
    pub fn with(mut self, tool_id: impl Into<String>, policy: HistoryPolicy) -> Self {
        self.by_tool.insert(tool_id.into(), policy);
        self
    }

    /// The policy of a tool. One of which nothing is known has none, and its results stay.
    pub fn get(&self, tool_id: &str) -> Option<&HistoryPolicy> {
        self.by_tool.get(tool_id)
    }

    /// The conversation with what may be left out left out. Pure; as many messages as before, in the same order.
    #[must_use]
    pub fn apply(&self, transcript: &Transcript, options: &HistoryOptions) -> Transcript {
        let mut changed = transcript.clone();
        for HistoryReplacement { message, text, .. } in self.replacements(transcript, options) {
            if let Some(TranscriptMessage::Tool(result)) = changed.messages.get_mut(message) {
                result.content = vec![ContentBlock::text(text)];
            }
        }
        changed
    }

    /// What [`apply`](Self::apply) changes, by the position of the message: for a caller that keeps the messages in a
    /// provider's format. What was replaced before is not named again.
    pub fn replacements(&self, transcript: &Transcript, options: &HistoryOptions) -> Vec<HistoryReplacement> {
        plan::replacements(self, transcript, options)
    }
}

/// When [`HistoryPolicies`] compact, and how far. By default: above 200,000 characters, down to three quarters of that, the
/// last 3 results kept.
///
/// ```
/// use tool_core::HistoryOptions;
/// let options = HistoryOptions::new(40_000).with_keep_recent(5);
/// assert_eq!((options.max_chars, options.compact_to, options.keep_recent), (40_000, 30_000, 5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HistoryOptions {
    /// Nothing is compacted up to this size of the whole conversation, in characters as [`Transcript::chars`] counts them.
    pub max_chars: usize,
    /// Above it, results are left out until the conversation has at most this size. Lower than `max_chars`, so that not every
    /// further turn changes what a provider has cached; a higher one is read as `max_chars`.
    pub compact_to: usize,
    /// So many of the latest results that could be compacted stay: the model is working with them. Results that a later one
    /// has replaced, or that are pinned, are not counted.
    pub keep_recent: usize,
}

impl HistoryOptions {
    /// Above `max_chars`, down to three quarters of it, the last 3 results kept.
    pub const fn new(max_chars: usize) -> Self {
        Self { max_chars, compact_to: max_chars - max_chars / 4, keep_recent: 3 }
    }

    /// The same with another size to come down to.
    #[must_use]
    pub const fn with_compact_to(self, compact_to: usize) -> Self {
        Self { compact_to, ..self }
    }

    /// The same with another number of latest results kept.
    #[must_use]
    pub const fn with_keep_recent(self, keep_recent: usize) -> Self {
        Self { keep_recent, ..self }
    }
}

impl Default for HistoryOptions {
    fn default() -> Self {
        Self::new(200_000)
    }
}

/// One result that is left out, and what stands in its place.
///
/// ```
/// use tool_core::{HistoryOptions, HistoryPolicies, Transcript};
/// let changes = HistoryPolicies::default().replacements(&Transcript::default(), &HistoryOptions::default());
/// assert!(changes.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryReplacement {
    /// The position of the message in [`Transcript::messages`], a result.
    pub message: usize,
    /// Its only content from now on. Whether it is a failure stays as it was.
    pub text: String,
    /// Why.
    pub reason: ReplacementReason,
}

/// Why a result is left out.
///
/// ```
/// assert_ne!(tool_core::ReplacementReason::Superseded, tool_core::ReplacementReason::Compacted);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReplacementReason {
    /// A later call of the tool brought a newer one.
    Superseded,
    /// The conversation was too long, and calling again brings it back.
    Compacted,
}
