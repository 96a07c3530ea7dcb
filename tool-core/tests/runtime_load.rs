//! Many calls: nothing is lost, results stand in order, and memory does not grow with what is over.

mod runtime_support;

use runtime_support::{builder, call, scope};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_core::{CallStatus, OperationFilter, RunLimits, erase, tool};

const RUNS: usize = 100;
const IN_FLIGHT: usize = 1_000;

/// Is in flight for as long as all others of its step are.
#[tool(recovery = replay_safe, concurrency = parallel)]
async fn echo(#[state] in_flight: &AtomicUsize, n: usize) -> usize {
    in_flight.fetch_add(1, Ordering::SeqCst);
    while in_flight.load(Ordering::SeqCst) < IN_FLIGHT {
        tokio::task::yield_now().await;
    }
    n
}

/// 100,000 calls, 1,000 at a time. On one thread, whose allocations are counted.
#[test]
fn a_hundred_thousand_calls_leave_nothing_behind() {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let in_flight = Arc::new(AtomicUsize::new(0));
    let limits = RunLimits::default().with_calls_per_step(IN_FLIGHT).with_step_result_chars(IN_FLIGHT * 100);
    let runtime = builder([erase(Echo::new(in_flight.clone()))]).limits(limits).build().unwrap();
    let mut kept = 0;
    for n in 0..RUNS {
        let counted = allocation_counter::measure(|| {
            tokio.block_on(async {
                in_flight.store(0, Ordering::SeqCst);
                let run = runtime.run(scope(&format!("run-{n}"))).await.unwrap();
                let calls = (0..IN_FLIGHT).map(|k| call(&format!("c{k}"), "echo", &format!(r#"{{"n": {k}}}"#)));
                let report = run.step(0, calls.collect()).await;
                assert_eq!(report.calls.len(), IN_FLIGHT);
                for (k, call) in report.calls.iter().enumerate() {
                    assert_eq!((&*call.call_id, call.output.text().as_ref()), (&*format!("c{k}"), &*k.to_string()));
                    assert_eq!(call.status, CallStatus::Finished { replayed: false });
                }
                run.end().await.unwrap();
            });
        });
        // The first tenth may fill what is kept for reuse.
        if n >= RUNS / 10 {
            kept += counted.bytes_current;
        }
    }
    assert!(kept < 64 * 1024, "{kept} bytes were kept of 90,000 calls");
    let left = tokio.block_on(runtime.operations(&OperationFilter::all())).unwrap();
    assert_eq!(left, []);
}
