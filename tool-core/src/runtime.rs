//! The run: authorise, record, execute, recover.
//!
//! ```text
//! model's ToolCall ─► resolve ─► parse ─► authorise ─► record intent ─► execute ─► render ─► record outcome ─► after-tool hooks
//!                     read       read     authorise    record           execute    render    record            after
//! ```
//!
//! Each stage is the file below it; [`call`] is the line itself, and [`step`] what takes the calls of one turn
//! through it.
//!
//! # What is traced
//!
//! Each call that can be made is a span `execute_tool` at the level INFO, with OpenTelemetry's attributes for generative systems
//! (`gen_ai.operation.name`, `gen_ai.tool.name`, `gen_ai.tool.call.id`, …, and `error.type` where the model is told of a
//! failure); its stages are spans below it at DEBUG. Arguments and results are events at TRACE of the target
//! `tool_core::payloads`, and nowhere else; what a tool declares secret is not among the arguments there.

mod after;
mod authorise;
mod builder;
mod call;
mod event;
mod execute;
mod limits;
mod note;
mod read;
mod record;
mod render;
mod report;
mod resume;
mod run;
mod step;
mod waves;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

pub use builder::{RuntimeProblem, RuntimeProblems, ToolRuntimeBuilder};
pub use event::{ToolEvent, ToolEventKind, ToolEvents, ToolObserver};
pub use limits::RunLimits;
pub use render::{SpillFolder, SpillPort};
pub use report::{CallReport, CallStatus, StepReport};
pub use resume::{OperationView, ResumeError};
pub use run::{EndError, Run};

use crate::descriptor::ToolDescriptor;
use crate::executor::ToolExecutor;
use crate::gate::{Rules, ToolGate};
use crate::hook::AfterToolHook;
use crate::id_hash::IdHash;
use crate::ledger::{LedgerError, OperationFilter, OperationLedger, RunScope, Stage};
use crate::raw::RawTool;
use crate::recovery::ToolRecoveryPolicy;
use crate::registry::RawToolRegistry;
use crate::snapshot::ExecutableSnapshot;
use run::RunState;

/// Executes the calls of models: each is authorised, recorded before and after, and executed at most as often as its
/// tool's recovery allows. Cloning shares it.
///
/// ```
/// use tool_core::{
///     CallStatus, RawToolRegistry, RunId, RunScope, ThreadId, ToolCall, ToolRuntime, WorkspaceId, erase, tool,
/// };
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = ToolRuntime::builder(RawToolRegistry::try_new([erase(Add)])?).build()?;
/// let run = runtime.run(RunScope::new(WorkspaceId::new("acme"), ThreadId::new("t1"), RunId::new("r1"))).await?;
///
/// let calls = vec![ToolCall::new("call_1", "add", r#"{"a": 2, "b": 3}"#)];
/// let report = run.step(0, calls.clone()).await;
/// assert_eq!(report.calls[0].output.text(), "5");
///
/// // The same step again, as after a crash: nothing is executed twice.
/// let again = run.step(0, calls).await;
/// assert_eq!(again.calls[0].output.text(), "5");
/// assert_eq!(again.calls[0].status, CallStatus::Finished { replayed: true });
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct ToolRuntime {
    inner: Arc<Inner>,
}

struct Inner {
    tools: HashMap<Arc<str>, Arc<PlannedTool>, IdHash>,
    snapshot: ExecutableSnapshot,
    registry: Arc<RawToolRegistry>,
    sandbox: Option<Arc<dyn ToolExecutor>>,
    gates: Vec<Arc<dyn ToolGate>>,
    /// Whether a gate minds what the calls before were.
    judges_in_turn: bool,
    hooks: Vec<Arc<dyn AfterToolHook>>,
    observers: Arc<[Arc<dyn ToolObserver>]>,
    ledger: Arc<dyn OperationLedger>,
    limits: RunLimits,
    spill: Option<Arc<dyn SpillPort>>,
    /// The runs that somebody holds, so that two handles of one run have one state.
    runs: Mutex<HashMap<RunScope, Weak<RunState>>>,
}

/// A tool as a run may use it.
struct PlannedTool {
    tool: Arc<dyn RawTool>,
    descriptor: Arc<ToolDescriptor>,
    policy: ToolRecoveryPolicy,
}

impl ToolRuntime {
    /// A runtime over these tools. What the registry's argument mode and limits are, holds here too.
    pub fn builder(registry: impl Into<Arc<RawToolRegistry>>) -> ToolRuntimeBuilder {
        ToolRuntimeBuilder::new(registry.into())
    }

    /// What the tools are pinned to: to be kept with a run that may be taken up again.
    pub fn snapshot(&self) -> &ExecutableSnapshot {
        &self.inner.snapshot
    }

    /// Begins a run, or takes it up where it stands. Fails where the ledger cannot be read.
    pub async fn run(&self, scope: RunScope) -> Result<Run, LedgerError> {
        if let Some(state) = self.held(&scope) {
            state.catch_up().await?;
            return Ok(Run { state });
        }
        let opened = Arc::new(RunState::open(self.clone(), scope.clone()).await?);
        let mut runs = self.inner.runs.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have opened it meanwhile; there is one state of it.
        let state = runs.get(&scope).and_then(Weak::upgrade).unwrap_or(opened);
        runs.retain(|_, held| held.strong_count() > 0);
        runs.insert(scope, Arc::downgrade(&state));
        Ok(Run { state })
    }

    /// Lets go of a run that has ended: one of its name begins anew.
    fn let_go(&self, scope: &RunScope) {
        self.inner.runs.lock().unwrap_or_else(PoisonError::into_inner).remove(scope);
    }

    fn held(&self, scope: &RunScope) -> Option<Arc<RunState>> {
        self.inner.runs.lock().unwrap_or_else(PoisonError::into_inner).get(scope).and_then(Weak::upgrade)
    }

    /// The operations that a filter takes, for people: secrets are not shown.
    pub async fn operations(&self, filter: &OperationFilter) -> Result<Vec<OperationView>, LedgerError> {
        let records = self.inner.ledger.list(filter).await?;
        Ok(records.iter().map(|record| OperationView::of(record, self.inner.tools.get(&record.tool_id))).collect())
    }

    /// What is uncertain, and waits for a person: the operations in doubt.
    pub async fn in_doubt(&self) -> Result<Vec<OperationView>, LedgerError> {
        self.operations(&OperationFilter::all().at(Stage::InDoubt)).await
    }
}

impl fmt::Debug for ToolRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRuntime").field("registry", &self.inner.registry).finish_non_exhaustive()
    }
}

/// The gate of a runtime that was given none.
fn default_gate() -> Arc<dyn ToolGate> {
    Arc::new(Rules::default())
}
