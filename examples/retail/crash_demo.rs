//! `retail crash-demo`: a process is killed in the middle of a refund. What is done again, what is not, and what a person
//! is asked?
//!
//! The parent starts this program again as the child that is killed, and then takes its run up over the same ledger.

mod outside;
mod tools;

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::json;
use tool_core::{
    CallReport, CallStatus, OperationFilter, OperationView, Resolution, RunScope, StepReport, ToolCall, ToolOutput,
    ToolRuntime,
};
use tool_ledger::SqliteLedger;

use self::outside::Outside;
use self::tools::{paid, refunded, runtime};
use crate::Verdict;
use crate::host;
use crate::paragraph::paragraph;

const ORDER: &str = "#W6743211";
const DOLLARS: f64 = 131.25;
const TOLD: &str = "    the model is told: ";
/// Whoever does something outside of the program, and for whom a call of the step is.
const OUTSIDE: [&str; 3] = ["parcel service", "courier", "bank"];

/// What the model answered in its first turn: tools, and their arguments as it wrote them.
fn turn() -> [(&'static str, String); 4] {
    let order = json!({"order_id": ORDER}).to_string();
    let refund = json!({"order_id": ORDER, "dollars": DOLLARS}).to_string();
    [
        ("get_order_details", order.clone()),
        ("track_parcel", order.clone()),
        ("book_pickup", order),
        ("refund_order", refund),
    ]
}

/// The calls of the step. When it is executed again, it takes the same, which a host has kept with the conversation.
fn calls() -> Vec<ToolCall> {
    let turn = (1..).zip(turn());
    turn.map(|(number, (tool, arguments))| ToolCall::new(format!("call_{number}"), tool, arguments)).collect()
}

fn scope() -> RunScope {
    host::scope("crash demo", "a-return")
}

fn ledger_in(folder: &Path) -> PathBuf {
    folder.join("operations.ledger")
}

/// The process that is killed: it executes the step, and never comes to the end of it.
pub(crate) async fn first_process(folder: &Path) -> anyhow::Result<Verdict> {
    // Where the parent is gone, nobody is left to kill it.
    std::thread::spawn(|| {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
    let ledger = SqliteLedger::open(ledger_in(folder))?;
    let runtime = runtime(Outside::new(folder, true), ledger)?;
    runtime.run(scope()).await?.step(0, calls()).await;
    Ok(Verdict::Bad)
}

pub(crate) async fn run(out: &mut impl Write) -> anyhow::Result<Verdict> {
    let folder = Folder::new()?;
    let ledger = SqliteLedger::create(ledger_in(&folder.0))?;
    let outside = Outside::new(&folder.0, false);

    writeln!(out, "A model answers with four calls, which are one step of its run:")?;
    for (tool, arguments) in turn() {
        writeln!(out, "  {tool:<18} {arguments}")?;
    }
    kill_in_the_middle(&folder.0)?;
    writeln!(out)?;
    let killed = "The process that executes them is killed when the parcel service, the courier and the bank have done \
                  their work, and none of that is recorded yet. What the ledger knows:";
    paragraph(out, "", killed)?;

    let runtime = runtime(Outside::new(&folder.0, false), ledger.clone())?;
    for operation in operations(&runtime).await? {
        writeln!(out, "  {:<18} {}", operation.tool_id, operation.stage)?;
    }

    writeln!(out, "\nAnother process executes the same step over the same ledger:")?;
    let run = runtime.run(scope()).await?;
    let report = run.step(0, calls()).await;
    for call in &report.calls {
        print(call, out)?;
    }

    writeln!(out, "\nWhat waits for a person:")?;
    for operation in runtime.in_doubt().await? {
        settle(&runtime, &operation, &outside, out).await?;
    }

    let again = run.step(0, calls()).await;
    writeln!(
        out,
        "\nThe same step once more: {} of 4 calls are answered from the ledger, none is executed.",
        replayed(&again)
    )?;
    writeln!(out, "The model reads the four results, and the run goes on with its next step.")?;
    run.end().await?;
    writeln!(out, "When the run ends, the ledger holds {} operations of it.", operations(&runtime).await?.len())?;

    writeln!(out, "\nCounted outside:")?;
    for who in OUTSIDE {
        let done = outside.done(who);
        writeln!(out, "  {who:<18} {} x {}", done.len(), done.first().map_or("nothing", |line| without_token(line)))?;
    }
    ledger.close().await;
    let is_once = outside.done("bank").len() == 1;
    Ok(if is_once { Verdict::Good } else { Verdict::Bad })
}

/// Starts the first process, and kills it when every effect has happened.
fn kill_in_the_middle(folder: &Path) -> anyhow::Result<()> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["crash-demo", "--be-killed-over"])
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the process that is to be killed")?;
    let output = child.stdout.take().context("the process has no output")?;
    let said = BufReader::new(output).lines().take(OUTSIDE.len()).collect::<io::Result<Vec<_>>>();
    // `SIGKILL`, where there are signals: it cannot be caught, and nothing is tidied up.
    let killed = child.kill();
    child.wait()?;
    killed?;
    ensure!(said?.len() == OUTSIDE.len(), "the process ended before it could be killed");
    Ok(())
}

/// The operations of the run, in the order of its calls.
async fn operations(runtime: &ToolRuntime) -> anyhow::Result<Vec<OperationView>> {
    let mut operations = runtime.operations(&OperationFilter::all().of_run(scope())).await?;
    operations.sort_by(|one, other| one.operation.cmp(&other.operation));
    Ok(operations)
}

/// What a call came to in the second process, and why.
fn print(call: &CallReport, out: &mut impl Write) -> io::Result<()> {
    let (came_to, why) = match (&call.status, &*call.tool_id) {
        (CallStatus::Finished { replayed: true }, _) => ("replayed", "its result is recorded"),
        (CallStatus::Finished { .. }, "track_parcel") => ("executed again", "to ask twice is to ask once: replay_safe"),
        (CallStatus::Finished { .. }, _) => ("executed again", "the courier knows its token: idempotent"),
        (CallStatus::InDoubt { .. }, _) => ("in doubt", "the bank may have paid, and would pay again: non_recoverable"),
        _ => ("failed", "this should not happen"),
    };
    writeln!(out, "  {:<18} {came_to:<15} {why}", call.tool_id)?;
    if call.output.is_error {
        paragraph(out, TOLD, &call.output.text())?;
    }
    Ok(())
}

/// A person looks at what the bank did, and says what is so.
async fn settle(
    runtime: &ToolRuntime,
    operation: &OperationView,
    outside: &Outside,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    // The first digits are the run's.
    let short = operation.ledger_id.get(56..).unwrap_or_default();
    writeln!(out, "  {short}  {} {}", operation.tool_id, operation.arguments)?;
    writeln!(out, "            {}", operation.why.as_deref().unwrap_or_default())?;
    let (finding, resolution) = if outside.done("bank").contains(&paid(ORDER, DOLLARS)) {
        ("It happened", Resolution::Happened(ToolOutput::ok(refunded(ORDER, DOLLARS))))
    } else {
        ("It did not happen", Resolution::DidNotHappen)
    };
    writeln!(out, "A person looks at the bank's books, and settles {short}: {finding}.")?;
    let report = runtime.resolve(&operation.ledger_id, resolution).await?;
    paragraph(out, TOLD, &report.output.text())?;
    Ok(())
}

fn replayed(report: &StepReport) -> usize {
    report.calls.iter().filter(|call| call.status == CallStatus::Finished { replayed: true }).count()
}

/// A courier's line ends with the token, which says nothing to a reader.
fn without_token(line: &str) -> &str {
    line.split(" under ").next().unwrap_or(line)
}

/// A folder of this process, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("retail-crash-demo-{}", std::process::id()));
        // A process that had this number before may have been killed itself.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
