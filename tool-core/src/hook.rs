//! What is told of a call after its result was recorded, and may be made of it.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::call::ToolCall;
use crate::descriptor::ToolDescriptor;
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;
use crate::state::StateCommand;

/// Looks at each call after its result was recorded: to count, to remind the model of something, to keep a state.
///
/// A hook changes no result. One that panics or fails is traced and has no reaction. After a crash between the result and
/// the reaction it is asked again, so that it may run twice for one call; its reaction is committed once.
#[async_trait]
pub trait AfterToolHook: Send + Sync {
    /// What is to be committed because of this call.
    async fn after_tool(&self, finished: &FinishedCall<'_>) -> Result<HookReaction, HookError>;
}

/// A call that has its recorded result.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FinishedCall<'a> {
    /// Which operation it was.
    pub operation: &'a ToolOperationContext,
    /// The call, as the model made it.
    pub call: &'a ToolCall,
    /// The tool, if it has a descriptor.
    pub descriptor: Option<&'a ToolDescriptor>,
    /// The result as it was recorded.
    pub output: &'a ToolOutput,
}

/// Why a hook could not react: for the operator.
pub type HookError = Box<dyn std::error::Error + Send + Sync>;

/// What hooks make of a call. It is committed whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HookReaction {
    /// Commands on the run's state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<StateCommand>,
    /// Messages that remind the model of something, for the conversation to keep. What is for the next request alone goes
    /// through the [`ContextMessages`](crate::ContextMessages) state instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reminders: Vec<String>,
}

impl HookReaction {
    /// Nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// Reminds the model.
    #[must_use]
    pub fn with_reminder(mut self, text: impl Into<String>) -> Self {
        self.reminders.push(text.into());
        self
    }

    /// Stages a command on the run's state.
    #[must_use]
    pub fn with_state(mut self, command: StateCommand) -> Self {
        self.state.push(command);
        self
    }

    /// Whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.state.is_empty() && self.reminders.is_empty()
    }

    /// This reaction, then another.
    pub(crate) fn then(mut self, other: Self) -> Self {
        self.state.extend(other.state);
        self.reminders.extend(other.reminders);
        self
    }
}
