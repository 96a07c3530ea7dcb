//! What a recorded call costs, in units of what the disk can do at best: two appends of 100 bytes, each made durable.
//!
//! `cargo bench -p tool-ledger`. Calls and appends take turns, since a disk's speed drifts; the ratios are of medians.
//! A batch is a step of one run, or one call of each of as many runs at the same time, which stand further apart in the file.
//! `TOOL_LEDGER_BENCH_DIR` chooses the disk; where it is not set, the system's directory for temporary files is taken.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tool_core::{
    Begun, OperationId, OperationIntent, OperationLedger, RunId, RunScope, ThreadId, ToolCall, ToolOperationContext,
    ToolOutput, ToolRecoveryPolicy, WorkspaceId,
};
use tool_ledger::SqliteLedger;

/// How often one call is measured: often enough that SQLite writes over its log, as it does for most of a ledger's life.
const SINGLE: usize = 2_000;
/// How often a batch is measured.
const BATCHES: usize = 100;
/// How many calls a batch has.
const BATCH: usize = 32;

#[tokio::main]
async fn main() {
    let directory = directory();
    let ledger = SqliteLedger::create(directory.join("bench.ledger")).expect("a new ledger");
    let mut appends = OpenOptions::new().create(true).append(true).open(directory.join("appends")).expect("a file");
    let (mut pairs, mut singles) = (Vec::new(), Vec::new());
    for count in 0..SINGLE {
        pairs.push(timed(|| pair(&mut appends)));
        let started = Instant::now();
        call(&ledger, operation(&format!("run-{}", count / BATCH), count % BATCH)).await;
        singles.push(started.elapsed());
    }
    let (mut steps, mut apart) = (Vec::new(), Vec::new());
    let before = ledger.commits();
    for count in 0..BATCHES {
        pairs.push(timed(|| pair(&mut appends)));
        let run = format!("run of step {count}");
        steps.push(batch(&ledger, (0..BATCH).map(|call| operation(&run, call)).collect()).await);
        pairs.push(timed(|| pair(&mut appends)));
        let runs = (0..BATCH).map(|run| operation(&format!("run {run} of {BATCH}"), count));
        apart.push(batch(&ledger, runs.collect()).await);
    }
    let commits = (ledger.commits() - before) / (2 * BATCHES as u64);
    ledger.close().await;
    std::fs::remove_dir_all(&directory).expect("removed");

    let pair = median(pairs);
    println!("two durable appends of 100 bytes: {pair:.1?}");
    report("one call", median(singles), pair, 1.5);
    report("a step of 32 calls", median(steps), pair, 8.0);
    report("32 runs with one call each", median(apart), pair, 8.0);
    println!("commits of such a batch, on average: {commits}");
}

fn operation(run: &str, call: usize) -> ToolOperationContext {
    let run = RunScope::new(WorkspaceId::new("acme"), ThreadId::new("thread"), RunId::new(run));
    run.operation(OperationId::new(format!("step-0/call-{call}")))
}

/// How long calls take that are made at the same time.
async fn batch(ledger: &SqliteLedger, operations: Vec<ToolOperationContext>) -> Duration {
    let started = Instant::now();
    let running: Vec<_> = operations
        .into_iter()
        .map(|operation| {
            let ledger = ledger.clone();
            tokio::spawn(async move { call(&ledger, operation).await })
        })
        .collect();
    for running in running {
        running.await.expect("a call");
    }
    started.elapsed()
}

async fn call(ledger: &SqliteLedger, operation: ToolOperationContext) {
    let intent = OperationIntent {
        operation,
        call: ToolCall::new("call_abcdef", "search_orders", r#"{"customer": "C-1042", "limit": 10}"#),
        identity: None,
        arguments: r#"{"customer":"C-1042","limit":10}"#.into(),
        policy: ToolRecoveryPolicy::NEVER_REPLAY,
        idempotency_key: None,
        approval: None,
        lease: Duration::from_secs(30),
    };
    let Begun::Execute(lease) = ledger.begin(&intent).await.expect("begun") else { panic!("it is new") };
    ledger.complete(&lease, &ToolOutput::ok(r#"[{"order":"7","cents":100}]"#)).await.expect("completed");
}

fn pair(file: &mut File) {
    for _ in 0..2 {
        file.write_all(&[b'x'; 100]).expect("written");
        file.sync_all().expect("durable");
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn report(what: &str, time: Duration, pair: Duration, goal: f64) {
    let ratio = time.as_secs_f64() / pair.as_secs_f64();
    let verdict = if ratio <= goal { "met" } else { "MISSED" };
    println!("{what}: {time:.1?}, {ratio:.2} pairs (goal: {goal}, {verdict})");
}

fn directory() -> PathBuf {
    let parent = std::env::var_os("TOOL_LEDGER_BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let directory = Path::new(&parent).join(format!("tool-ledger-bench-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    directory
}
