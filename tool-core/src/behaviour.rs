//! What a tool declares of its behaviour, for the runtime that runs it.
//!
//! Each value has the conservative default: a tool that says nothing is run alone and counts, and of what touches
//! confidence (`private_data`, `untrusted_input`, `egress`) nothing is known, which a runtime reads as the worse.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

/// All that a tool declares once for every call. [`Tool`](crate::Tool) has a provided method for each, and
/// [`RawTool::behaviour`](crate::RawTool::behaviour) hands them out together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools)] // each is a statement of its own, named as in the attribute
#[non_exhaustive]
pub struct ToolBehaviour {
    /// Whether it answers with data that is not for everyone; `None`: not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_data: Option<bool>,
    /// Whether it brings in text that somebody else wrote, who may want to talk to the model; `None`: not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted_input: Option<bool>,
    /// Whether, and to whom, it sends something out; `None`: not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub egress: Option<Egress>,
    /// Which other calls of a batch it may run beside.
    pub concurrency: ConcurrencyClass,
    /// It needs the run's sandbox for itself.
    pub exclusive_sandbox: bool,
    /// How long one call may take; `None` is the runtime's own limit. In JSON milliseconds.
    #[serde(with = "milliseconds", skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// How many characters of a result the model is shown; `None` is the runtime's own limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_result_chars: Option<usize>,
    /// It blocks its thread, and so runs on the pool for that.
    pub blocking: bool,
    /// Its failure ends the other calls of its batch.
    pub aborts_siblings_on_error: bool,
    /// It counts towards the limit of calls a turn; so does a tool that says nothing.
    pub counts_toward_call_limit: bool,
    /// A call of it is a vote to end the run.
    pub counts_toward_termination_vote: bool,
    /// How its arguments are read.
    pub argument_mode: ArgumentMode,
    /// What may become of its results in a long conversation.
    pub history: HistoryPolicy,
}

impl Default for ToolBehaviour {
    fn default() -> Self {
        Self {
            private_data: None,
            untrusted_input: None,
            egress: None,
            concurrency: ConcurrencyClass::Serial,
            exclusive_sandbox: false,
            timeout: None,
            max_result_chars: None,
            blocking: false,
            aborts_siblings_on_error: false,
            counts_toward_call_limit: true,
            counts_toward_termination_vote: false,
            argument_mode: ArgumentMode::default(),
            history: HistoryPolicy::default(),
        }
    }
}

/// How a model's arguments are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentMode {
    /// What the tool's schema makes unambiguous is repaired: a number as a string, a doubly encoded object.
    #[default]
    Lenient,
    /// Nothing is repaired.
    Strict,
}

/// Whether a tool sends something out of the system, and who chooses the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Egress {
    /// Nothing leaves.
    None,
    /// Something leaves, to a receiver that the model does not choose.
    Blind,
    /// The model chooses the receiver.
    Chosen,
}

/// How a tool's calls stand to the other calls of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConcurrencyClass {
    /// Beside nothing else.
    #[default]
    Serial,
    /// Beside everything that allows it too.
    Parallel,
    /// Beside every call whose resources do not conflict with its own; see [`Concurrency::Resources`].
    Resources,
}

/// How one call stands to the other calls of its batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Concurrency {
    /// Beside nothing else.
    #[default]
    Serial,
    /// Beside everything that allows it too.
    Parallel,
    /// Beside every call whose resources do not conflict with these. Reads go together; a write goes alone.
    Resources(Vec<ResourceClaim>),
}

/// A resource that one call reads or writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResourceClaim {
    /// Which kind of thing: `order`, `file`.
    pub namespace: Cow<'static, str>,
    /// Which one of them.
    pub key: String,
    /// What is done with it.
    pub access: Access,
}

/// What a call does with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Looks at it.
    Read,
    /// Changes it.
    Write,
}

impl ResourceClaim {
    /// A look at the thing `key` of the kind `namespace`.
    pub fn read(namespace: impl Into<Cow<'static, str>>, key: impl ToString) -> Self {
        Self { namespace: namespace.into(), key: key.to_string(), access: Access::Read }
    }

    /// A change of the thing `key` of the kind `namespace`.
    pub fn write(namespace: impl Into<Cow<'static, str>>, key: impl ToString) -> Self {
        Self { namespace: namespace.into(), key: key.to_string(), access: Access::Write }
    }

    /// Whether two calls that claim these may not run beside each other.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        (self.access == Access::Write || other.access == Access::Write)
            && self.namespace == other.namespace
            && self.key == other.key
    }
}

/// What may become of a tool's results in a long conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct HistoryPolicy {
    /// Arguments, by wire name, of which only the latest result is kept: reading a file again replaces the earlier look.
    pub deduplicate_by: Vec<Cow<'static, str>>,
    /// An old result may be dropped, since calling again brings it back.
    pub compact: bool,
    /// The latest result stays whatever happens: a plan, a list of tasks.
    pub pin: bool,
}

/// What one call is about, so that a runtime can tell that a model goes round in circles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallIdentity {
    /// What is done: `read`, `search`.
    pub operation: Cow<'static, str>,
    /// What it is done to.
    pub target: Option<String>,
    /// What else tells two such calls apart.
    pub arguments_key: Option<String>,
}

mod milliseconds {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::time::Duration;

    #[allow(clippy::ref_option)] // serde's signature
    pub(super) fn serialize<S: Serializer>(value: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(|value| u64::try_from(value.as_millis()).unwrap_or(u64::MAX)).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(Duration::from_millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_write_of_the_same_thing_conflicts() {
        let read = ResourceClaim::read("order", 7);
        let write = ResourceClaim::write("order", "7");
        assert!(!read.conflicts_with(&read.clone()));
        assert!(write.conflicts_with(&read) && read.conflicts_with(&write) && write.conflicts_with(&write.clone()));
        assert!(!write.conflicts_with(&ResourceClaim::write("order", "8")));
        assert!(!write.conflicts_with(&ResourceClaim::write("user", "7")));
    }

    #[test]
    fn saying_nothing_gives_no_leave() {
        let nothing = ToolBehaviour::default();
        assert_eq!((nothing.private_data, nothing.untrusted_input, nothing.egress), (None, None, None));
        assert_eq!(nothing.concurrency, ConcurrencyClass::Serial);
        assert!(nothing.counts_toward_call_limit && !nothing.blocking);
        let json = serde_json::to_string(&ToolBehaviour { timeout: Some(Duration::from_secs(2)), ..nothing }).unwrap();
        assert!(json.contains(r#""timeout":2000"#), "{json}");
        assert_eq!(serde_json::from_str::<ToolBehaviour>(&json).unwrap().timeout, Some(Duration::from_secs(2)));
    }
}
