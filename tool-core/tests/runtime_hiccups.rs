//! A ledger that cannot be used for a moment, or takes its time: nothing is lost, nor started too late.

mod runtime_support;

use runtime_support::{builder, call, only, run, ticket};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tool_core::*;

/// Cannot be used at the first so many ends of an attempt, and takes its time to say so, and to begin.
#[derive(Clone)]
struct Hiccups {
    held: MemoryLedger,
    ends: Arc<AtomicUsize>,
    begins: Duration,
    hiccup: Duration,
}

impl Hiccups {
    fn new(ends: usize, begins: Duration) -> Self {
        Self { held: MemoryLedger::new(), ends: Arc::new(ends.into()), begins, hiccup: Duration::ZERO }
    }

    async fn hiccup(&self) -> Result<(), LedgerError> {
        if self.ends.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err() {
            return Ok(());
        }
        tokio::time::sleep(self.hiccup).await;
        Err(LedgerError::Unavailable("another process held it".to_owned()))
    }
}

#[async_trait]
impl OperationLedger for Hiccups {
    async fn begin(&self, intent: &OperationIntent) -> Result<Begun, LedgerError> {
        tokio::time::sleep(self.begins).await;
        self.held.begin(intent).await
    }

    async fn renew(&self, lease: &Lease) -> Result<(), LedgerError> {
        self.held.renew(lease).await
    }

    async fn complete(&self, lease: &Lease, output: &ToolOutput) -> Result<(), LedgerError> {
        self.hiccup().await?;
        self.held.complete(lease, output).await
    }

    async fn fail(&self, lease: &Lease, why: &str) -> Result<(), LedgerError> {
        self.hiccup().await?;
        self.held.fail(lease, why).await
    }

    async fn doubt(&self, lease: &Lease, why: &str) -> Result<(), LedgerError> {
        self.hiccup().await?;
        self.held.doubt(lease, why).await
    }

    async fn suspend(&self, lease: &Lease, wait: &Wait) -> Result<Ticket, LedgerError> {
        self.hiccup().await?;
        self.held.suspend(lease, wait).await
    }

    async fn answer(&self, ticket: &Ticket, answer: &Value) -> Result<OperationRecord, LedgerError> {
        self.held.answer(ticket, answer).await
    }

    async fn resolve(&self, ledger_id: &str, resolution: &Resolution) -> Result<OperationRecord, LedgerError> {
        self.held.resolve(ledger_id, resolution).await
    }

    async fn react(&self, at: &ToolOperationContext, reaction: &HookReaction) -> Result<HookReaction, LedgerError> {
        self.held.react(at, reaction).await
    }

    async fn known(&self, intent: &OperationIntent) -> Result<Option<OperationRecord>, LedgerError> {
        self.held.known(intent).await
    }

    async fn find(&self, ledger_id: &str) -> Result<Option<OperationRecord>, LedgerError> {
        self.held.find(ledger_id).await
    }

    async fn list(&self, filter: &OperationFilter) -> Result<Vec<OperationRecord>, LedgerError> {
        self.held.list(filter).await
    }

    async fn state(&self, run: &RunScope) -> Result<StateEntries, LedgerError> {
        self.held.state(run).await
    }

    async fn commit(&self, run: &RunScope, commands: &[StateCommand]) -> Result<(), LedgerError> {
        self.held.commit(run, commands).await
    }

    async fn forget(&self, run: &RunScope) -> Result<usize, LedgerError> {
        self.held.forget(run).await
    }
}

/// Comes to one end after the other: it is not reached, it breaks, it waits, it has a result.
#[tool(recovery = replay_safe)]
fn every_end(#[state] attempts: &AtomicUsize, #[context] cx: &ToolContext) -> Result<Outcome<String>, ToolError> {
    match attempts.fetch_add(1, Ordering::SeqCst) {
        0 => Err(ToolError::unavailable("no connection")),
        1 => Err(ToolError::execution("it broke")),
        2 => Ok(Outcome::Suspend { reason: "which?".to_owned(), input_schema: json!({"type": "string"}) }),
        _ => Ok(Outcome::Output(format!("{:?}", cx.answer()))),
    }
}

fn limits() -> RunLimits {
    RunLimits::default().with_lease(Duration::from_millis(160)).with_backoff(Duration::from_millis(1))
}

#[tokio::test]
async fn every_end_of_an_attempt_is_offered_again() {
    for hiccups in [1, 3] {
        let attempts = Arc::new(AtomicUsize::new(0));
        let ledger = Hiccups::new(0, Duration::ZERO);
        let tools = [erase(EveryEnd::new(attempts.clone()))];
        let runtime = builder(tools).limits(limits()).ledger(ledger.clone()).build().unwrap();
        let run = run(&runtime).await;
        ledger.ends.store(hiccups, Ordering::SeqCst);
        let waiting = only(run.step(0, vec![call("a", "every_end", "{}")]).await);
        assert_eq!(waiting.status.name(), "waiting", "{hiccups}: {waiting:?}");
        ledger.ends.store(hiccups, Ordering::SeqCst);
        let done = runtime.resume(&ticket(&waiting), json!("x")).await.unwrap();
        assert_eq!(done.output.text(), r#"Some(String("x"))"#, "{hiccups}");
        assert_eq!(attempts.load(Ordering::SeqCst), 4);
    }
}

/// Has an effect.
#[tool]
fn effect(#[state] effects: &AtomicUsize) -> String {
    format!("done {}", effects.fetch_add(1, Ordering::SeqCst) + 1)
}

#[tokio::test]
async fn the_lease_holds_while_a_result_is_offered_again() {
    let effects = Arc::new(AtomicUsize::new(0));
    let ledger = Hiccups { hiccup: Duration::from_millis(60), ..Hiccups::new(3, Duration::ZERO) };
    let lease = Duration::from_millis(100);
    let limits = RunLimits::default().with_lease(lease).with_backoff(Duration::from_secs(9));
    let make = || {
        let tools = [erase(Effect::new(effects.clone()))];
        builder(tools).limits(limits.clone()).ledger(ledger.clone()).build().unwrap()
    };
    let (one, two) = (make(), make());
    let (of_one, of_two) = (run(&one).await, run(&two).await);
    let step = || vec![call("a", "effect", "{}")];
    let (first, beside) = tokio::join!(of_one.step(0, step()), of_two.step(0, step()));
    assert_eq!([only(first).output.text(), only(beside).output.text()], ["done 1"; 2]);
}

#[tokio::test]
async fn what_ends_while_its_intent_is_recorded_is_not_started() {
    for cancels in [true, false] {
        let effects = Arc::new(AtomicUsize::new(0));
        let step_time = (!cancels).then_some(Duration::from_millis(10));
        let limits = RunLimits::default().with_step_timeout(step_time);
        let ledger = Hiccups::new(0, Duration::from_millis(40));
        let tools = [erase(Effect::new(effects.clone()))];
        let runtime = builder(tools).limits(limits).ledger(ledger).build().unwrap();
        let run = run(&runtime).await;
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            if cancels {
                run.cancel();
            }
        };
        let (report, ()) = tokio::join!(run.step(0, vec![call("a", "effect", "{}")]), cancel);
        let why = if cancels { "the run was cancelled" } else { "the step's time was up" };
        assert_eq!(only(report).output.text(), format!("Nothing was done: {why}."));
        assert_eq!(effects.load(Ordering::SeqCst), 0);
        run.end().await.unwrap();
    }
}

/// Takes its time.
#[tool]
async fn slow() -> &'static str {
    tokio::time::sleep(Duration::from_millis(400)).await;
    "done"
}

#[tokio::test]
async fn somebody_elses_execution_is_waited_for_as_long_as_a_call_may_take() {
    let ledger = MemoryLedger::new();
    let make = |owner, time| {
        let limits = RunLimits::default().with_call_timeout(time);
        builder([erase(Slow)]).limits(limits).ledger(ledger.as_owner(owner)).build().unwrap()
    };
    let (one, two) = (make("one", None), make("two", Some(Duration::from_millis(50))));
    let (of_one, of_two) = (run(&one).await, run(&two).await);
    let step = || vec![call("a", "slow", "{}")];
    let (first, beside) = tokio::join!(of_one.step(0, step()), of_two.step(0, step()));
    assert_eq!([only(first).status.name(), only(beside).status.name()], ["finished", "elsewhere"]);
}
