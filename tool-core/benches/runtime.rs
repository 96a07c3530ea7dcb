//! What the whole pipeline costs beside the bare registry, the same call in the same run: `cargo bench --bench runtime`.
//!
//! What is compared takes turns. The goal is for turns of one call, as an agent makes them: something else ran before each, and
//! neither finds its code in the processor's first cache. Turns of 2,000 are shown beside it: then the bare dispatch fits into
//! that cache, which the pipeline does not, and the ratio is larger.
//!
//! With `CASE TIMES` it runs one case so many times, for callgrind.

mod workload;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tool_core::{AllowAll, RawToolRegistry, Run, RunId, RunScope, ThreadId, ToolCall, ToolRuntime, WorkspaceId};
use workload::Author;

const ROUNDS: usize = 31;
const CALLS: usize = 2_000;
const GOAL: f64 = 3.0;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        match args.as_slice() {
            [case, times] => one_case(case, times.parse().expect("a number of times")).await,
            _ => {
                let (bare, whole) = medians_of_turns(1).await;
                let ratio = whole.as_secs_f64() / bare.as_secs_f64();
                let verdict = if ratio <= GOAL { "met" } else { "MISSED" };
                println!("bare dispatch, a call  {bare:?}");
                println!("whole pipeline, a call {whole:?}");
                println!("ratio                  {ratio:.2}  <= {GOAL}  {verdict}");
                let (bare, whole) = medians_of_turns(CALLS).await;
                let ratio = whole.as_secs_f64() / bare.as_secs_f64();
                println!("at a stretch           {bare:?} {whole:?}  ratio {ratio:.2}");
            }
        }
    });
}

async fn one_case(case: &str, times: usize) {
    let registry = registry();
    match case {
        "dispatch" => dispatch(&registry, &call(), times).await,
        "step" => steps(&run(&registry).await, 0, calls(times).into_iter()).await,
        _ => panic!("no case {case}"),
    }
}

/// How long a call takes, bare and whole, in turns of so many calls.
async fn medians_of_turns(turn: usize) -> (Duration, Duration) {
    let (registry, call) = (registry(), call());
    let (mut bare, mut whole) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // A run of its own each time, so that none grows for ever.
        let run = run(&registry).await;
        // Made before the clock runs.
        let mut calls = calls(CALLS).into_iter();
        for begun in (0..CALLS).step_by(turn) {
            let start = Instant::now();
            dispatch(&registry, &call, turn).await;
            bare.push(start.elapsed());
            let start = Instant::now();
            steps(&run, begun, calls.by_ref().take(turn)).await;
            whole.push(start.elapsed());
        }
        run.end().await.expect("every call has its result");
    }
    let turn = u32::try_from(turn).expect("a size");
    (median(bare) / turn, median(whole) / turn)
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

/// The calls of so many steps.
fn calls(steps: usize) -> Vec<Vec<ToolCall>> {
    let call = call();
    (0..steps).map(|_| vec![call.clone()]).collect()
}

async fn dispatch(registry: &RawToolRegistry, call: &ToolCall, times: usize) {
    for _ in 0..times {
        assert!(black_box(registry.dispatch(black_box(call)).await).is_ok());
    }
}

async fn steps(run: &Run, first: usize, calls: impl Iterator<Item = Vec<ToolCall>>) {
    for (step, calls) in (first as u64..).zip(calls) {
        let report = black_box(run.step(step, black_box(calls)).await);
        assert!(!report.calls[0].output.is_error);
    }
}
