//! The record of one operation, and what is asked of it.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::call::ToolCall;
use crate::coordinates::{OperationId, RunId, ThreadId, WorkspaceId};
use crate::descriptor::ContentIdentity;
use crate::hook::HookReaction;
use crate::operation::{ToolOperationContext, ledger_prefix};
use crate::output::{Suspension, ToolOutput};
use crate::recovery::ToolRecoveryPolicy;
use crate::state::StateCommand;

/// One run of one conversation of one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunScope {
    /// The tenant or project.
    pub workspace: WorkspaceId,
    /// The conversation.
    pub thread: ThreadId,
    /// The run.
    pub run: RunId,
}

impl RunScope {
    /// Puts the three coordinates together.
    pub fn new(workspace: WorkspaceId, thread: ThreadId, run: RunId) -> Self {
        Self { workspace, thread, run }
    }

    /// One operation of this run.
    pub fn operation(&self, operation: OperationId) -> ToolOperationContext {
        ToolOperationContext::new(self.workspace.clone(), self.thread.clone(), self.run.clone(), operation)
    }

    /// What the ledger ids of this run's operations start with, 16 hexadecimal digits: a ledger that sorts by id has them
    /// side by side. Another run may have the same ones, however unlikely.
    pub fn ledger_prefix(&self) -> String {
        ledger_prefix(&self.workspace, &self.thread, &self.run)
    }
}

/// What a runtime intends to do: all that a ledger compares and keeps. Written down before anything is dispatched.
#[derive(Clone)]
pub struct OperationIntent {
    /// Which operation: its token is the ledger's key.
    pub operation: ToolOperationContext,
    /// The call as the model made it, which it is made again from.
    pub call: ToolCall,
    /// The tool's content identity, if it has a descriptor.
    pub identity: Option<ContentIdentity>,
    /// The arguments as they were decoded, which are compared.
    pub arguments: Arc<str>,
    /// What may be done after a crash.
    pub policy: ToolRecoveryPolicy,
    /// The tool's own key for this call.
    pub idempotency_key: Option<String>,
    /// Why a person has to approve of the call first; `None` where nobody has to.
    pub approval: Option<String>,
    /// How long the lease holds unless it is renewed.
    pub lease: Duration,
}

/// The leave to execute an operation, until it ends or is taken over.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Lease {
    /// Which operation: under an idempotency key that of the first call.
    pub operation: ToolOperationContext,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// Grows with every change of hands: what a late owner brings is recognised by its older number.
    pub fence: u64,
    /// When the operation was begun: a run that is forgotten and has the same name again has operations of the same names.
    pub begun_at: SystemTime,
    /// How long it holds unless it is renewed.
    pub duration: Duration,
    /// The answer that the operation waited for.
    pub answer: Option<Value>,
}

/// What is to be done with an operation that was to begin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Begun {
    /// Execute it.
    Execute(Lease),
    /// It has a result already: this one.
    Replay(Box<Recorded>),
    /// It waits.
    Waiting(Ticket, Wait),
    /// Its outcome is unknown, and a person has to settle it.
    InDoubt {
        /// The operation's id in the ledger.
        ledger_id: String,
        /// What happened.
        why: String,
    },
    /// Somebody else executes it, and its lease holds until then.
    Busy {
        /// When the lease ends unless it is renewed.
        until: SystemTime,
    },
    /// Something else was recorded for this operation: nothing is done.
    Conflict {
        /// What differs.
        what: Cow<'static, str>,
    },
}

/// The recorded result of an operation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recorded {
    /// Which operation: under an idempotency key perhaps another than was asked for.
    pub operation: ToolOperationContext,
    /// The result, answering the call that asked.
    pub output: ToolOutput,
    /// What the after-tool hooks made of it, if that has been committed.
    pub reaction: Option<HookReaction>,
}

/// What a parked operation waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Wait {
    /// A person's approval, before anything is done.
    Approval {
        /// Why it is needed.
        reason: String,
    },
    /// What the tool itself asked for.
    Tool(Suspension),
}

/// Names a parked operation to whoever answers it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ticket(String);

impl Ticket {
    /// The ticket that bears this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id, in the ledger, of the operation that it would answer; `None` for a text that is no ticket.
    pub fn ledger_id(&self) -> Option<&str> {
        self.0.rsplit_once('-').map(|(ledger_id, _)| ledger_id)
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a person found out of an operation in doubt.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Resolution {
    /// It happened, and this is its result.
    Happened(ToolOutput),
    /// It did not happen: the operation may begin again, with a new budget of attempts.
    DidNotHappen,
    /// It will not be found out, or is settled elsewhere: this is what the model is told.
    Abandoned(String),
}

impl Resolution {
    /// The commands on the run's state that are committed with it.
    pub fn state(&self) -> &[StateCommand] {
        match self {
            Self::Happened(output) => &output.state,
            Self::DidNotHappen | Self::Abandoned(_) => &[],
        }
    }
}

/// What is known of one operation.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OperationRecord {
    /// Which operation.
    #[serde(with = "coordinates")]
    pub operation: ToolOperationContext,
    /// The model's id of the call: correlation only.
    #[serde(with = "shared_text")]
    pub call_id: Arc<str>,
    /// Which tool.
    #[serde(with = "shared_text")]
    pub tool_id: Arc<str>,
    /// The tool's content identity when the operation was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<ContentIdentity>,
    /// The arguments as the model wrote them. They may hold secrets: a listing for people goes through
    /// [`ToolRuntime::operations`](crate::ToolRuntime::operations).
    #[serde(with = "shared_text")]
    pub raw_arguments: Arc<str>,
    /// The arguments as they were decoded.
    #[serde(with = "shared_text")]
    pub arguments: Arc<str>,
    /// What may be done after a crash.
    pub policy: ToolRecoveryPolicy,
    /// The tool's own key for this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Whether a person approved of the call.
    #[serde(default)]
    pub approved: bool,
    /// How many attempts were started since it last came to an end or was settled.
    pub attempts: u32,
    /// Whether an attempt may have done something and its outcome was never recorded. A later attempt's result decides
    /// it, or a person; until then nobody may claim that nothing was done.
    #[serde(default)]
    pub unsettled: bool,
    /// Whether the tool itself has waited: what it did until then stands, and nobody may claim that nothing was done.
    #[serde(default)]
    pub waited: bool,
    /// How often it changed hands.
    pub fence: u64,
    /// How often it was parked.
    pub waits: u32,
    /// The last answer to a wait, for every attempt until there is a result.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub answer: Option<Value>,
    /// Where it stands.
    pub state: OperationState,
    /// What the after-tool hooks made of it, once they have run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reaction: Option<HookReaction>,
    /// When it was begun.
    pub begun_at: SystemTime,
    /// When it last changed.
    pub changed_at: SystemTime,
}

/// Where an operation stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OperationState {
    /// Somebody executes it, or died in doing so.
    Running {
        /// Who.
        #[serde(with = "shared_text")]
        owner: Arc<str>,
        /// When the lease ends unless it is renewed.
        until: SystemTime,
    },
    /// It may begin again.
    Ready {
        /// Why it is not running.
        why: String,
    },
    /// It waits.
    Suspended {
        /// For what.
        wait: Wait,
        /// By which it is answered.
        ticket: Ticket,
    },
    /// What it waited for has come; it may begin again.
    Answered,
    /// Its outcome is unknown.
    InDoubt {
        /// What happened.
        why: String,
    },
    /// It has its result.
    Completed {
        /// The result.
        output: ToolOutput,
    },
}

impl OperationState {
    /// The stage, without what belongs to it.
    pub fn stage(&self) -> Stage {
        match self {
            Self::Running { .. } => Stage::Running,
            Self::Ready { .. } => Stage::Ready,
            Self::Suspended { .. } => Stage::Suspended,
            Self::Answered => Stage::Answered,
            Self::InDoubt { .. } => Stage::InDoubt,
            Self::Completed { .. } => Stage::Completed,
        }
    }
}

/// The name of an [`OperationState`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// [`OperationState::Running`].
    Running,
    /// [`OperationState::Ready`].
    Ready,
    /// [`OperationState::Suspended`].
    Suspended,
    /// [`OperationState::Answered`].
    Answered,
    /// [`OperationState::InDoubt`].
    InDoubt,
    /// [`OperationState::Completed`].
    Completed,
}

impl Stage {
    /// The name, as it is serialized: `in_doubt`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ready => "ready",
            Self::Suspended => "suspended",
            Self::Answered => "answered",
            Self::InDoubt => "in_doubt",
            Self::Completed => "completed",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Which operations are listed: those that fit everything that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationFilter {
    /// Of this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Of this run.
    pub run: Option<RunScope>,
    /// At this stage.
    pub stage: Option<Stage>,
}

impl OperationFilter {
    /// Every operation.
    pub fn all() -> Self {
        Self::default()
    }

    /// Those of a run.
    #[must_use]
    pub fn of_run(self, run: RunScope) -> Self {
        Self { run: Some(run), ..self }
    }

    /// Those of a workspace.
    #[must_use]
    pub fn of_workspace(self, workspace: WorkspaceId) -> Self {
        Self { workspace: Some(workspace), ..self }
    }

    /// Those at a stage.
    #[must_use]
    pub fn at(self, stage: Stage) -> Self {
        Self { stage: Some(stage), ..self }
    }

    /// Whether a record fits.
    pub fn takes(&self, record: &OperationRecord) -> bool {
        let operation = &record.operation;
        self.workspace.as_ref().is_none_or(|workspace| workspace == operation.workspace_id())
            && self.stage.is_none_or(|stage| stage == record.state.stage())
            && self.run.as_ref().is_none_or(|run| *run == operation.scope())
    }
}

impl fmt::Debug for OperationIntent {
    /// Without the arguments, which may hold what must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperationIntent")
            .field("operation", &self.operation)
            .field("tool_id", &self.call.tool_id)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Lease {
    /// Without the answer, which may hold what must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease")
            .field("operation", &self.operation)
            .field("attempt", &self.attempt)
            .field("fence", &self.fence)
            .field("duration", &self.duration)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for OperationRecord {
    /// Without arguments, answers and results, which may hold what must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperationRecord")
            .field("operation", &self.operation)
            .field("tool_id", &self.tool_id)
            .field("policy", &self.policy)
            .field("attempts", &self.attempts)
            .field("fence", &self.fence)
            .field("stage", &self.state.stage())
            .finish_non_exhaustive()
    }
}

/// Coordinates are not serde's, so that no output carries one; a ledger stores their texts.
mod coordinates {
    use super::{OperationId, RunId, ThreadId, ToolOperationContext, WorkspaceId};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(at: &ToolOperationContext, serializer: S) -> Result<S::Ok, S::Error> {
        let parts =
            [at.workspace_id().as_str(), at.thread_id().as_str(), at.run_id().as_str(), at.operation_id().as_str()];
        parts.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ToolOperationContext, D::Error> {
        let [workspace, thread, run, operation] = <[String; 4]>::deserialize(deserializer)?;
        Ok(ToolOperationContext::new(
            WorkspaceId::new(workspace),
            ThreadId::new(thread),
            RunId::new(run),
            OperationId::new(operation),
        ))
    }
}

/// What is there is an answer, also `null`, which serde would take for none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

mod shared_text {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::sync::Arc;

    pub(super) fn serialize<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(deserializer).map(Into::into)
    }
}
