//! One run, and the steps it takes.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::call::Call;
use super::report::{CallReport, CallStatus, StepReport};
use super::waves::waves;
use super::{Inner, ToolRuntime, call, read};
use crate::call::ToolCall;
use crate::contain::{self, Panicked};
use crate::coordinates::OperationId;
use crate::error::ToolError;
use crate::gate::Touched;
use crate::ledger::{LedgerError, OperationFilter, RunScope, Stage};
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;
use crate::prepared::CallBody;
use crate::state::{ContextMessages, StateCommand, StateEntries, StateError, StateKey};

/// One run of an agent: the steps of a conversation, each the calls of one model turn. Cloning shares it.
#[derive(Clone)]
pub struct Run {
    pub(super) runtime: ToolRuntime,
    pub(super) state: Arc<RunState>,
}

/// What the handles of one run share.
pub(super) struct RunState {
    pub(super) scope: RunScope,
    pub(super) cancellation: CancellationToken,
    entries: Mutex<Arc<StateEntries>>,
    touched: Mutex<Touched>,
    /// Held by the call that is judged.
    pub(super) judging: tokio::sync::Mutex<()>,
}

/// What the calls of one step share.
pub(super) struct Step {
    pub(super) cancellation: CancellationToken,
    pub(super) deadline: Option<Instant>,
    pub(super) result_chars: usize,
    /// The tool whose failure ends the step.
    aborted_by: OnceLock<Arc<str>>,
}

impl RunState {
    /// Reads what the ledger knows of the run: its state, and what it has touched.
    pub(super) async fn open(inner: &Inner, scope: RunScope) -> Result<Self, LedgerError> {
        let entries = inner.ledger.state(&scope).await?;
        let records = inner.ledger.list(&OperationFilter::all().of_run(scope.clone())).await?;
        let started = records.iter().filter(|record| record.fence > 0);
        let touched = started.fold(Touched::default(), |touched, record| {
            touched.with(Touched::by(inner.tools.get(&record.tool_id).map(|tool| &*tool.descriptor)))
        });
        Ok(Self {
            scope,
            cancellation: CancellationToken::new(),
            entries: Mutex::new(Arc::new(entries)),
            touched: Mutex::new(touched),
            judging: tokio::sync::Mutex::default(),
        })
    }

    pub(super) fn touched(&self) -> Touched {
        *self.touched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn touch(&self, by: Touched) {
        let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        *touched = touched.with(by);
    }

    pub(super) fn entries(&self) -> Arc<StateEntries> {
        Arc::clone(&self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Follows what the ledger has committed.
    pub(super) fn apply(&self, commands: &[StateCommand]) {
        if !commands.is_empty() {
            let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
            let entries = Arc::make_mut(&mut entries);
            for command in commands {
                command.apply(entries);
            }
        }
    }
}

impl Step {
    pub(super) fn new(run: &RunState, inner: &Inner, calls: usize) -> Self {
        Self {
            cancellation: run.cancellation.child_token(),
            deadline: inner.limits.step_timeout.map(|timeout| Instant::now() + timeout),
            result_chars: inner.limits.step_result_chars / calls.max(1),
            aborted_by: OnceLock::new(),
        }
    }

    fn abort(&self, by: &Arc<str>) {
        if self.aborted_by.set(Arc::clone(by)).is_ok() {
            self.cancellation.cancel();
        }
    }

    /// Why nothing more is started.
    pub(super) fn ended(&self) -> Option<String> {
        if let Some(tool) = self.aborted_by.get() {
            return Some(format!("`{tool}` failed, which ends the calls beside it"));
        }
        if self.cancellation.is_cancelled() {
            return Some("the run was cancelled".to_owned());
        }
        self.deadline.filter(|deadline| Instant::now() >= *deadline).map(|_| "the step's time was up".to_owned())
    }

    /// How long a call may take, by its own limit and the step's.
    pub(super) fn time_for(&self, own: Option<Duration>) -> Option<Instant> {
        let own = own.map(|own| Instant::now() + own);
        own.into_iter().chain(self.deadline).min()
    }
}

impl Run {
    pub(super) fn new(runtime: ToolRuntime, state: Arc<RunState>) -> Self {
        Self { runtime, state }
    }

    /// Which run this is.
    pub fn scope(&self) -> &RunScope {
        &self.state.scope
    }

    /// Executes the calls of one model turn, the `step`-th (from 0) of the run, and gives their results in the order of
    /// the calls, one for each, whatever happens.
    ///
    /// A step that is executed again, after a crash or to see whether what it waited for has come, takes the same calls: what
    /// has a result is not executed again. Dropping the future stops the calls wherever they stand; what they came to is
    /// then unknown.
    pub async fn step(&self, step: u64, calls: Vec<ToolCall>) -> StepReport {
        let shared = Arc::new(Step::new(&self.state, &self.runtime.inner, calls.len()));
        let mut reports: Vec<Option<CallReport>> = Vec::with_capacity(calls.len());
        let mut ready = Vec::with_capacity(calls.len());
        let mut counted = 0;
        for (position, call) in (0_u32..).zip(calls) {
            let operation = self.state.scope.operation(OperationId::at(step, position));
            match read::read(self, &shared, operation, call, &mut counted) {
                Ok(call) => {
                    ready.push(call);
                    reports.push(None);
                }
                Err(report) => {
                    call::ended(&self.runtime.inner, &report);
                    reports.push(Some(*report));
                }
            }
        }
        let open: Vec<usize> = (0..reports.len()).filter(|position| reports[*position].is_none()).collect();
        let concurrency: Vec<_> = ready.iter().map(|(call, _)| call.concurrency()).collect();
        let mut ready: Vec<Option<(Call, CallBody)>> = ready.into_iter().map(Some).collect();
        for wave in waves(&concurrency) {
            let wave = wave.into_iter().filter_map(|at| Some((*open.get(at)?, ready.get_mut(at)?.take()?))).collect();
            for (position, report) in execute_wave(&shared, wave).await {
                reports[position] = Some(report);
            }
        }
        StepReport { calls: reports.into_iter().flatten().collect() }
    }

    /// Asks every call of the run to stop, and starts no other.
    pub fn cancel(&self) {
        self.state.cancellation.cancel();
    }

    /// The token behind [`cancel`](Self::cancel).
    pub fn cancellation_token(&self) -> &CancellationToken {
        &self.state.cancellation
    }

    /// What the run has touched so far.
    pub fn touched(&self) -> Touched {
        self.state.touched()
    }

    /// An entry of the run's state; `None` where there is none. Fails where it is not what the key says.
    pub fn state<K: StateKey>(&self) -> Result<Option<K::Value>, StateError> {
        K::read(&self.state.entries())
    }

    /// Commits state commands that belong to no call.
    pub async fn commit(&self, commands: &[StateCommand]) -> Result<(), LedgerError> {
        self.runtime.inner.ledger.commit(&self.state.scope, commands).await?;
        self.state.apply(commands);
        Ok(())
    }

    /// Takes what the model is to be told with its next request alone ([`ContextMessages`]).
    pub async fn take_context_messages(&self) -> Result<Vec<String>, LedgerError> {
        let messages = self.state::<ContextMessages>().map_err(|error| LedgerError::Unreadable(error.to_string()))?;
        match messages {
            Some(messages) => self.commit(&[ContextMessages::remove()]).await.map(|()| messages),
            None => Ok(Vec::new()),
        }
    }

    /// Ends the run: its results and state are dropped from the ledger. Fails, and drops nothing, where a call of it waits
    /// or is in doubt.
    pub async fn end(self) -> Result<(), EndError> {
        let ledger = &self.runtime.inner.ledger;
        let records = ledger.list(&OperationFilter::all().of_run(self.state.scope.clone())).await?;
        let open = records.iter().filter(|record| record.state.stage() != Stage::Completed).count();
        if open > 0 {
            return Err(EndError::Open { operations: open });
        }
        ledger.forget(&self.state.scope).await?;
        Ok(())
    }
}

/// Why a run could not be ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndError {
    /// Some operations have no result yet.
    Open {
        /// How many.
        operations: usize,
    },
    /// The ledger could not do it.
    Ledger(LedgerError),
}

impl From<LedgerError> for EndError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl fmt::Display for EndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { operations } => {
                write!(f, "{operations} operations of the run have no result yet: answer or settle them first")
            }
            Self::Ledger(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EndError {}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("scope", &self.state.scope).finish_non_exhaustive()
    }
}

/// Executes calls beside each other, and says what each came to.
async fn execute_wave(step: &Arc<Step>, mut wave: Vec<(usize, (Call, CallBody))>) -> Vec<(usize, CallReport)> {
    let mut reports = Vec::with_capacity(wave.len());
    if wave.len() == 1 {
        // Nothing runs beside it, so that it needs no task of its own.
        for (position, call) in wave {
            reports.push(to_its_end(Arc::clone(step), position, call).await);
        }
        return reports;
    }
    let mut running: JoinSet<(usize, CallReport)> = JoinSet::new();
    for (position, call) in wave.drain(..) {
        running.spawn(to_its_end(Arc::clone(step), position, call));
    }
    while let Some(ended) = running.join_next().await {
        // A task panics nowhere, since its panics are caught, and nobody aborts it.
        reports.extend(ended);
    }
    reports
}

async fn to_its_end(step: Arc<Step>, position: usize, (call, body): (Call, CallBody)) -> (usize, CallReport) {
    let (request, operation) = (call.request.clone(), call.operation.clone());
    let ends_siblings = call.planned.descriptor.behaviour().aborts_siblings_on_error;
    // In a box, so that what wraps it moves a pointer and not all of it.
    let report = match contain::caught(Box::pin(call::perform(call, body))).await {
        Ok(report) => report,
        Err(Panicked) => unknown(&request, operation),
    };
    if ends_siblings && report.output.is_error {
        step.abort(&report.tool_id);
    }
    (position, report)
}

/// A gate, a hook, an observer or the ledger itself panicked.
fn unknown(call: &ToolCall, operation: ToolOperationContext) -> CallReport {
    let why = "the runtime's own part in this call panicked".to_owned();
    let output = ToolOutput::for_error(&ToolError::execution(why.clone()));
    let ledger_id = operation.ledger_id();
    CallReport::new(call, operation, output, CallStatus::InDoubt { ledger_id, why })
}
