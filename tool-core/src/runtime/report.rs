//! What a step comes to.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use super::event::ToolEventKind;
use crate::behaviour::CallIdentity;
use crate::call::ToolCall;
use crate::ledger::{Ticket, Wait};
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;

/// The results of one step, in the order of its calls: one for each, whatever happened.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// One report a call.
    pub calls: Vec<CallReport>,
}

impl StepReport {
    /// What the conversation is to keep besides the results: the reminders of hooks, in the order of the calls.
    pub fn reminders(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().flat_map(|call| &call.reminders).map(String::as_str)
    }

    /// Whether every call has come to an end: none waits, is in doubt, or is executed elsewhere.
    pub fn is_settled(&self) -> bool {
        self.calls.iter().all(|call| call.status.is_settled())
    }
}

/// What one call came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallReport {
    /// The model's id of the call.
    pub call_id: Arc<str>,
    /// Which tool was called.
    pub tool_id: Arc<str>,
    /// Which operation it was.
    pub operation: ToolOperationContext,
    /// What the model is told.
    pub output: ToolOutput,
    /// How it came to that.
    pub status: CallStatus,
    /// What it was about, where the tool says so and its arguments could be read.
    pub identity: Option<CallIdentity>,
    /// What hooks remind the model of.
    pub reminders: Vec<String>,
}

/// How a call came to what the model is told.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CallStatus {
    /// It has its result, which is recorded; a failure in the tool's own words is one too.
    Finished {
        /// The result was recorded earlier, and nothing was executed now.
        replayed: bool,
    },
    /// It could not be made: no such tool, arguments that do not fit, too many calls, a ledger that cannot be used. Nothing was
    /// executed.
    Refused {
        /// For the operator.
        why: Cow<'static, str>,
    },
    /// A gate denied it. Nothing was executed.
    Denied {
        /// For the operator: what to change so that such a call is allowed.
        remedy: String,
    },
    /// The run or the step ended before it was started. Nothing was executed.
    NotRun {
        /// For the operator.
        why: Cow<'static, str>,
    },
    /// It waits, and goes on with [`ToolRuntime::resume`](crate::ToolRuntime::resume) or, for an instant, when its step is
    /// executed again after it.
    Waiting {
        /// By which it is answered.
        ticket: Ticket,
        /// For what.
        wait: Wait,
    },
    /// Its outcome is unknown. [`ToolRuntime::resolve`](crate::ToolRuntime::resolve) settles it.
    InDoubt {
        /// The operation's id in the ledger.
        ledger_id: String,
        /// For the operator.
        why: String,
    },
    /// Another process executes it, and had not ended in the time that there was.
    Elsewhere {
        /// When its lease ends unless it is renewed.
        until: SystemTime,
    },
    /// The run or the step ended after an attempt that may have done something, and which may be repeated; or what executed it
    /// broke down, and has not said how far it came. It goes on when its step is executed again, as far as the ledger allows.
    Unfinished {
        /// For the operator.
        why: Cow<'static, str>,
    },
    /// Something else was recorded for this operation. Nothing was executed.
    Conflict {
        /// What differs.
        what: Cow<'static, str>,
    },
}

impl CallStatus {
    /// Its name: `in_doubt`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Finished { .. } => "finished",
            Self::Refused { .. } => "refused",
            Self::Denied { .. } => "denied",
            Self::NotRun { .. } => "not_run",
            Self::Waiting { .. } => "waiting",
            Self::InDoubt { .. } => "in_doubt",
            Self::Elsewhere { .. } => "elsewhere",
            Self::Unfinished { .. } => "unfinished",
            Self::Conflict { .. } => "conflict",
        }
    }

    /// Whether it has come to an end.
    pub fn is_settled(&self) -> bool {
        !matches!(self, Self::Waiting { .. } | Self::InDoubt { .. } | Self::Elsewhere { .. } | Self::Unfinished { .. })
    }
}

/// What a call has come to: all of its report that does not stand from the beginning.
pub(super) struct Ending {
    pub(super) output: ToolOutput,
    pub(super) status: CallStatus,
    pub(super) reminders: Vec<String>,
}

impl Ending {
    /// In a box, since it is handed on from stage to stage.
    pub(super) fn of(output: ToolOutput, status: CallStatus) -> Box<Self> {
        Box::new(Self { output, status, reminders: Vec::new() })
    }

    pub(super) fn event(&self) -> ToolEventKind {
        ToolEventKind::Ended { status: self.status.clone(), is_error: self.output.is_error }
    }
}

impl CallReport {
    pub(super) fn new(
        call: ToolCall,
        operation: ToolOperationContext,
        identity: Option<CallIdentity>,
        ending: Box<Ending>,
    ) -> Self {
        let ToolCall { call_id, tool_id, .. } = call;
        let Ending { mut output, status, reminders } = *ending;
        if output.call_id != *call_id {
            output.call_id = String::from(&*call_id);
        }
        Self { call_id, tool_id, operation, output, status, identity, reminders }
    }
}
