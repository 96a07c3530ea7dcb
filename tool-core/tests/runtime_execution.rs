//! Execution: time, stopping, panics, the sandbox, progress.

mod runtime_support;

use async_trait::async_trait;
use runtime_support::{builder, call, only, run, told};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tool_core::{
    CallStatus, RunLimits, ToolCall, ToolContext, ToolError, ToolEventKind, ToolEvents, ToolExecutor, ToolOutput,
    ToolRecoveryCapability, erase, tool,
};

fn impatient() -> RunLimits {
    let short = Duration::from_millis(20);
    RunLimits::default().with_call_timeout(Some(short)).with_grace(short).with_backoff(Duration::from_millis(1))
}

/// Has its effect too late.
#[tool(concurrency = parallel)]
async fn late(#[state] effects: &AtomicUsize) -> &'static str {
    effects.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_mins(1)).await;
    "done"
}

/// Has its effect too late, and may be repeated.
#[tool(recovery = replay_safe)]
async fn late_again(#[state] effects: &AtomicUsize) -> &'static str {
    if effects.fetch_add(1, Ordering::SeqCst) < 2 {
        tokio::time::sleep(Duration::from_mins(1)).await;
    }
    "done"
}

const UNKNOWN: &str = "The tool failed, and its outcome is unknown: its effect may have happened. Do not repeat the call \
                       before you have checked.";

#[tokio::test]
async fn r3_a_call_that_does_not_end_in_its_time_has_an_unknown_outcome() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Late::new(effects.clone()))]).limits(impatient()).build().unwrap();
    let run = run(&runtime).await;
    let report = only(run.step(0, vec![call("a", "late", "{}")]).await);
    assert_eq!(report.output.text(), UNKNOWN);
    let CallStatus::InDoubt { ledger_id, why } = &report.status else { panic!("{:?}", report.status) };
    assert_eq!(why, "it did not end in its time, and not when it was asked to stop either");
    // Nothing executes it again, and the late result answers nothing else.
    let again = only(run.step(0, vec![call("a", "late", "{}")]).await);
    assert_eq!(again.status, CallStatus::InDoubt { ledger_id: ledger_id.clone(), why: why.clone() });
    assert_eq!(effects.load(Ordering::SeqCst), 1);
    assert_eq!(runtime.in_doubt().await.unwrap()[0].ledger_id, *ledger_id);
}

#[tokio::test]
async fn r3_where_the_recovery_mode_allows_it_an_attempt_that_ran_out_of_time_is_repeated() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(LateAgain::new(effects.clone()))]).limits(impatient()).build().unwrap();
    let run = run(&runtime).await;
    let report = only(run.step(0, vec![call("a", "late_again", "{}")]).await);
    assert_eq!((report.output.text().as_ref(), report.status), ("done", CallStatus::Finished { replayed: false }));
    assert_eq!(effects.load(Ordering::SeqCst), 3);
}

/// Stops when it is asked to.
#[tool(timeout = "10ms")]
async fn obedient(#[context] cx: &ToolContext) -> Result<String, &'static str> {
    cx.cancelled().await;
    Err("stopped in time, nothing was sent")
}

#[tokio::test]
async fn a_call_that_stops_when_it_is_asked_to_has_its_own_word() {
    let runtime = builder([erase(Obedient)]).build().unwrap();
    let run = run(&runtime).await;
    let report = only(run.step(0, vec![call("a", "obedient", "{}")]).await);
    assert_eq!(report.output.text(), "stopped in time, nothing was sent");
    assert_eq!(report.status, CallStatus::Finished { replayed: false });
}

#[tokio::test]
async fn a_step_has_its_own_time_and_starts_nothing_after_it() {
    let effects = Arc::new(AtomicUsize::new(0));
    let limits = impatient().with_call_timeout(None).with_step_timeout(Some(Duration::from_millis(20)));
    let runtime = builder([erase(Late::new(effects.clone())), erase(Obedient)]).limits(limits).build().unwrap();
    let run = run(&runtime).await;
    let report = run.step(0, vec![call("a", "late", "{}"), call("b", "obedient", "{}")]).await;
    assert!(matches!(report.calls[0].status, CallStatus::InDoubt { .. }), "{:?}", report.calls[0].status);
    assert_eq!(report.calls[1].output.text(), "Nothing was done: the step's time was up.");
    assert_eq!(effects.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_cancelled_run_stops_what_runs_and_starts_nothing() {
    let effects = Arc::new(AtomicUsize::new(0));
    let tools = [erase(Late::new(effects.clone())), erase(LateAgain::new(effects.clone()))];
    let runtime = builder(tools).limits(impatient().with_call_timeout(None)).build().unwrap();
    let run = run(&runtime).await;
    let stop = run.cancellation_token().clone();
    let calls = vec![call("a", "late", "{}"), call("b", "late_again", "{}")];
    let (report, ()) = tokio::join!(run.step(0, calls), async {
        while effects.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    });
    assert!(matches!(report.calls[0].status, CallStatus::InDoubt { .. }), "{:?}", report.calls[0].status);
    assert_eq!(report.calls[1].output.text(), "Nothing was done: the run was cancelled.");
    assert_eq!(effects.load(Ordering::SeqCst), 1);
}

/// Panics with a secret.
#[tool]
fn burst(how: String) -> String {
    panic!("{how}: hunter2")
}

/// Panics on the pool.
#[tool(blocking)]
fn burst_on_the_pool() -> String {
    panic!("hunter2")
}

/// Panics in a task of its own.
#[tool]
async fn burst_spawned() -> Result<String, tokio::task::JoinError> {
    tokio::spawn(async { panic!("hunter2") }).await
}

#[tokio::test]
async fn r2_a_panic_is_its_own_calls_and_its_message_is_not_shown() {
    let runtime = builder([erase(Burst), erase(BurstOnThePool), erase(BurstSpawned)]).build().unwrap();
    let run = run(&runtime).await;
    let calls = vec![
        call("a", "burst", r#"{"how": "loud"}"#),
        call("b", "burst_on_the_pool", "{}"),
        call("c", "burst_spawned", "{}"),
    ];
    let report = run.step(0, calls).await;
    assert_eq!(told(&report), [UNKNOWN; 3]);
    for call in &report.calls {
        assert!(call.output.is_error && !format!("{call:?}").contains("hunter2"), "{call:?}");
        assert!(matches!(call.status, CallStatus::InDoubt { .. }), "{call:?}");
    }
}

/// Runs elsewhere.
#[tool(target = sandbox, recovery = replay_safe)]
fn compile(code: String) -> String {
    code
}

struct Sandbox {
    was_called: AtomicBool,
}

#[async_trait]
impl ToolExecutor for Sandbox {
    fn recovery_capability(&self, _tool_id: &str) -> ToolRecoveryCapability {
        ToolRecoveryCapability::ReplaySafe
    }

    async fn invoke(&self, call: &ToolCall) -> Result<ToolOutput, ToolError> {
        if self.was_called.swap(true, Ordering::SeqCst) {
            Ok(ToolOutput::ok(format!("{} was compiled", call.tool_id)))
        } else {
            Err(ToolError::unavailable("it is starting"))
        }
    }
}

#[tokio::test]
async fn a_sandbox_tool_runs_in_the_sandbox_and_its_arguments_are_read_before() {
    let sandbox = Sandbox { was_called: AtomicBool::new(false) };
    let runtime = builder([erase(Compile)]).sandbox(sandbox).limits(impatient()).build().unwrap();
    let run = run(&runtime).await;
    let report = only(run.step(0, vec![call("a", "compile", r#"{"cod": "x"}"#)]).await);
    assert!(matches!(report.status, CallStatus::Refused { .. }), "{:?}", report.status);
    // It is unavailable at first, and so tried again.
    let report = only(run.step(1, vec![call("a", "compile", r#"{"code": "x"}"#)]).await);
    assert_eq!(report.output.text(), "compile was compiled");
}

/// Reports its progress, also when it is too late.
#[tool]
async fn report(#[context] cx: &ToolContext) -> &'static str {
    for done in [1.0, 3.0, 2.0, f64::NAN, 3.0, 4.0] {
        cx.progress(done, Some(4.0), None);
    }
    let cx = cx.clone();
    tokio::spawn(async move {
        tokio::task::yield_now().await;
        cx.progress(5.0, None, None);
    });
    "done"
}

#[tokio::test]
async fn progress_only_goes_forward_and_ends_with_the_call() {
    let (observer, mut events) = ToolEvents::channel();
    let runtime = builder([erase(Report)]).observer(observer).build().unwrap();
    run(&runtime).await.step(0, vec![call("a", "report", "{}")]).await;
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
    let mut seen = Vec::new();
    while let Some(event) = events.try_next() {
        assert_eq!((event.call_id.as_ref(), &*event.tool_id), ("a", "report"));
        seen.push(event.kind);
    }
    let progress = |done| ToolEventKind::Progress { done, total: Some(4.0), message: None };
    let ended = ToolEventKind::Ended { status: CallStatus::Finished { replayed: false }, is_error: false };
    assert_eq!(seen, [ToolEventKind::Started { attempt: 1 }, progress(1.0), progress(3.0), progress(4.0), ended]);
}
