//! What the whole pipeline costs beside the bare registry, the same call in the same run: `cargo bench --bench runtime`.
//!
//! With `CASE TIMES` it runs one case so many times, for callgrind.

mod workload;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tool_core::{AllowAll, RawToolRegistry, Run, RunId, RunScope, ThreadId, ToolCall, ToolRuntime, WorkspaceId};
use workload::Author;

const ROUNDS: usize = 31;
const CALLS: u64 = 2_000;
const GOAL: f64 = 3.0;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        match args.as_slice() {
            [case, times] => one_case(case, times.parse().expect("a number of times")).await,
            _ => compare().await,
        }
    });
}

async fn one_case(case: &str, times: u64) {
    let registry = registry();
    match case {
        "dispatch" => dispatch(&registry, times).await,
        "step" => step(&run(&registry).await, times).await,
        _ => panic!("no case {case}"),
    }
}

async fn compare() {
    let registry = registry();
    let (mut bare, mut whole) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        dispatch(&registry, CALLS).await;
        bare.push(start.elapsed());
        // A run of its own each time, so that none grows for ever.
        let run = run(&registry).await;
        let start = Instant::now();
        step(&run, CALLS).await;
        whole.push(start.elapsed());
        run.end().await.expect("every call has its result");
    }
    let (bare, whole) = (median(bare), median(whole));
    let ratio = whole.as_secs_f64() / bare.as_secs_f64();
    let verdict = if ratio <= GOAL { "met" } else { "MISSED" };
    println!("bare dispatch, ns a call  {:8}", bare.as_nanos() / u128::from(CALLS));
    println!("whole pipeline, ns a call {:8}", whole.as_nanos() / u128::from(CALLS));
    println!("ratio                     {ratio:8.2}  <= {GOAL}  {verdict}");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn registry() -> Arc<RawToolRegistry> {
    Arc::new(workload::registry(Author::Macro, 16))
}

async fn run(registry: &Arc<RawToolRegistry>) -> Run {
    let runtime = ToolRuntime::builder(Arc::clone(registry)).gate(AllowAll).build().expect("a runtime");
    let scope = RunScope::new(WorkspaceId::new("acme"), ThreadId::new("thread-1"), RunId::new("run-1"));
    runtime.run(scope).await.expect("a run")
}

fn call() -> ToolCall {
    workload::call(workload::VALID)
}

async fn dispatch(registry: &RawToolRegistry, times: u64) {
    let call = call();
    for _ in 0..times {
        assert!(black_box(registry.dispatch(black_box(&call)).await).is_ok());
    }
}

async fn step(run: &Run, times: u64) {
    let call = call();
    for step in 0..times {
        let report = black_box(run.step(step, vec![black_box(&call).clone()]).await);
        assert!(!report.calls[0].output.is_error);
    }
}
