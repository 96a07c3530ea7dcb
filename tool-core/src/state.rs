//! Commands on a run's state, as a tool stages them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The state of a run: entries by their keys.
pub type StateEntries = BTreeMap<String, Value>;

/// A typed entry of a run's state.
///
/// ```
/// use tool_core::{StateEntries, StateKey, ToolOutput};
///
/// struct Visits;
///
/// impl StateKey for Visits {
///     const KEY: &'static str = "visits";
///     type Value = u32;
/// }
///
/// let output = ToolOutput::ok("Noted.").with_state(Visits::set(&3)?);
/// let mut entries = StateEntries::new();
/// output.state[0].apply(&mut entries);
/// assert_eq!(Visits::read(&entries)?, Some(3));
/// # Ok::<(), tool_core::StateError>(())
/// ```
pub trait StateKey {
    /// The entry's key. Begin it with the name of whoever owns it.
    const KEY: &'static str;
    /// What the entry holds.
    type Value: Serialize + DeserializeOwned;

    /// A command that replaces the entry. Fails where the value cannot be written as JSON.
    fn set(value: &Self::Value) -> Result<StateCommand, StateError> {
        let value = serde_json::to_value(value).map_err(|error| StateError::new(Self::KEY, &error))?;
        Ok(StateCommand::set(Self::KEY, value))
    }

    /// A command that removes the entry.
    fn remove() -> StateCommand {
        StateCommand::remove(Self::KEY)
    }

    /// The entry; `None` where there is none. Fails where it is not what the key says.
    fn read(entries: &StateEntries) -> Result<Option<Self::Value>, StateError> {
        let entry = entries.get(Self::KEY).map(Self::Value::deserialize).transpose();
        entry.map_err(|error| StateError::new(Self::KEY, &error))
    }
}

/// What the model is told with its next request alone. Hooks and tools [add](Self::add) to it; whoever makes the request
/// [takes](crate::Run::take_context_messages) it.
pub struct ContextMessages;

impl ContextMessages {
    /// One more message, after those of other calls.
    pub fn add(message: impl Into<String>) -> StateCommand {
        StateCommand::append(Self::KEY, Value::String(message.into()))
    }
}

impl StateKey for ContextMessages {
    const KEY: &'static str = "tool_core.context_messages";
    type Value = Vec<String>;
}

/// An entry of a run's state that is not what its key says. The text names the entry and shows nothing of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateError {
    key: &'static str,
    kind: &'static str,
}

impl StateError {
    fn new(key: &'static str, error: &serde_json::Error) -> Self {
        let kind = if error.is_data() { "does not fit its type" } else { "cannot be written as JSON" };
        Self { key, kind }
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the state entry {:?} {}", self.key, self.kind)
    }
}

impl std::error::Error for StateError {}

/// One change of a run's state, staged on a [`ToolOutput`](crate::ToolOutput) and committed with it or not at all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateCommand {
    /// Which entry of the state.
    pub key: String,
    /// What becomes of it.
    pub action: StateAction,
}

/// What a [`StateCommand`] does to its entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StateAction {
    /// Replaces the entry whole.
    Set(Value),
    /// Adds to the end of the entry's list, which is made where there is none; what is no list becomes its first element.
    Append(Value),
    /// Removes the entry; nothing happens where there is none.
    Remove,
}

impl StateCommand {
    /// Replaces the entry `key` by `value`.
    pub fn set(key: impl Into<String>, value: Value) -> Self {
        Self { key: key.into(), action: StateAction::Set(value) }
    }

    /// Adds `value` to the list `key`: what several calls add at once stays, one after the other.
    pub fn append(key: impl Into<String>, value: Value) -> Self {
        Self { key: key.into(), action: StateAction::Append(value) }
    }

    /// Applies the command to a run's entries.
    pub fn apply(&self, entries: &mut StateEntries) {
        match &self.action {
            StateAction::Set(value) => drop(entries.insert(self.key.clone(), value.clone())),
            StateAction::Append(value) => {
                let entry = entries.entry(self.key.clone()).or_insert_with(|| Value::Array(Vec::new()));
                if !entry.is_array() {
                    *entry = Value::Array(vec![entry.take()]);
                }
                if let Value::Array(list) = entry {
                    list.push(value.clone());
                }
            }
            StateAction::Remove => drop(entries.remove(&self.key)),
        }
    }

    /// Removes the entry `key`.
    pub fn remove(key: impl Into<String>) -> Self {
        Self { key: key.into(), action: StateAction::Remove }
    }
}
