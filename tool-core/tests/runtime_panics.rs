//! Who panics beside a call costs it no result, and no other call anything.

mod runtime_support;

use runtime_support::{builder, call, only, run};
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

/// Has an effect, beside others.
#[tool(id = "parallel_effect", concurrency = parallel)]
fn parallel_effect(#[state] effects: &AtomicUsize) -> String {
    format!("done {}", effects.fetch_add(1, Ordering::SeqCst) + 1)
}

/// Panics at some events.
struct Panicky(fn(&ToolEventKind) -> bool, Mutex<Vec<&'static str>>);

impl ToolObserver for Panicky {
    fn observe(&self, event: &ToolEvent) {
        let name = match event.kind {
            ToolEventKind::Started { .. } => "started",
            ToolEventKind::Ended { .. } => "ended",
            _ => "other",
        };
        self.1.lock().unwrap().push(name);
        assert!(!(self.0)(&event.kind), "an observer panics");
    }
}

#[tokio::test]
async fn an_observer_that_panics_at_a_refused_call_costs_no_other_its_result() {
    let effects = Arc::new(AtomicUsize::new(0));
    let observer = Arc::new(Panicky(
        |kind| matches!(kind, ToolEventKind::Ended { status: CallStatus::Refused { .. }, .. }),
        Mutex::default(),
    ));
    let runtime = builder([erase(Effect::new(effects.clone()))]).observer(observer).build().unwrap();
    let report = run(&runtime).await.step(0, vec![call("a", "effect", "{}"), call("b", "nowhere", "{}")]).await;
    assert_eq!(report.calls.len(), 2);
}

#[tokio::test]
async fn an_observer_that_panics_at_the_end_loses_no_recorded_result() {
    let effects = Arc::new(AtomicUsize::new(0));
    let observer = Arc::new(Panicky(|kind| matches!(kind, ToolEventKind::Ended { .. }), Mutex::default()));
    let runtime = builder([erase(Effect::new(effects.clone()))]).observer(observer).build().unwrap();
    let report = only(run(&runtime).await.step(0, vec![call("a", "effect", "{}")]).await);
    assert_eq!(report.output.text(), "done 1", "it is recorded");
}

struct PanicLedger(MemoryLedger);

#[async_trait]
impl OperationLedger for PanicLedger {
    async fn begin(&self, intent: &OperationIntent) -> Result<Begun, LedgerError> {
        self.0.begin(intent).await
    }
    async fn renew(&self, lease: &Lease) -> Result<(), LedgerError> {
        self.0.renew(lease).await
    }
    async fn complete(&self, _: &Lease, _: &ToolOutput) -> Result<(), LedgerError> {
        panic!("ledger")
    }
    async fn fail(&self, lease: &Lease, why: &str) -> Result<(), LedgerError> {
        self.0.fail(lease, why).await
    }
    async fn doubt(&self, lease: &Lease, why: &str) -> Result<(), LedgerError> {
        self.0.doubt(lease, why).await
    }
    async fn suspend(&self, lease: &Lease, wait: &Wait) -> Result<Ticket, LedgerError> {
        self.0.suspend(lease, wait).await
    }
    async fn answer(&self, ticket: &Ticket, answer: &serde_json::Value) -> Result<OperationRecord, LedgerError> {
        self.0.answer(ticket, answer).await
    }
    async fn resolve(&self, id: &str, r: &Resolution) -> Result<OperationRecord, LedgerError> {
        self.0.resolve(id, r).await
    }
    async fn react(&self, o: &ToolOperationContext, r: &HookReaction) -> Result<HookReaction, LedgerError> {
        self.0.react(o, r).await
    }
    async fn known(&self, intent: &OperationIntent) -> Result<Option<OperationRecord>, LedgerError> {
        self.0.known(intent).await
    }
    async fn find(&self, id: &str) -> Result<Option<OperationRecord>, LedgerError> {
        self.0.find(id).await
    }
    async fn list(&self, f: &OperationFilter) -> Result<Vec<OperationRecord>, LedgerError> {
        self.0.list(f).await
    }
    async fn state(&self, run: &RunScope) -> Result<StateEntries, LedgerError> {
        self.0.state(run).await
    }
    async fn commit(&self, run: &RunScope, c: &[StateCommand]) -> Result<(), LedgerError> {
        self.0.commit(run, c).await
    }
    async fn forget(&self, run: &RunScope) -> Result<usize, LedgerError> {
        self.0.forget(run).await
    }
}

/// "Ended: the last event of each call of a step".
#[tokio::test]
async fn a_panic_of_the_ledger_leaves_order_and_events() {
    let effects = Arc::new(AtomicUsize::new(0));
    let observer = Arc::new(Panicky(|_| false, Mutex::default()));
    let runtime = builder([erase(ParallelEffect::new(effects.clone()))])
        .ledger(PanicLedger(MemoryLedger::new()))
        .observer(observer.clone())
        .build()
        .unwrap();
    let report = run(&runtime)
        .await
        .step(
            0,
            vec![call("a", "parallel_effect", "{}"), call("b", "parallel_effect", "{}"), call("c", "nowhere", "{}")],
        )
        .await;
    let ids: Vec<_> = report.calls.iter().map(|c| (c.call_id.to_string(), c.status.name())).collect();
    assert_eq!(ids.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    let events = observer.1.lock().unwrap().clone();
    assert_eq!(events.iter().filter(|e| **e == "ended").count(), 3, "{events:?}");
}

struct PanicSpill;

#[async_trait]
impl SpillPort for PanicSpill {
    async fn spill(&self, _: &ToolOperationContext, _: &str) -> std::io::Result<String> {
        panic!("spill")
    }
}

/// A port that fails costs the place alone; one that panics?
#[tokio::test]
async fn a_spill_port_that_panics_loses_no_result() {
    let effects = Arc::new(AtomicUsize::new(0));
    let runtime = builder([erase(Effect::new(effects.clone()))])
        .spill(PanicSpill)
        .limits(quick().with_result_chars(2))
        .build()
        .unwrap();
    let run = run(&runtime).await;
    let report = only(run.step(0, vec![call("a", "effect", "{}")]).await);
    assert!(matches!(report.status, CallStatus::Finished { .. }));
}

/// Its future panics where it is dropped.
#[tool(concurrency = parallel)]
async fn drops_badly() -> String {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            panic!("dropped")
        }
    }
    let _bad = Bad;
    std::future::pending().await
}

#[tokio::test]
async fn a_future_that_panics_where_it_is_dropped_costs_no_other() {
    let effects = Arc::new(AtomicUsize::new(0));
    let limits = quick().with_grace(Duration::from_millis(1)).with_call_timeout(Some(Duration::from_millis(10)));
    let runtime =
        builder([erase(DropsBadly), erase(ParallelEffect::new(effects.clone())), erase(Effect::new(effects.clone()))])
            .limits(limits)
            .build()
            .unwrap();
    let run = run(&runtime).await;
    let report = run
        .step(
            0,
            vec![
                call("a", "drops_badly", "{}"),
                call("b", "parallel_effect", "{}"),
                call("c", "effect", "{}"),
                call("d", "drops_badly", "{}"),
            ],
        )
        .await;
    let all: Vec<_> = report.calls.iter().map(|call| (&*call.call_id, call.status.name())).collect();
    assert_eq!(all, [("a", "in_doubt"), ("b", "finished"), ("c", "finished"), ("d", "in_doubt")]);

    // The ledger knows it too, so that a person can settle it.
    let uncertain = runtime.in_doubt().await.unwrap();
    assert_eq!(uncertain.len(), 2);
    for operation in uncertain {
        assert_eq!(
            operation.why.as_deref(),
            Some("it did not end in its time, and not when it was asked to stop either")
        );
        runtime.resolve(&operation.ledger_id, Resolution::Abandoned("given up".into())).await.unwrap();
    }
    run.end().await.unwrap();
}
