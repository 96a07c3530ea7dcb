//! Where a run is: the runtime's own coordinates, which no model may author.
//!
//! None of these types implements `serde::Deserialize` or `schemars::JsonSchema`, and none will: an argument
//! type that holds one, however nested, aliased or wrapped, does not compile. They are not `Serialize` either, so
//! that an output cannot carry one to the model by accident; [`as_str`](RunId::as_str) is there for logs and stores.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// Names that belong to the runtime. A property of this name in a model-authored schema is refused by the macro and
/// by the registry, in every spelling ([`is_reserved_property`]), unless the tool declares it a business field.
pub const RESERVED_PROPERTY_NAMES: [&str; 8] =
    ["run_id", "thread_id", "workspace", "workspace_id", "effect_id", "operation_id", "operation_token", "call_id"];

/// Whether `name` is one of [`RESERVED_PROPERTY_NAMES`] in any spelling: only letters and digits count, and not their
/// case, so `runId`, `RunID`, `run-id` and `$run_id` are all `run_id`.
///
/// ```
/// assert!(tool_core::is_reserved_property("threadId"));
/// assert!(!tool_core::is_reserved_property("marathon_run"));
/// ```
pub fn is_reserved_property(name: &str) -> bool {
    RESERVED_PROPERTY_NAMES.iter().any(|reserved| significant(reserved).eq(significant(name)))
}

pub(crate) fn significant(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

macro_rules! coordinate {
    ($(#[$doc:meta])* $name:ident($text:ty)) => {
        $(#[$doc])*
        ///
        /// Opaque text, chosen by the runtime; cloning is a reference count.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($text);

        impl $name {
            /// Takes the runtime's own text for this coordinate. An empty text is kept, and yields no operation token.
            pub fn new(id: impl Into<Arc<str>>) -> Self {
                Self(id.into().into())
            }

            /// The text as it was given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:?})"), &*self.0)
            }
        }
    };
}

coordinate! {
    /// One run of an agent: from a user's request to its last step.
    RunId(Arc<str>)
}
coordinate! {
    /// The conversation that a run belongs to.
    ThreadId(Arc<str>)
}
coordinate! {
    /// The tenant or project whose data a run may touch.
    WorkspaceId(Arc<str>)
}

coordinate! {
    /// One operation of a run, from the run's own counting (step and position), never from the model's `call_id`.
    OperationId(OperationText)
}

impl OperationId {
    /// The operation at `position` (from 0) of the batch of calls that `step` (from 0) of a run makes.
    ///
    /// ```
    /// assert_eq!(tool_core::OperationId::at(2, 0).as_str(), "step-2/call-0");
    /// ```
    pub fn at(step: u64, position: u32) -> Self {
        // Without `format!`, which would cost a tenth of what the pipeline adds to a call.
        let mut text = [0; OPERATION_LENGTH];
        let mut rest = text.len();
        let mut prepend = |bytes: &[u8]| {
            let from = rest - bytes.len();
            text[from..rest].copy_from_slice(bytes);
            rest = from;
        };
        for (name, mut number) in [(&b"/call-"[..], u64::from(position)), (b"step-", step)] {
            loop {
                prepend(&[b'0' + (number % 10) as u8]);
                number /= 10;
                if number == 0 {
                    break;
                }
            }
            prepend(name);
        }
        Self(OperationText::At { text, from: rest })
    }
}

/// The longest text of a step and a position: `u64::MAX` and `u32::MAX` have 20 and 10 digits.
const OPERATION_LENGTH: usize = "step-/call-".len() + 20 + 10;

/// The text of an operation. There is one for each call, so that what a runtime makes stands in place.
#[derive(Clone)]
enum OperationText {
    At { text: [u8; OPERATION_LENGTH], from: usize },
    Other(Arc<str>),
}

impl OperationText {
    /// What is compared and hashed: that it is UTF-8 matters only to who reads it.
    fn bytes(&self) -> &[u8] {
        match self {
            Self::At { text, from } => text.get(*from..).unwrap_or_default(),
            Self::Other(text) => text.as_bytes(),
        }
    }
}

impl Deref for OperationText {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::At { .. } => str::from_utf8(self.bytes()).unwrap_or_default(),
            Self::Other(text) => text,
        }
    }
}

impl From<Arc<str>> for OperationText {
    fn from(text: Arc<str>) -> Self {
        Self::Other(text)
    }
}

impl PartialEq for OperationText {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for OperationText {}

impl PartialOrd for OperationText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OperationText {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

impl Hash for OperationText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{BuildHasher, RandomState};

    #[test]
    fn an_operation_is_named_for_its_step_and_its_position() {
        for (step, position) in [(0, 0), (9, 10), (10, 9), (100, 1), (u64::MAX, u32::MAX)] {
            let (at, text) = (OperationId::at(step, position), format!("step-{step}/call-{position}"));
            assert_eq!(at.as_str(), text);
            let hash = RandomState::new();
            assert_eq!(
                (&at, hash.hash_one(&at)),
                (&OperationId::new(text.as_str()), hash.hash_one(OperationId::new(text)))
            );
        }
    }

    #[test]
    fn reserved_names_are_found_in_every_spelling() {
        for name in [
            "run_id",
            "runId",
            "RunID",
            "RUN_ID",
            "run-id",
            "_run_id",
            "run.id",
            "run/id",
            "$run_id",
            "run\u{a0}id",
            "workspace",
            "WorkSpaceId",
        ] {
            assert!(is_reserved_property(name), "{name}");
        }
        for name in ["run", "id", "workspaces", "call", "caller_id", "thread", "rerun_id", ""] {
            assert!(!is_reserved_property(name), "{name}");
        }
    }
}
