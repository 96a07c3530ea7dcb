//! A conversation, as far as the policies need to see it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};

use crate::call::{Repr, ToolCall};
use crate::content::ContentBlock;
use crate::output::ToolOutput;
use crate::same::json_chars;

/// A conversation of a model with its user and its tools: messages in their order, in no provider's format.
///
/// It holds what the policies look at, and gives it back unchanged. What only a provider understands (reasoning, signatures,
/// the place of a text between two calls) stays in the caller's own messages. No policy adds, removes or moves a message, so
/// that a change here is found there by its position; [`HistoryPolicies::replacements`](crate::HistoryPolicies::replacements)
/// gives the changes alone.
///
/// In JSON it is the list of its messages. It may be odd, since a run can be cut anywhere: a result without a call, a call
/// without a result, the same id again in a later turn.
///
/// ```
/// use serde_json::json;
/// use tool_core::{ContentBlock, Transcript, TranscriptCall, TranscriptMessage, TranscriptResult};
///
/// let transcript = Transcript::from_iter([
///     TranscriptMessage::user("What is in a.txt?"),
///     TranscriptMessage::assistant("", [TranscriptCall::new("c1", "read_file", json!({"path": "a.txt"}))]),
///     TranscriptMessage::Tool(TranscriptResult::new("c1", [ContentBlock::text("Hello.")])),
/// ]);
/// let exchange = &transcript.exchanges()[0];
/// assert_eq!((exchange.asked_at, exchange.answered_at), (1, Some(2)));
/// let json = serde_json::to_string(&transcript)?;
/// assert_eq!(serde_json::from_str::<Transcript>(&json)?, transcript);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Transcript {
    /// The messages, oldest first.
    pub messages: Vec<TranscriptMessage>,
}

/// One message of a [`Transcript`]. In JSON told apart by `role`.
///
/// ```
/// use tool_core::TranscriptMessage;
/// let message: TranscriptMessage = serde_json::from_str(r#"{"role": "assistant", "text": "Hello."}"#)?;
/// assert_eq!(message, TranscriptMessage::assistant("Hello.", []));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TranscriptMessage {
    /// What the model is told by whoever runs it.
    System {
        /// The text.
        text: String,
    },
    /// What its user says.
    User {
        /// Texts and other blocks, in their order.
        content: Vec<ContentBlock>,
    },
    /// What the model says, and the calls that it asks for.
    Assistant {
        /// The text; empty where it only calls.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// The calls, in their order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<TranscriptCall>,
    },
    /// The result of one call.
    Tool(TranscriptResult),
}

/// A call in a [`Transcript`].
///
/// Made from a [`ToolCall`], it has the arguments decoded; such as are no JSON are kept as a JSON string of what was written.
///
/// ```
/// use tool_core::{ToolCall, TranscriptCall};
/// let call = TranscriptCall::from(&ToolCall::new("c1", "add", r#"{"a": 1}"#));
/// assert_eq!(call.arguments, serde_json::json!({"a": 1}));
/// let cut = TranscriptCall::from(&ToolCall::new("c1", "add", r#"{"a": "#));
/// assert_eq!(cut.arguments, serde_json::json!(r#"{"a": "#));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TranscriptCall {
    /// The model's id of it: correlation only. It may repeat.
    pub call_id: String,
    /// Which tool: its own id, not the name that a provider knows it by.
    pub tool_id: String,
    /// What the model wrote, decoded.
    pub arguments: Value,
}

/// The result of a call in a [`Transcript`]: what the model was shown of a [`ToolOutput`].
///
/// ```
/// use tool_core::{ToolOutput, TranscriptResult};
/// let result = TranscriptResult::from(&ToolOutput::error("no such file").with_call_id("c1"));
/// assert!(result.is_error && result.call_id == "c1");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TranscriptResult {
    /// The model's id of the call that this answers.
    pub call_id: String,
    /// What the model is shown, in order.
    pub content: Vec<ContentBlock>,
    /// Whether it is a failure.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A call and its result, as [`Transcript::exchanges`] pairs them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Exchange<'a> {
    /// The position of the message that holds the call.
    pub asked_at: usize,
    /// The call.
    pub call: &'a TranscriptCall,
    /// The position of the message that answers it; `None` where nothing does.
    pub answered_at: Option<usize>,
    /// The result; `None` where there is none.
    pub result: Option<&'a TranscriptResult>,
}

impl Transcript {
    /// Every call with its result, in the order of the calls.
    ///
    /// A call's id may repeat, so that a result belongs to the nearest earlier message with a call of that id which has no
    /// result yet. Where one message holds the id several times, results come in the order of its calls. A result that
    /// answers none is in no exchange.
    pub fn exchanges(&self) -> Vec<Exchange<'_>> {
        let mut exchanges = Vec::new();
        // Of each id the messages with unanswered calls, the newest last, and in each the calls, the first first.
        let mut open: HashMap<&str, Vec<(usize, VecDeque<usize>)>> = HashMap::new();
        for (position, message) in self.messages.iter().enumerate() {
            match message {
                TranscriptMessage::Assistant { calls, .. } => {
                    for call in calls {
                        let asked = open.entry(&call.call_id).or_default();
                        match asked.last_mut() {
                            Some((message, calls)) if *message == position => calls.push_back(exchanges.len()),
                            _ => asked.push((position, VecDeque::from([exchanges.len()]))),
                        }
                        exchanges.push(Exchange { asked_at: position, call, answered_at: None, result: None });
                    }
                }
                TranscriptMessage::Tool(result) => {
                    let answered = open.get_mut(result.call_id.as_str()).and_then(next_unanswered);
                    if let Some(exchange) = answered.and_then(|exchange| exchanges.get_mut(exchange)) {
                        exchange.answered_at = Some(position);
                        exchange.result = Some(result);
                    }
                }
                TranscriptMessage::System { .. } | TranscriptMessage::User { .. } => {}
            }
        }
        exchanges
    }

    /// Its size in characters, the sum of its messages'.
    pub fn chars(&self) -> usize {
        self.messages.iter().map(TranscriptMessage::chars).sum()
    }
}

fn next_unanswered(asked: &mut Vec<(usize, VecDeque<usize>)>) -> Option<usize> {
    let (_, calls) = asked.last_mut()?;
    let next = calls.pop_front();
    if calls.is_empty() {
        asked.pop();
    }
    next
}

impl FromIterator<TranscriptMessage> for Transcript {
    fn from_iter<I: IntoIterator<Item = TranscriptMessage>>(messages: I) -> Self {
        Self { messages: messages.into_iter().collect() }
    }
}

impl Extend<TranscriptMessage> for Transcript {
    fn extend<I: IntoIterator<Item = TranscriptMessage>>(&mut self, messages: I) {
        self.messages.extend(messages);
    }
}

impl TranscriptMessage {
    /// What the model is told by whoever runs it.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    /// A text of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { content: vec![ContentBlock::text(text)] }
    }

    /// What the model says, and its calls.
    pub fn assistant(text: impl Into<String>, calls: impl IntoIterator<Item = TranscriptCall>) -> Self {
        Self::Assistant { text: text.into(), calls: calls.into_iter().collect() }
    }

    /// Its size in characters: a text has its own, a call those of its tool's id and of its arguments as compact JSON, any
    /// other block those of its JSON, base64 included. An estimate for budgets; no tokeniser is asked.
    pub fn chars(&self) -> usize {
        match self {
            Self::System { text } => text.chars().count(),
            Self::User { content } => content_chars(content),
            Self::Assistant { text, calls } => {
                let calls = calls.iter().map(|call| call.tool_id.chars().count() + json_chars(&call.arguments));
                text.chars().count() + calls.sum::<usize>()
            }
            Self::Tool(result) => result.chars(),
        }
    }
}

fn content_chars(content: &[ContentBlock]) -> usize {
    content.iter().map(|block| block.as_text().map_or_else(|| json_chars(block), |text| text.chars().count())).sum()
}

impl TranscriptCall {
    /// A call of `tool_id`.
    pub fn new(call_id: impl Into<String>, tool_id: impl Into<String>, arguments: Value) -> Self {
        Self { call_id: call_id.into(), tool_id: tool_id.into(), arguments }
    }
}

impl From<&ToolCall> for TranscriptCall {
    fn from(call: &ToolCall) -> Self {
        let arguments = match &call.arguments.repr {
            Repr::Value(value) => Value::clone(value),
            Repr::Text(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(&**text)),
            Repr::NotUtf8(bytes) => Value::from(String::from_utf8_lossy(bytes)),
        };
        Self::new(&*call.call_id, &*call.tool_id, arguments)
    }
}

impl TranscriptResult {
    /// A success.
    pub fn new(call_id: impl Into<String>, content: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self { call_id: call_id.into(), content: content.into_iter().collect(), is_error: false }
    }

    /// A failure.
    pub fn error(call_id: impl Into<String>, content: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self { is_error: true, ..Self::new(call_id, content) }
    }

    /// Its size in characters, as [`TranscriptMessage::chars`] has it.
    pub fn chars(&self) -> usize {
        content_chars(&self.content)
    }
}

impl From<&ToolOutput> for TranscriptResult {
    fn from(output: &ToolOutput) -> Self {
        Self { call_id: output.call_id.clone(), content: output.content.clone(), is_error: output.is_error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asks(calls: &[(&str, &str)]) -> TranscriptMessage {
        TranscriptMessage::assistant("", calls.iter().map(|(id, tool)| TranscriptCall::new(*id, *tool, json!({}))))
    }

    fn answers(id: &str, text: &str) -> TranscriptMessage {
        TranscriptMessage::Tool(TranscriptResult::new(id, [ContentBlock::text(text)]))
    }

    fn paired(messages: impl IntoIterator<Item = TranscriptMessage>) -> Vec<(String, Option<usize>)> {
        let transcript = Transcript::from_iter(messages);
        let exchanges = transcript.exchanges();
        exchanges.iter().map(|exchange| (exchange.call.tool_id.clone(), exchange.answered_at)).collect()
    }

    fn expected(pairs: &[(&str, Option<usize>)]) -> Vec<(String, Option<usize>)> {
        pairs.iter().map(|(tool, answered)| ((*tool).to_owned(), *answered)).collect()
    }

    #[test]
    fn an_id_that_comes_again_is_answered_in_its_own_turn() {
        let messages =
            [asks(&[("call_0", "a")]), answers("call_0", "1"), asks(&[("call_0", "b")]), answers("call_0", "2")];
        assert_eq!(paired(messages), expected(&[("a", Some(1)), ("b", Some(3))]));
    }

    #[test]
    fn an_id_twice_in_one_turn_is_answered_in_request_order() {
        let messages = [asks(&[("c", "a"), ("d", "b"), ("c", "c")]), answers("c", "1"), answers("c", "2")];
        assert_eq!(paired(messages), expected(&[("a", Some(1)), ("b", None), ("c", Some(2))]));
    }

    #[test]
    fn the_call_of_a_turn_that_was_cut_takes_no_later_result() {
        let messages = [asks(&[("c", "cut")]), asks(&[("c", "whole")]), answers("c", "1")];
        assert_eq!(paired(messages), expected(&[("cut", None), ("whole", Some(2))]));
    }

    #[test]
    fn a_late_result_finds_the_call_that_is_still_unanswered() {
        let messages = [asks(&[("c", "slow")]), asks(&[("c", "quick")]), answers("c", "1"), answers("c", "2")];
        assert_eq!(paired(messages), expected(&[("slow", Some(3)), ("quick", Some(2))]));
    }

    #[test]
    fn a_result_without_a_call_and_a_second_one_answer_nothing() {
        let messages =
            [answers("c", "early"), asks(&[("c", "a")]), answers("c", "1"), answers("c", "2"), answers("", "")];
        assert_eq!(paired(messages), expected(&[("a", Some(2))]));
    }

    #[test]
    fn every_kind_of_message_is_read_back_as_it_was_written() {
        let transcript = Transcript::from_iter([
            TranscriptMessage::system("s"),
            TranscriptMessage::User {
                content: vec![ContentBlock::text("u"), ContentBlock::image("AA==", "image/png")],
            },
            TranscriptMessage::assistant("t", [TranscriptCall::new("c", "a", json!("no {object"))]),
            TranscriptMessage::Tool(TranscriptResult::error("c", [])),
        ]);
        let json = serde_json::to_value(&transcript).unwrap();
        assert_eq!(json[3], json!({"role": "tool", "call_id": "c", "content": [], "is_error": true}));
        assert_eq!(serde_json::from_value::<Transcript>(json).unwrap(), transcript);
    }

    #[test]
    fn its_size_counts_characters_of_all_that_a_model_reads() {
        let image = ContentBlock::image("AA==", "image/png");
        let image_chars = serde_json::to_string(&image).unwrap().len();
        for (message, chars) in [
            (TranscriptMessage::system("日本"), 2),
            (TranscriptMessage::User { content: vec![ContentBlock::text("é"), image] }, 1 + image_chars),
            (TranscriptMessage::assistant("ab", [TranscriptCall::new("c", "add", json!({"a": "é"}))]), 2 + 3 + 9),
            (answers("c", "abc"), 3),
        ] {
            assert_eq!(message.chars(), chars, "{message:?}");
            assert_eq!(Transcript::from_iter([message.clone(), message]).chars(), 2 * chars);
        }
    }
}
