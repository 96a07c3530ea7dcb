//! Requests as runs of a runtime.

use hmac_sha256::Hash;
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;
use tool_core::{
    CallReport, CallStatus, Run, RunId, RunScope, ThreadId, ToolCall, ToolError, ToolOutput, ToolRuntime, WorkspaceId,
};

/// A runtime, and where the requests belong.
#[derive(Debug)]
pub(crate) struct Runs {
    runtime: ToolRuntime,
    workspace: WorkspaceId,
    thread: ThreadId,
    /// The runs whose request is being answered.
    taken: Mutex<HashSet<RunId>>,
}

impl Runs {
    pub(crate) fn new(runtime: ToolRuntime, workspace: WorkspaceId, thread: ThreadId) -> Self {
        Self { runtime, workspace, thread, taken: Mutex::default() }
    }

    /// The run of a call of this tool with these arguments. No other request has it at the same time: two calls alike, made
    /// beside each other, are two calls.
    pub(crate) fn slot(&self, tool: &str, arguments: &Value) -> Slot<'_> {
        let name = name(tool, arguments);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut slots = (0_u64..).map(|slot| RunId::new(format!("{name}-{slot}")));
        let run = slots.find(|run| taken.insert(run.clone())).unwrap_or_else(|| RunId::new(name));
        Slot { runs: self, run }
    }
}

/// The run of a request that is being answered.
pub(crate) struct Slot<'a> {
    runs: &'a Runs,
    run: RunId,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.runs.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.run);
    }
}

impl Slot<'_> {
    /// Executes the call, as the only one of this run.
    ///
    /// A protocol request has no identity that outlives its connection, so that the run is named for the call. It is dropped
    /// when its result is on the way to the client. What is still there is a call that nobody was told the result of, since
    /// it waits, is in doubt, or its connection or process came to an end: the same call, made again, takes that one up
    /// instead of doing it twice.
    pub(crate) async fn execute(
        &self,
        call: &ToolCall,
        cancelled: &CancellationToken,
    ) -> Result<ToolOutput, ToolError> {
        let Runs { runtime, workspace, thread, .. } = self.runs;
        let scope = RunScope::new(workspace.clone(), thread.clone(), self.run.clone());
        let run = runtime.run(scope).await.map_err(|error| ToolError::unavailable(error.to_string()))?;
        let report = step(&run, call, cancelled).await?;
        // A failure that nobody hears of did nothing that must not be repeated.
        let is_told = !cancelled.is_cancelled() || report.output.is_error;
        let is_over = is_told && matches!(report.status, CallStatus::Finished { .. });
        if is_over && let Err(error) = run.end().await {
            tracing::warn!(%error, "the result of an answered call stays in the ledger");
        }
        match report.status {
            // No success: a client might hold it against the schema of the tool's results.
            CallStatus::Waiting { .. } => {
                let told = report.output.text();
                Ok(ToolOutput::error(format!("{told} Nothing is done until then. Make the same call again to see.")))
            }
            // For the operator; what the client is told is the same.
            CallStatus::InDoubt { ledger_id, why } => {
                Err(ToolError::execution(format!("{why} (operation {ledger_id})")))
            }
            _ => Ok(report.output),
        }
    }
}

async fn step(run: &Run, call: &ToolCall, cancelled: &CancellationToken) -> Result<CallReport, ToolError> {
    let mut running = std::pin::pin!(run.step(0, vec![call.clone()]));
    let report = tokio::select! {
        biased;
        report = &mut running => report,
        () = cancelled.cancelled() => {
            run.cancel();
            running.await
        }
    };
    report.calls.into_iter().next().ok_or_else(|| ToolError::execution("the step has no report of its call"))
}

/// The tool, and a hash of the arguments in their canonical form: they may hold what must not stand in a name.
fn name(tool: &str, arguments: &Value) -> String {
    let canonical = serde_json_canonicalizer::to_vec(arguments).unwrap_or_else(|_| arguments.to_string().into_bytes());
    let mut name = format!("{tool}-");
    for byte in Hash::hash(&canonical) {
        let _ = write!(name, "{byte:02x}"); // a text takes all that is written
    }
    name
}
