//! One run: what its steps share.

use serde_json::Value;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio_util::sync::CancellationToken;

use super::report::StepReport;
use super::{ToolRuntime, step};
use crate::call::ToolCall;
use crate::coordinates::OperationId;
use crate::gate::Touched;
use crate::ledger::{LedgerError, OperationFilter, OperationLedger, RunScope};
use crate::operation::ToolOperationContext;
use crate::state::{ContextMessages, StateCommand, StateEntries, StateError, StateKey};

/// One run of an agent: the steps of a conversation, each the calls of one model turn. Cloning shares it.
#[derive(Clone)]
pub struct Run {
    pub(super) state: Arc<RunState>,
}

/// What the handles of one run share.
pub(super) struct RunState {
    pub(super) runtime: ToolRuntime,
    pub(super) scope: RunScope,
    /// Any operation of the run, beside which the others are made.
    pub(super) operation: ToolOperationContext,
    pub(super) cancellation: Arc<CancellationToken>,
    /// Nothing until the first one is committed: in most runs none is.
    entries: OnceLock<Mutex<Arc<StateEntries>>>,
    /// Held while the entries are read anew.
    following: tokio::sync::Mutex<()>,
    touched: Marks,
    /// Held by the call that is judged.
    pub(super) judging: tokio::sync::Mutex<()>,
}

/// What a run has touched: only ever more.
#[derive(Default)]
struct Marks {
    private_data: AtomicBool,
    untrusted_input: AtomicBool,
    chosen_egress: AtomicBool,
}

impl Marks {
    fn get(&self) -> Touched {
        Touched {
            private_data: self.private_data.load(Ordering::Acquire),
            untrusted_input: self.untrusted_input.load(Ordering::Acquire),
            chosen_egress: self.chosen_egress.load(Ordering::Acquire),
        }
    }

    fn set(&self, touched: Touched) {
        let Touched { private_data, untrusted_input, chosen_egress } = touched;
        for (mark, is_set) in [
            (&self.private_data, private_data),
            (&self.untrusted_input, untrusted_input),
            (&self.chosen_egress, chosen_egress),
        ] {
            if is_set {
                mark.store(true, Ordering::Release);
            }
        }
    }
}

/// The entries of a run's state for what it has touched by other runs' results. One each, since several may be set at once.
const KEPT_MARKS: [&str; 3] =
    ["tool_core.touched.private_data", "tool_core.touched.untrusted_input", "tool_core.touched.chosen_egress"];

fn kept_touched(entries: &StateEntries) -> Touched {
    let [private_data, untrusted_input, chosen_egress] = KEPT_MARKS.map(|key| entries.contains_key(key));
    Touched { private_data, untrusted_input, chosen_egress }
}

impl RunState {
    /// Reads what the ledger knows of the run: its state, and what it has touched.
    pub(super) async fn open(runtime: ToolRuntime, scope: RunScope) -> Result<Self, LedgerError> {
        let run = Self {
            operation: scope.operation(OperationId::at(0, 0)),
            scope,
            runtime,
            cancellation: Arc::default(),
            entries: OnceLock::new(),
            following: tokio::sync::Mutex::default(),
            touched: Marks::default(),
            judging: tokio::sync::Mutex::default(),
        };
        run.catch_up().await?;
        Ok(run)
    }

    /// Reads what the ledger knows by now: the run's state, and what it has touched.
    pub(super) async fn catch_up(&self) -> Result<(), LedgerError> {
        let inner = &self.runtime.inner;
        let _following = self.following.lock().await;
        let entries = inner.ledger.state(&self.scope).await?;
        let records = inner.ledger.list(&OperationFilter::all().of_run(self.scope.clone())).await?;
        for record in records.iter().filter(|record| record.fence > 0) {
            self.touch(Touched::by(inner.tools.get(&record.tool_id).map(|tool| &*tool.descriptor)));
        }
        self.touch(kept_touched(&entries));
        self.set_entries(entries);
        Ok(())
    }

    /// Notes what the run has touched without an operation of its own, which would tell it: it was given another run's result.
    pub(super) async fn keep_touched(&self, touched: Touched) -> Result<(), LedgerError> {
        let marks = [touched.private_data, touched.untrusted_input, touched.chosen_egress];
        let marks = KEPT_MARKS.iter().zip(marks).filter(|(_, is_set)| *is_set);
        let commands: Vec<StateCommand> = marks.map(|(key, _)| StateCommand::set(*key, Value::Bool(true))).collect();
        self.runtime.inner.ledger.commit(&self.scope, &commands).await
    }

    pub(super) fn touched(&self) -> Touched {
        self.touched.get()
    }

    pub(super) fn touch(&self, by: Touched) {
        self.touched.set(by);
    }

    pub(super) fn entries(&self) -> Option<Arc<StateEntries>> {
        Some(Arc::clone(&self.entries.get()?.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn set_entries(&self, entries: StateEntries) {
        if self.entries.get().is_some() || !entries.is_empty() {
            *self.entries.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner) =
                Arc::new(entries);
        }
    }

    /// Reads what was committed by now: of calls at the same time, in this process and in others, the ledger alone knows the
    /// order. One reading after the other, so that the last one sees all that was committed before it.
    pub(super) async fn follow(&self) {
        let _following = self.following.lock().await;
        match self.runtime.inner.ledger.state(&self.scope).await {
            Ok(entries) => self.set_entries(entries),
            Err(error) => tracing::error!(%error, "the run's state could not be read anew, and is behind the ledger"),
        }
    }
}

impl Run {
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
        let run = &self.state;
        let calls = match <[ToolCall; 1]>::try_from(calls) {
            Ok([call]) => vec![step::alone(run, run.operation.beside(OperationId::at(step, 0)), call).await],
            Err(calls) => step::together(run, step, calls).await,
        };
        StepReport { calls }
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
        self.state.entries().map_or(Ok(None), |entries| K::read(&entries))
    }

    fn ledger(&self) -> &dyn OperationLedger {
        &*self.state.runtime.inner.ledger
    }

    /// Commits state commands that belong to no call.
    pub async fn commit(&self, commands: &[StateCommand]) -> Result<(), LedgerError> {
        self.ledger().commit(&self.state.scope, commands).await?;
        self.state.follow().await;
        Ok(())
    }

    /// Takes what the model is to be told with its next request alone ([`ContextMessages`]), as the ledger has it by now.
    pub async fn take_context_messages(&self) -> Result<Vec<String>, LedgerError> {
        self.state.follow().await;
        let messages = self.state::<ContextMessages>().map_err(|error| LedgerError::Unreadable(error.to_string()))?;
        match messages {
            Some(messages) => self.commit(&[ContextMessages::remove()]).await.map(|()| messages),
            None => Ok(Vec::new()),
        }
    }

    /// Ends the run: its results and state are dropped from the ledger. Fails, and drops nothing, where a call of it is
    /// executed, waits, is in doubt, or may have done something and is to be executed again: answer it, execute its step, or
    /// [settle](ToolRuntime::resolve) it.
    pub async fn end(self) -> Result<(), EndError> {
        let ledger = self.ledger();
        let records = ledger.list(&OperationFilter::all().of_run(self.state.scope.clone())).await?;
        let open = records.iter().filter(|record| record.is_open()).count();
        if open > 0 {
            return Err(EndError::Open { operations: open });
        }
        ledger.forget(&self.state.scope).await?;
        self.state.runtime.let_go(&self.state.scope);
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
