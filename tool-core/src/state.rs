//! Commands on a run's state, as a tool stages them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    /// Removes the entry; nothing happens where there is none.
    Remove,
}

impl StateCommand {
    /// Replaces the entry `key` by `value`.
    pub fn set(key: impl Into<String>, value: Value) -> Self {
        Self { key: key.into(), action: StateAction::Set(value) }
    }

    /// Removes the entry `key`.
    pub fn remove(key: impl Into<String>) -> Self {
        Self { key: key.into(), action: StateAction::Remove }
    }
}
