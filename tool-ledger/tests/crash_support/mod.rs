//! A process that can be killed at a chosen moment of a call, and what is left of it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use tool_core::{
    AllowAll, Begun, HookReaction, Lease, LedgerError, OperationFilter, OperationIntent, OperationLedger,
    OperationRecord, RawToolRegistry, Resolution, Run, RunId, RunLimits, RunScope, StateCommand, StateEntries,
    ThreadId, Ticket, ToolCall, ToolContext, ToolOperationContext, ToolOutput, ToolRuntime, Wait, WorkspaceId, erase,
    tool,
};
use tool_ledger::SqliteLedger;

/// How the child is told what to do.
pub(crate) const CHILD: &str = "TOOL_LEDGER_CRASH_CHILD";
/// What the child says when it stands at its point, where it waits to be killed.
const AT: &str = "at the point";
/// What the child says when its step begins.
const BEGINS: &str = "the step begins";

/// Moments of a call at which its process may die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Point {
    BeforeIntent,
    AfterIntent,
    DuringEffect,
    BeforeRecord,
    AfterRecord,
}

impl Point {
    pub(crate) const ALL: [Self; 5] =
        [Self::BeforeIntent, Self::AfterIntent, Self::DuringEffect, Self::BeforeRecord, Self::AfterRecord];
}

/// What a child does: one step of calls, up to a point if one is given.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) folder: PathBuf,
    pub(crate) calls: Vec<String>,
    pub(crate) point: Option<Point>,
    /// How long each effect takes.
    pub(crate) milliseconds: u64,
}

impl Job {
    pub(crate) fn ledger(&self) -> PathBuf {
        self.folder.join("operations.ledger")
    }

    fn effects(&self) -> PathBuf {
        self.folder.join("effects")
    }

    /// What was executed, seen from outside: the tokens under which each call had its effect, in order.
    pub(crate) fn executions(&self) -> BTreeMap<String, Vec<String>> {
        let mut executions = BTreeMap::<String, Vec<String>>::new();
        let effects = std::fs::read_to_string(self.effects()).unwrap_or_default();
        for line in effects.lines() {
            let (call, token) = line.split_once(' ').expect("one append is one line");
            executions.entry(call.to_owned()).or_default().push(token.to_owned());
        }
        executions
    }

    /// A copy of all that is on the disk, as after a power cut at this moment.
    pub(crate) fn after_a_power_cut(&self, folder: &Path) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        for entry in std::fs::read_dir(&self.folder).unwrap() {
            let path = entry.unwrap().path();
            // The index of the log and the owners' locks do not outlive the machine.
            if path.is_file() && path.extension().is_none_or(|extension| extension != "ledger-shm") {
                std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
            }
        }
        Self { folder: folder.to_owned(), point: None, ..self.clone() }
    }

    /// Starts the child.
    pub(crate) fn start(&self) -> Started {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "child", "--nocapture"])
            .env(CHILD, serde_json::to_string(self).unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Started { child, output }
    }

    /// The step itself, with nothing that kills it: as the process that comes after does.
    pub(crate) async fn recover(&self) -> tool_core::StepReport {
        let ledger = SqliteLedger::open_or_create(self.ledger()).unwrap();
        let report = self.step(Mortal { ledger: ledger.clone(), point: None }).await;
        ledger.close().await;
        report
    }

    async fn step(&self, ledger: Mortal) -> tool_core::StepReport {
        let effects = Arc::new(Effects { file: self.effects(), point: ledger.point, milliseconds: self.milliseconds });
        let tools = [
            erase(NonRecoverable::new(effects.clone())),
            erase(ReplaySafe::new(effects.clone())),
            erase(Idempotent::new(effects.clone())),
            erase(DurableRequest::new(effects)),
        ];
        let runtime = ToolRuntime::builder(RawToolRegistry::try_new(tools).unwrap())
            .gate(AllowAll)
            .ledger(ledger)
            .limits(RunLimits::default().with_backoff(Duration::from_millis(1)))
            .build()
            .unwrap();
        let scope = RunScope::new(WorkspaceId::new("w"), ThreadId::new("t"), RunId::new("r"));
        let run: Run = runtime.run(scope).await.unwrap();
        let calls = self.calls.iter().enumerate();
        let calls = calls.map(|(n, tool)| ToolCall::new("c", tool.as_str(), format!(r#"{{"name":"{tool}-{n}"}}"#)));
        run.step(0, calls.collect()).await
    }
}

/// A child that runs.
pub(crate) struct Started {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Started {
    /// Waits until it stands at its point.
    pub(crate) fn reaches_its_point(&mut self) {
        self.says(AT);
    }

    /// Waits until its step begins.
    pub(crate) fn begins(&mut self) {
        self.says(BEGINS);
    }

    fn says(&mut self, what: &str) {
        let mut line = String::new();
        while !line.contains(what) {
            line.clear();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the child ended before it said: {what}");
        }
    }

    /// `SIGKILL`.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut rest = String::new();
        let _ = self.output.read_to_string(&mut rest); // what it had still to say
    }
}

/// What the child does.
pub(crate) async fn child(job: &Job) {
    let ledger = SqliteLedger::open_or_create(job.ledger()).unwrap();
    say(BEGINS);
    job.step(Mortal { ledger, point: job.point }).await;
}

/// Says that it is time to be killed, and waits for it.
async fn die() {
    say(AT);
    std::future::pending::<()>().await;
}

fn say(what: &str) {
    println!("{what}");
    std::io::stdout().flush().unwrap();
}

/// The file of effects: each execution appends a line with `fsync`, so that it is counted from outside.
struct Effects {
    file: PathBuf,
    point: Option<Point>,
    milliseconds: u64,
}

impl Effects {
    async fn execute(&self, call: &str, cx: &ToolContext) -> String {
        let token = cx.operation_token().unwrap().ledger_id();
        tokio::time::sleep(Duration::from_millis(self.milliseconds)).await;
        self.append(&format!("{call} {token}\n"));
        if self.point == Some(Point::DuringEffect) {
            die().await;
        }
        tokio::time::sleep(Duration::from_millis(self.milliseconds)).await;
        format!("{call} done")
    }

    fn append(&self, line: &str) {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.file).unwrap();
        file.write_all(line.as_bytes()).unwrap();
        file.sync_all().unwrap();
    }

    /// As a service that recognises its requests: one that it has had is not executed again.
    async fn execute_once(&self, call: &str, cx: &ToolContext) -> String {
        let known = std::fs::read_to_string(&self.file).unwrap_or_default();
        if known.lines().any(|line| line.starts_with(&format!("{call} "))) {
            return format!("{call} done");
        }
        self.execute(call, cx).await
    }
}

/// Can do nothing after a crash.
#[tool(concurrency = parallel)]
async fn non_recoverable(#[state] effects: &Effects, #[context] cx: &ToolContext, name: String) -> String {
    effects.execute(&name, cx).await
}

/// Again is as once.
#[tool(recovery = replay_safe, concurrency = parallel)]
async fn replay_safe(#[state] effects: &Effects, #[context] cx: &ToolContext, name: String) -> String {
    effects.execute(&name, cx).await
}

/// Recognises its token.
#[tool(recovery = idempotent, concurrency = parallel)]
async fn idempotent(#[state] effects: &Effects, #[context] cx: &ToolContext, name: String) -> String {
    effects.execute_once(&name, cx).await
}

/// Reconnects to its one request.
#[tool(recovery = durable_request, concurrency = parallel)]
async fn durable_request(#[state] effects: &Effects, #[context] cx: &ToolContext, name: String) -> String {
    effects.execute_once(&name, cx).await
}

/// The ledger of a process that dies at a point.
struct Mortal {
    ledger: SqliteLedger,
    point: Option<Point>,
}

impl Mortal {
    async fn pass(&self, point: Point) {
        if self.point == Some(point) {
            die().await;
        }
    }
}

#[async_trait]
impl OperationLedger for Mortal {
    async fn begin(&self, intent: &OperationIntent) -> Result<Begun, LedgerError> {
        self.pass(Point::BeforeIntent).await;
        let begun = self.ledger.begin(intent).await;
        self.pass(Point::AfterIntent).await;
        begun
    }

    async fn complete(&self, lease: &Lease, output: &ToolOutput) -> Result<(), LedgerError> {
        self.pass(Point::BeforeRecord).await;
        let completed = self.ledger.complete(lease, output).await;
        self.pass(Point::AfterRecord).await;
        completed
    }

    async fn renew(&self, lease: &Lease) -> Result<(), LedgerError> {
        self.ledger.renew(lease).await
    }

    async fn fail(&self, lease: &Lease, why: &str) -> Result<(), LedgerError> {
        self.ledger.fail(lease, why).await
    }

    async fn doubt(&self, lease: &Lease, why: &str) -> Result<(), LedgerError> {
        self.ledger.doubt(lease, why).await
    }

    async fn suspend(&self, lease: &Lease, wait: &Wait) -> Result<Ticket, LedgerError> {
        self.ledger.suspend(lease, wait).await
    }

    async fn answer(&self, ticket: &Ticket, answer: &Value) -> Result<OperationRecord, LedgerError> {
        self.ledger.answer(ticket, answer).await
    }

    async fn resolve(&self, ledger_id: &str, resolution: &Resolution) -> Result<OperationRecord, LedgerError> {
        self.ledger.resolve(ledger_id, resolution).await
    }

    async fn react(
        &self,
        operation: &ToolOperationContext,
        reaction: &HookReaction,
    ) -> Result<HookReaction, LedgerError> {
        self.ledger.react(operation, reaction).await
    }

    async fn known(&self, intent: &OperationIntent) -> Result<Option<OperationRecord>, LedgerError> {
        self.ledger.known(intent).await
    }

    async fn find(&self, ledger_id: &str) -> Result<Option<OperationRecord>, LedgerError> {
        self.ledger.find(ledger_id).await
    }

    async fn list(&self, filter: &OperationFilter) -> Result<Vec<OperationRecord>, LedgerError> {
        self.ledger.list(filter).await
    }

    async fn state(&self, run: &RunScope) -> Result<StateEntries, LedgerError> {
        self.ledger.state(run).await
    }

    async fn commit(&self, run: &RunScope, commands: &[StateCommand]) -> Result<(), LedgerError> {
        self.ledger.commit(run, commands).await
    }

    async fn forget(&self, run: &RunScope) -> Result<usize, LedgerError> {
        self.ledger.forget(run).await
    }
}
