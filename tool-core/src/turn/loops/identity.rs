//! By what two calls are told to be the same, and their results.

use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::transcript::TranscriptCall;
use crate::behaviour::CallIdentity;
use crate::call::ToolCall;
use crate::content::ContentBlock;
use crate::hex;
use crate::output::ToolOutput;
use crate::same::{clipped, key_of};

/// Longer parts of an identity are held as their start and a digest, so that a run's state stays small.
const LONGEST_PART: usize = 200;
/// How much of a long part is held as it is, for people to recognise.
const START_OF_PART: usize = 80;

/// What a call is about, as a [`LoopDetector`](crate::LoopDetector) compares it.
///
/// The identity that a tool declares says it in the tool's own words, and leaves out what does not matter; two tools that
/// declare the same one do the same. A call without one is its tool and its arguments as a JSON value: key order, white space
/// and the writing of numbers do not count.
///
/// ```
/// use tool_core::{CallIdentity, LoopIdentity, ToolCall};
/// let one = ToolCall::new("c1", "search", r#"{"q": "ada", "limit": 10}"#);
/// let other = ToolCall::new("c2", "search", r#"{"limit": 1e1, "q": "ada"}"#);
/// assert_eq!(LoopIdentity::of(&one, None), LoopIdentity::of(&other, None));
///
/// let declared = CallIdentity { operation: "search".into(), target: Some("ada".into()), arguments_key: None };
/// assert_eq!(LoopIdentity::of(&one, Some(declared)).to_string(), r#""search" of "ada""#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LoopIdentity {
    /// As the tool declared it.
    Declared {
        /// What is done.
        operation: String,
        /// What it is done to; where it is long, its start and a digest.
        target: Option<String>,
        /// What else tells two such calls apart; where it is long, its start and a digest.
        arguments_key: Option<String>,
    },
    /// Of a tool that declares none.
    Undeclared {
        /// The tool.
        tool_id: String,
        /// SHA-256 of the arguments, as 64 lower-case hexadecimal digits.
        arguments: String,
    },
}

impl LoopIdentity {
    /// The identity of a call, with what [`RawTool::identity`](crate::RawTool::identity) says of it; `None` where it says
    /// nothing, or refuses the arguments.
    pub fn of(call: &ToolCall, declared: Option<CallIdentity>) -> Self {
        match declared {
            Some(CallIdentity { operation, target, arguments_key }) => Self::Declared {
                operation: bounded(operation.into_owned()),
                target: target.map(bounded),
                arguments_key: arguments_key.map(bounded),
            },
            None => {
                let TranscriptCall { tool_id, arguments, .. } = TranscriptCall::from(call);
                let digest = Hash::hash(key_of(&arguments).as_bytes());
                Self::Undeclared { tool_id: bounded(tool_id), arguments: hex::encode(&digest) }
            }
        }
    }
}

/// A text as it is, or the start of a long one and its digest.
fn bounded(text: String) -> String {
    if text.len() <= LONGEST_PART {
        return text;
    }
    format!("{} sha256:{}", clipped(&text, START_OF_PART), hex::encode(&Hash::hash(text.as_bytes())))
}

impl std::fmt::Display for LoopIdentity {
    /// In quotes and escaped: the words are a model's or a user's.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Declared { operation, target, arguments_key } => {
                write!(f, "{operation:?}")?;
                if let Some(target) = target {
                    write!(f, " of {target:?}")?;
                }
                arguments_key.as_ref().map_or(Ok(()), |key| write!(f, " with {key:?}"))
            }
            Self::Undeclared { tool_id, .. } => write!(f, "{tool_id:?}"),
        }
    }
}

/// A digest of what the model was shown. What it is not shown (annotations, `_meta`, structured content) makes no difference.
pub(super) fn result_digest(output: &ToolOutput) -> String {
    let mut hash = Hash::new();
    hash.update([u8::from(output.is_error)]);
    for block in &output.content {
        let (kind, shown) = match block {
            ContentBlock::Text(content) => (b't', content.text.as_bytes().to_vec()),
            other => (b'o', key_of(&as_shown(other)).into_bytes()),
        };
        // With their lengths, so that two blocks never read as one.
        hash.update([kind]);
        hash.update((shown.len() as u64).to_be_bytes());
        hash.update(shown);
    }
    hex::encode(&hash.finalize())
}

fn as_shown(block: &ContentBlock) -> Value {
    let mut block = serde_json::to_value(block).unwrap_or(Value::Null);
    if let Some(properties) = block.as_object_mut() {
        properties.remove("annotations");
        properties.remove("_meta");
        if let Some(resource) = properties.get_mut("resource").and_then(Value::as_object_mut) {
            resource.remove("_meta");
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::ContentAnnotations;
    use serde_json::json;

    fn declared(target: &str, key: Option<&str>) -> LoopIdentity {
        let (target, arguments_key) = (Some(target.to_owned()), key.map(str::to_owned));
        let identity = CallIdentity { operation: "read".into(), target, arguments_key };
        LoopIdentity::of(&ToolCall::new("c", "tool", "{}"), Some(identity))
    }

    #[test]
    fn each_part_of_a_declared_identity_counts_and_the_tool_does_not() {
        assert_eq!(declared("a", None), declared("a", None));
        assert_ne!(declared("a", None), declared("b", None));
        assert_ne!(declared("a", None), declared("a", Some("")));
        assert_ne!(declared("a", Some("1")), declared("a", Some("2")));
        let undeclared = LoopIdentity::of(&ToolCall::new("c", "read", "{}"), None);
        assert_ne!(undeclared, LoopIdentity::of(&ToolCall::new("c", "tool", "{}"), None));
    }

    #[test]
    fn long_parts_are_held_short_and_still_told_apart() {
        let (long, other) = ("é".repeat(100_000), format!("{}x", "é".repeat(100_000)));
        assert_ne!(declared(&long, None), declared(&other, None));
        assert_eq!(declared(&long, None), declared(&long, None));
        assert!(serde_json::to_string(&declared(&long, Some(&long))).unwrap().len() < 1000);
    }

    #[test]
    fn arguments_that_are_no_json_are_compared_as_they_were_written() {
        let of = |arguments: &str| LoopIdentity::of(&ToolCall::new("c", "t", arguments), None);
        assert_eq!(of("{\"a\": "), of("{\"a\": "));
        assert_ne!(of("{\"a\": "), of("{\"b\": "));
        assert_ne!(of("{\"a\":9007199254740993}"), of("{\"a\":9007199254740992}"));
        let bytes = ToolCall::new("c", "t", b"\xff".as_slice());
        assert_eq!(LoopIdentity::of(&bytes, None), LoopIdentity::of(&bytes, None));
    }

    #[test]
    fn a_result_is_what_the_model_is_shown() {
        let digest = |blocks: &[ContentBlock]| result_digest(&ToolOutput::ok_blocks(blocks.to_vec()));
        let text = ContentBlock::text;
        assert_ne!(digest(&[text("ab")]), digest(&[text("a"), text("b")]));
        assert_ne!(
            digest(&[ContentBlock::image("AA==", "image/png")]),
            digest(&[ContentBlock::image("AQ==", "image/png")])
        );
        let dated = ContentAnnotations { last_modified: Some("2026".into()), ..ContentAnnotations::default() };
        for block in [text("a"), ContentBlock::image("", ""), ContentBlock::resource_link("file:///a", "a")] {
            assert_eq!(digest(&[block.clone().with_annotations(dated.clone())]), digest(&[block]));
        }
        let structured = ToolOutput::ok("a").with_structured_content(json!(1));
        assert_eq!(result_digest(&structured), digest(&[text("a")]));
    }
}
