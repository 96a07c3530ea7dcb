//! What waits or is in doubt, and the answers to it.

use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::report::CallReport;
use super::run::Run;
use super::step::Step;
use super::{PlannedTool, ToolRuntime, read, step};
use crate::args::{ArgumentLimits, ArgumentParser};
use crate::call::{ToolArguments, ToolCall};
use crate::error::ToolError;
use crate::ledger::{LedgerError, OperationRecord, OperationState, Resolution, Stage, Ticket, Wait, approval_schema};
use crate::output::{Suspension, ToolOutput};

impl ToolRuntime {
    /// Answers a call that waits, and takes it on: `{"approve": true}` or `false`, with a `note`, to a wait for approval, and
    /// what its schema says to a tool's own. Only the first answer counts.
    ///
    /// The answer is recorded before the tool is entered again, so that a crash in between loses nothing: the step that
    /// is executed again goes on from there.
    pub async fn resume(&self, ticket: &Ticket, answer: Value) -> Result<CallReport, ResumeError> {
        let record = self.waiting(ticket).await?;
        let OperationState::Suspended { wait, .. } = &record.state else { return Err(LedgerError::NotWaiting.into()) };
        if matches!(wait, Wait::Tool(Suspension::Until(instant)) if SystemTime::now() >= *instant) {
            let run = self.run(record.operation.scope()).await?;
            return Ok(take_on(&run, record).await); // the instant is the answer
        }
        let answer = fitting(wait, answer)?;
        let run = self.run(record.operation.scope()).await?;
        readable(&run, &record)?;
        let record = self.inner.ledger.answer(ticket, &answer).await?;
        Ok(take_on(&run, record).await)
    }

    /// Settles an operation in doubt by what a person found out, and takes its call on: the model's answer is in the
    /// report. An operation that did not happen is executed now. One that waits and will not be answered is given up by
    /// [`Resolution::Abandoned`].
    pub async fn resolve(&self, ledger_id: &str, resolution: Resolution) -> Result<CallReport, ResumeError> {
        let record = self.inner.ledger.resolve(ledger_id, &resolution).await?;
        let run = self.run(record.operation.scope()).await?;
        Ok(take_on(&run, record).await)
    }

    async fn waiting(&self, ticket: &Ticket) -> Result<OperationRecord, LedgerError> {
        let ledger_id = ticket.ledger_id().ok_or(LedgerError::NotFound)?;
        let record = self.inner.ledger.find(ledger_id).await?.ok_or(LedgerError::NotFound)?;
        if record.ticket() == Some(ticket) { Ok(record) } else { Err(LedgerError::NotWaiting) }
    }
}

/// An answer counts once, so that it is not taken for a call that could not go on.
fn readable(run: &Run, record: &OperationRecord) -> Result<(), ResumeError> {
    let step = Step::new(Arc::clone(&run.state), 1);
    let read = read::read(step, record.operation.clone(), request_of(record), &mut 0);
    read.map(drop).map_err(|refused| ResumeError::Tool(refused.error))
}

/// Takes a recorded call through the stages again.
async fn take_on(run: &Run, record: OperationRecord) -> CallReport {
    let request = request_of(&record);
    step::alone(&run.state, record.operation, request).await
}

/// The call as it was made. It was within its limits then.
fn request_of(record: &OperationRecord) -> ToolCall {
    let limits = ArgumentLimits::default().with_max_bytes(usize::MAX).with_max_depth(usize::MAX);
    let arguments = ToolArguments::from(Arc::clone(&record.raw_arguments)).with_limits(limits);
    ToolCall::new(Arc::clone(&record.call_id), Arc::clone(&record.tool_id), arguments)
}

/// The answer as the schema has it. Read as a model's arguments are, under a property of its own, since an answer need be no
/// object.
fn fitting(wait: &Wait, answer: Value) -> Result<Value, ResumeError> {
    let schema = match wait {
        Wait::Approval { .. } => approval_schema(),
        Wait::Tool(Suspension::Input { input_schema, .. }) => input_schema.clone(),
        Wait::Tool(Suspension::Until(instant)) => return Err(ResumeError::TooEarly { until: *instant }),
    };
    let parser = ArgumentParser::of_value(ANSWER, &schema, &schema);
    let parser = parser.map_err(|reason| ResumeError::Schema(reason.to_string()))?;
    let parsed = parser.parse::<Value>(&json!({ ANSWER: answer }).into()).map_err(ResumeError::Answer)?;
    let Value::Object(mut answered) = parsed.args else { return Ok(Value::Null) };
    Ok(answered.remove(ANSWER).unwrap_or_default())
}

/// An output that waits for an answer which nobody could check becomes a failure.
pub(super) fn refuse_unanswerable(output: &mut ToolOutput) {
    let Some(Suspension::Input { input_schema, .. }) = output.suspension.as_deref() else { return };
    if let Err(reason) = ArgumentParser::of_value(ANSWER, input_schema, input_schema) {
        tracing::error!(%reason, "a tool waits for an answer by a schema that cannot be checked");
        *output =
            ToolOutput::error("The tool asked for an answer in a form that cannot be checked, and did not go on.");
    }
}

/// The property under which an answer is read.
const ANSWER: &str = "answer";

/// Why a call was not taken on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResumeError {
    /// The answer is not what is waited for; the call still waits.
    Answer(ToolError),
    /// The schema of the answer, which the tool gave, promises what cannot be checked.
    Schema(String),
    /// The call waits for an instant, and goes on when its step is executed after it.
    TooEarly {
        /// The instant.
        until: SystemTime,
    },
    /// The tool cannot take the call at the moment: it is not there, or reads its arguments no more. The call still waits.
    Tool(ToolError),
    /// The ledger refused.
    Ledger(LedgerError),
}

impl From<LedgerError> for ResumeError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(error) => error.fmt(f),
            Self::Schema(reason) => write!(f, "the tool's schema for the answer cannot be checked: {reason}"),
            Self::TooEarly { .. } => {
                f.write_str("the call waits for an instant that has not come; execute its step again later")
            }
            Self::Tool(error) => write!(f, "the call still waits, since its tool cannot take it: {error}"),
            Self::Ledger(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ResumeError {}

/// An operation as people are shown it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OperationView {
    /// Its id in the ledger, by which it is [settled](ToolRuntime::resolve).
    pub ledger_id: String,
    /// The workspace it belongs to.
    pub workspace: String,
    /// The conversation.
    pub thread: String,
    /// The run.
    pub run: String,
    /// Its place in the run.
    pub operation: String,
    /// The tool.
    pub tool_id: String,
    /// The arguments; what is secret in them is not shown.
    pub arguments: Value,
    /// Where it stands.
    pub stage: Stage,
    /// What it waits for, or why it stands where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The ticket by which it is [answered](ToolRuntime::resume), while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket: Option<Ticket>,
    /// How many attempts there were.
    pub attempts: u32,
    /// When it was begun.
    pub begun_at: SystemTime,
    /// When it last changed.
    pub changed_at: SystemTime,
}

impl OperationView {
    /// Of a tool that is not known any more, nothing is shown of the arguments: what of them is secret is not known either.
    pub(super) fn of(record: &OperationRecord, tool: Option<&Arc<PlannedTool>>) -> Self {
        let arguments = tool.map_or_else(
            || Value::from("[arguments of a tool that is not known here]"),
            |tool| tool.descriptor.redact(&ToolArguments::from(Arc::clone(&record.arguments))),
        );
        let at = &record.operation;
        Self {
            ledger_id: record.ledger_id(),
            workspace: at.workspace_id().to_string(),
            thread: at.thread_id().to_string(),
            run: at.run_id().to_string(),
            operation: at.operation_id().to_string(),
            tool_id: record.tool_id.to_string(),
            arguments,
            stage: record.state.stage(),
            why: why(&record.state),
            ticket: record.ticket().cloned(),
            attempts: record.attempts,
            begun_at: record.begun_at,
            changed_at: record.changed_at,
        }
    }
}

fn why(state: &OperationState) -> Option<String> {
    match state {
        OperationState::Ready { why } | OperationState::InDoubt { why } => Some(why.clone()),
        OperationState::Suspended { wait: Wait::Approval { reason }, .. }
        | OperationState::Suspended { wait: Wait::Tool(Suspension::Input { reason, .. }), .. } => Some(reason.clone()),
        _ => None,
    }
}
