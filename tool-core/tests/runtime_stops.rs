//! How steps and calls end before their time: cancelled, timed out, aborted, refused.

mod runtime_support;

use runtime_support::{builder, call, only, run, told};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_core::*;

fn quick() -> RunLimits {
    RunLimits::default().with_backoff(Duration::from_millis(1)).with_lease(Duration::from_millis(80))
}

/// Has an effect.
#[tool]
fn effect(#[state] effects: &AtomicUsize) -> String {
    format!("done {}", effects.fetch_add(1, Ordering::SeqCst) + 1)
}

struct SlowGate(Duration);

#[async_trait]
impl ToolGate for SlowGate {
    async fn judge(&self, _request: &GateRequest<'_>) -> Verdict {
        tokio::time::sleep(self.0).await;
        Verdict::Allow
    }
}

/// "Asks every call of the run to stop, and starts no other."
#[tokio::test]
async fn cancel_while_a_gate_judges_starts_no_call() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime =
        builder([erase(Effect::new(effects.clone()))]).gate(SlowGate(Duration::from_millis(60))).build().unwrap();
    let run = run(&runtime).await;
    let other = run.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(15)).await;
        other.cancel();
    });
    let report = only(run.step(0, vec![call("a", "effect", "{}")]).await);
    assert_eq!(report.output.text(), "Nothing was done: the run was cancelled.");
    assert_eq!(effects.load(Ordering::SeqCst), 0);
}

/// Holds the thread, and does what it was given to do.
struct BusyGate(Box<dyn Fn() + Send + Sync>);

#[async_trait]
impl ToolGate for BusyGate {
    async fn judge(&self, _request: &GateRequest<'_>) -> Verdict {
        (self.0)();
        Verdict::Allow
    }
}

#[tokio::test]
async fn a_gate_that_holds_the_thread_past_the_end_of_its_step_starts_no_call() {
    let held = Arc::new(Mutex::new(None::<Run>));
    let cancelling = Arc::clone(&held);
    let cancel = BusyGate(Box::new(move || cancelling.lock().unwrap().as_ref().unwrap().cancel()));
    let sleep = BusyGate(Box::new(|| std::thread::sleep(Duration::from_millis(30))));
    for (gate, why) in [(sleep, "the step's time was up"), (cancel, "the run was cancelled")] {
        let effects = Arc::new(AtomicUsize::new(0));
        let limits = quick().with_step_timeout(Some(Duration::from_millis(15)));
        let runtime = builder([erase(Effect::new(effects.clone()))]).limits(limits).gate(gate).build().unwrap();
        let run = run(&runtime).await;
        *held.lock().unwrap() = Some(run.clone());
        let report = only(run.step(0, vec![call("a", "effect", "{}")]).await);
        assert_eq!(report.output.text(), format!("Nothing was done: {why}."));
        assert_eq!(effects.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn a_run_that_was_cancelled_asks_no_gate() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&asked);
    let gate = BusyGate(Box::new(move || {
        counting.fetch_add(1, Ordering::SeqCst);
    }));
    let runtime = builder([erase(Effect::new(Arc::default()))]).gate(gate).build().unwrap();
    let run = run(&runtime).await;
    run.cancel();
    let report = only(run.step(0, vec![call("a", "effect", "{}")]).await);
    assert_eq!(report.output.text(), "Nothing was done: the run was cancelled.");
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

/// A step whose time is up while a gate judges.
#[tokio::test]
async fn step_timeout_while_a_gate_judges_starts_no_call() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Effect::new(effects.clone()))])
        .limits(quick().with_step_timeout(Some(Duration::from_millis(15))))
        .gate(SlowGate(Duration::from_millis(60)))
        .build()
        .unwrap();
    let report = only(run(&runtime).await.step(0, vec![call("a", "effect", "{}")]).await);
    assert_eq!(report.output.text(), "Nothing was done: the step's time was up.");
    assert_eq!(effects.load(Ordering::SeqCst), 0);
}

/// Never reached.
#[tool]
fn unreachable_tool(#[state] tried: &AtomicUsize) -> Result<String, ToolError> {
    tried.fetch_add(1, Ordering::SeqCst);
    Err(ToolError::unavailable("refused"))
}

#[tokio::test]
async fn cancel_during_the_backoff_starts_no_other_attempt() {
    let tried = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(UnreachableTool::new(tried.clone()))])
        .limits(RunLimits::default().with_backoff(Duration::from_millis(400)))
        .build()
        .unwrap();
    let run = run(&runtime).await;
    let other = run.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        other.cancel();
    });
    let report = only(run.step(0, vec![call("a", "unreachable_tool", "{}")]).await);
    assert_eq!(report.output.text(), "Nothing was done: the run was cancelled.");
    assert_eq!(tried.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn step_timeout_during_the_backoff_starts_no_other_attempt() {
    let tried = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(UnreachableTool::new(tried.clone()))])
        .limits(
            RunLimits::default()
                .with_backoff(Duration::from_millis(100))
                .with_step_timeout(Some(Duration::from_millis(30))),
        )
        .build()
        .unwrap();
    let report = only(run(&runtime).await.step(0, vec![call("a", "unreachable_tool", "{}")]).await);
    assert_eq!(report.output.text(), "Nothing was done: the step's time was up.");
    assert_eq!(tried.load(Ordering::SeqCst), 1);
}

/// Its attempt may have done something, and may be repeated: neither settled nor in doubt.
#[tokio::test]
async fn what_may_be_repeated_is_unfinished_and_goes_on_when_its_step_is_executed_again() {
    let tried = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(SlowReplay::new(tried.clone()))])
        .limits(quick().with_grace(Duration::from_millis(1)).with_step_timeout(Some(Duration::from_millis(20))))
        .build()
        .unwrap();
    let run = run(&runtime).await;
    let step = run.step(0, vec![call("a", "slow_replay", "{}")]).await;
    assert!(!step.is_settled());
    let report = only(step);
    assert_eq!(report.status.name(), "unfinished", "{:?}", report.status);
    let told = "Nothing was done now: the step's time was up. Whether it was done before is not known.";
    assert_eq!(report.output.text(), told);
    assert!(runtime.in_doubt().await.unwrap().is_empty());
    run.step(0, vec![call("a", "slow_replay", "{}")]).await;
    assert_eq!(tried.load(Ordering::SeqCst), 2);
}

/// Takes long.
#[tool(recovery = replay_safe)]
async fn slow_replay(#[state] tried: &AtomicUsize) -> String {
    tried.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(30)).await;
    "done".into()
}

/// Ends the others.
#[tool(aborts_siblings_on_error)]
fn leader() -> String {
    "led".into()
}

#[tokio::test]
async fn a_call_that_was_cancelled_has_not_failed() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Leader), erase(Effect::new(effects.clone()))]).build().unwrap();
    let run = run(&runtime).await;
    run.cancel();
    let report = run.step(0, vec![call("a", "leader", "{}"), call("b", "effect", "{}")]).await;
    assert_eq!(told(&report)[1], "Nothing was done: the run was cancelled.");
}

struct NoLimit(Arc<AtomicUsize>);

#[async_trait]
impl Tool for NoLimit {
    type Args = ();
    type Output = String;
    const ID: &'static str = "no_limit";
    const DESCRIPTION: &'static str = "Takes as long as it takes.";
    fn timeout(&self) -> Option<Duration> {
        Some(Duration::MAX)
    }
    async fn call(&self, _: ()) -> Result<String, ToolError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok("done".into())
    }
}

#[tokio::test]
async fn a_timeout_without_end_is_no_panic() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(NoLimit(effects.clone()))]).build().unwrap();
    let report = only(run(&runtime).await.step(0, vec![call("a", "no_limit", "{}")]).await);
    assert_eq!(report.output.text(), "done");
}

#[tokio::test]
async fn a_step_timeout_without_end_is_no_panic() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Effect::new(effects.clone()))])
        .limits(RunLimits::default().with_step_timeout(Some(Duration::MAX)))
        .build()
        .unwrap();
    let report = only(run(&runtime).await.step(0, vec![call("a", "effect", "{}")]).await);
    assert_eq!(report.output.text(), "done 1");
}

#[tokio::test]
async fn a_lease_without_end_is_no_panic() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Effect::new(effects.clone()))])
        .limits(RunLimits::default().with_lease(Duration::MAX))
        .build()
        .unwrap();
    let report = only(run(&runtime).await.step(0, vec![call("a", "effect", "{}")]).await);
    assert_eq!(report.output.text(), "done 1");
}

#[tokio::test]
async fn a_lower_limit_loses_no_recorded_result() {
    let effects = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let step = || vec![call("a", "effect", "{}"), call("b", "effect", "{}")];
    let wide = builder([erase(Effect::new(effects.clone()))]).ledger(ledger.clone()).build().unwrap();
    let first = run(&wide).await.step(0, step()).await;
    let narrow = builder([erase(Effect::new(effects.clone()))])
        .ledger(ledger)
        .limits(RunLimits::default().with_calls_per_step(1))
        .build()
        .unwrap();
    let again = run(&narrow).await.step(0, step()).await;
    assert_eq!(told(&again), told(&first));
}

#[tokio::test]
async fn the_deadline_of_a_single_call_does_not_cancel_the_run() {
    let tried = Arc::new(AtomicUsize::new(0));
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(SlowReplay::new(tried.clone())), erase(Effect::new(effects.clone()))])
        .limits(quick().with_grace(Duration::from_millis(1)).with_call_timeout(Some(Duration::from_millis(10))))
        .build()
        .unwrap();
    let run = run(&runtime).await;
    only(run.step(0, vec![call("a", "slow_replay", "{}")]).await);
    assert!(!run.cancellation_token().is_cancelled());
    assert_eq!(only(run.step(1, vec![call("a", "effect", "{}")]).await).output.text(), "done 1");
}

/// Fails and ends others.
#[tool(id = "failing_leader", aborts_siblings_on_error, concurrency = parallel)]
fn failing_leader() -> Result<String, &'static str> {
    Err("no")
}

/// Waits to be stopped.
#[tool(id = "stoppable", concurrency = parallel)]
async fn stoppable(#[context] cx: &ToolContext) -> String {
    cx.cancelled().await;
    "stopped".into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abort_ends_the_step_alone_in_order() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime =
        builder([erase(FailingLeader), erase(Stoppable), erase(Effect::new(effects.clone()))]).build().unwrap();
    let run = run(&runtime).await;
    for step in 0..50 {
        let report = run
            .step(
                step,
                vec![
                    call("a", "stoppable", "{}"),
                    call("b", "failing_leader", "{}"),
                    call("c", "stoppable", "{}"),
                    call("d", "effect", "{}"),
                    call("e", "nowhere", "{}"),
                ],
            )
            .await;
        let ids: Vec<_> = report.calls.iter().map(|call| call.call_id.to_string()).collect();
        assert_eq!(ids, ["a", "b", "c", "d", "e"]);
        assert!(!run.cancellation_token().is_cancelled());
        assert_eq!(told(&report)[3], "Nothing was done: `failing_leader` failed, which ends the calls beside it.");
    }
    // Alone it ends nothing.
    only(run.step(60, vec![call("b", "failing_leader", "{}")]).await);
    assert!(!run.cancellation_token().is_cancelled());
    // And a run's cancel reaches a single call.
    let other = run.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(10)).await;
        other.cancel();
    });
    let report = only(run.step(61, vec![call("b", "stoppable", "{}")]).await);
    assert_eq!(report.output.text(), "stopped");
}

#[tokio::test]
async fn what_was_never_dispatched_is_not_called_in_doubt() {
    let tried = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(UnreachableSlow::new(tried.clone()))])
        .limits(quick().with_step_timeout(Some(Duration::from_millis(15))))
        .build()
        .unwrap();
    let run = run(&runtime).await;
    let report = only(run.step(0, vec![call("a", "unreachable_slow", "{}")]).await);
    assert_eq!(tried.load(Ordering::SeqCst), 1);
    assert_eq!(report.output.text(), "Nothing was done: the step's time was up.");
}

/// Looks for a while and does not reach it.
#[tool]
async fn unreachable_slow(#[state] tried: &AtomicUsize, #[context] cx: &ToolContext) -> Result<String, ToolError> {
    tried.fetch_add(1, Ordering::SeqCst);
    cx.cancelled().await;
    Err(ToolError::unavailable("not connected"))
}

struct StuckGate;

#[async_trait]
impl ToolGate for StuckGate {
    async fn judge(&self, _request: &GateRequest<'_>) -> Verdict {
        std::future::pending().await
    }
}

struct StuckHook;

#[async_trait]
impl AfterToolHook for StuckHook {
    async fn after_tool(&self, _: &FinishedCall<'_>) -> Result<HookReaction, HookError> {
        std::future::pending().await
    }
}

/// `step_timeout`: "How long a whole step may take".
#[tokio::test]
async fn a_gate_that_hangs_ends_with_the_step() {
    let effects = Arc::new(AtomicUsize::new(0));
    let limits = quick().with_grace(Duration::from_millis(1)).with_step_timeout(Some(Duration::from_millis(20)));
    let runtime = builder([erase(Effect::new(effects.clone()))]).gate(StuckGate).limits(limits).build().unwrap();
    let run = run(&runtime).await;
    let ended = tokio::time::timeout(Duration::from_millis(500), run.step(0, vec![call("a", "effect", "{}")])).await;
    assert!(ended.is_ok(), "the step's time was up long ago");
}

#[tokio::test]
async fn a_hook_that_hangs_ends_with_the_step() {
    let effects = Arc::new(AtomicUsize::new(0));
    let limits = quick().with_grace(Duration::from_millis(1)).with_step_timeout(Some(Duration::from_millis(20)));
    let runtime = builder([erase(Effect::new(effects.clone()))]).hook(StuckHook).limits(limits).build().unwrap();
    let run = run(&runtime).await;
    let ended = tokio::time::timeout(Duration::from_millis(500), run.step(0, vec![call("a", "effect", "{}")])).await;
    assert!(ended.is_ok(), "the step's time was up long ago");
}

/// `is_settled`: "none waits, is in doubt, or is executed elsewhere".
#[tokio::test]
async fn what_may_run_elsewhere_is_not_settled() {
    let effects = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let runtime = builder([erase(Hangs::new(effects.clone()))]).ledger(ledger.clone()).build().unwrap();
    let one = run(&runtime).await;
    let running = one.clone();
    let task = tokio::spawn(async move { running.step(0, vec![call("a", "hangs", "{}")]).await });
    tokio::time::sleep(Duration::from_millis(20)).await;
    // Another process, with a run of its own, that is cancelled.
    let other = builder([erase(Hangs::new(effects.clone()))]).ledger(ledger.as_owner("other")).build().unwrap();
    let two = run(&other).await;
    two.cancel();
    let report = two.step(0, vec![call("a", "hangs", "{}")]).await;
    let settled = report.is_settled();
    task.abort();
    assert!(!settled, "it is being executed at this moment");
}

/// Never ends.
#[tool]
async fn hangs(#[state] effects: &AtomicUsize) -> String {
    effects.fetch_add(1, Ordering::SeqCst);
    std::future::pending().await
}

/// Looks now and then whether it is to stop, and has work under a name of its own that waits for it.
#[tool(timeout = "20ms")]
async fn watchful(#[context] cx: &ToolContext) -> String {
    let operation = cx.operation().unwrap().clone();
    let work = tokio::spawn(cx.clone().scope(scope_tool_operation(operation, async {
        ToolContext::current().cancelled().await;
        "its work stopped"
    })));
    while !cx.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    work.await.unwrap().to_owned()
}

/// A call has a cancellation of its own only once somebody asks for it: whoever asks is told.
#[tokio::test]
async fn all_that_a_call_made_of_its_context_is_stopped_with_it() {
    let runtime = builder([erase(Watchful)]).limits(quick()).build().unwrap();
    let run = run(&runtime).await;
    assert_eq!(only(run.step(0, vec![call("a", "watchful", "{}")]).await).output.text(), "its work stopped");
    assert!(!run.cancellation_token().is_cancelled(), "the call's own limit is no cancellation of the run");
    let other = run.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(5)).await;
        other.cancel();
    });
    assert_eq!(only(run.step(1, vec![call("a", "watchful", "{}")]).await).output.text(), "its work stopped");
}

/// Ends some time after it was asked to.
#[tool]
async fn lingers(#[state] started: &AtomicUsize, #[context] cx: &ToolContext) -> String {
    started.fetch_add(1, Ordering::SeqCst);
    cx.cancelled().await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    "ended in its grace".into()
}

/// Keeps what is too long, slowly.
struct SlowSpill;

#[async_trait]
impl SpillPort for SlowSpill {
    async fn spill(&self, _: &ToolOperationContext, _: &str) -> std::io::Result<String> {
        tokio::time::sleep(Duration::from_millis(400)).await;
        Ok("a slow place".into())
    }
}

/// "renewed … every third of it": also while a call ends in its grace, and while its result is kept elsewhere.
#[tokio::test]
async fn the_lease_is_renewed_until_the_result_is_recorded() {
    let started = Arc::new(AtomicUsize::new(0));
    let ledger = MemoryLedger::new();
    let limits = RunLimits::default().with_lease(Duration::from_millis(100)).with_result_chars(5);
    let runtime = |limits: RunLimits| {
        let builder = builder([erase(Lingers::new(started.clone()))]).limits(limits).spill(SlowSpill);
        builder.ledger(ledger.clone()).build().unwrap()
    };
    let one = run(&runtime(limits.clone().with_call_timeout(Some(Duration::from_millis(10))))).await;
    let other = run(&runtime(limits)).await;
    let step = || vec![call("a", "lingers", "{}")];
    let doing = tokio::spawn(async move { only(one.step(0, step()).await) });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let waited = only(other.step(0, step()).await);
    let done = doing.await.unwrap();
    assert!(done.output.text().contains("a slow place"), "{}", done.output.text());
    assert_eq!(done.status, CallStatus::Finished { replayed: false });
    assert_eq!(waited.status, CallStatus::Finished { replayed: true });
    assert_eq!(started.load(Ordering::SeqCst), 1);
}

/// Takes its time.
#[tool(concurrency = parallel)]
async fn slow() -> String {
    tokio::time::sleep(Duration::from_mins(1)).await;
    String::new()
}

/// "one for each, whatever happens"
#[test]
fn a_step_whose_tasks_are_taken_away_reports_each_of_its_calls() {
    let tasks = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let handle = tasks.handle().clone();
    let step = std::thread::spawn(move || {
        handle.block_on(async {
            let run = run(&builder([erase(Slow)]).build().unwrap()).await;
            run.step(0, vec![call("a", "slow", "{}"), call("b", "nowhere", "{}"), call("c", "slow", "{}")]).await
        })
    });
    std::thread::sleep(Duration::from_millis(100));
    tasks.shutdown_background();
    let report = step.join().unwrap();
    let all: Vec<_> = report.calls.iter().map(|call| (&*call.call_id, call.status.name())).collect();
    assert_eq!(all, [("a", "unfinished"), ("b", "refused"), ("c", "unfinished")]);
}
