//! One promise each. Two owners of one ledger, and a clock that stands still.

use serde_json::json;
use std::time::{Duration, SystemTime};
use tool_core::{
    Begun, HookReaction, Lease, LedgerError, OperationFilter, OperationId, OperationIntent, OperationLedger,
    OperationState, Resolution, RunId, RunScope, Stage, StateCommand, Suspension, ThreadId, Ticket, ToolCall,
    ToolOutput, ToolRecoveryMode, Wait, WorkspaceId,
};

use super::Shared;
use super::support::{LEASE, intent, intent_of, lease_of, of_tool, replayed, run, with_policy};

async fn begin(ledger: &dyn OperationLedger, intent: &OperationIntent) -> Lease {
    lease_of(ledger.begin(intent).await.unwrap())
}

#[track_caller]
fn waiting(begun: Begun) -> Ticket {
    match begun {
        Begun::Waiting(ticket, _) => ticket,
        other => panic!("it does not wait: {other:?}"),
    }
}

fn input(reason: &str) -> Wait {
    Wait::Tool(Suspension::Input { reason: reason.to_owned(), input_schema: json!({"type": "object"}) })
}

async fn stage(ledger: &dyn OperationLedger, intent: &OperationIntent) -> Stage {
    ledger.find(&intent.operation.ledger_id()).await.unwrap().expect("a record").state.stage()
}

/// An operation whose outcome is unknown.
async fn in_doubt(ledger: &dyn OperationLedger, operation: &str) -> String {
    let intent = intent(operation);
    let lease = begin(ledger, &intent).await;
    ledger.doubt(&lease, "no answer").await.unwrap();
    intent.operation.ledger_id()
}

pub(crate) async fn one_executes_and_the_others_find_it_busy(shared: &Shared) {
    let lease = begin(&*shared.one, &intent("0")).await;
    assert_eq!((lease.attempt, lease.fence, lease.duration, lease.answer), (1, 1, LEASE, None));
    assert_eq!(lease.operation, intent("0").operation);
    let busy = Begun::Busy { until: shared.clock.now() + LEASE };
    assert_eq!(shared.other.begin(&intent("0")).await.unwrap(), busy);
    assert_eq!(shared.one.begin(&intent("0")).await.unwrap(), busy, "it knows its own lease");
    begin(&*shared.other, &intent("1")).await;
}

pub(crate) async fn a_result_answers_whoever_asks_again(shared: &Shared) {
    let lease = begin(&*shared.one, &intent("0")).await;
    let output = ToolOutput::ok("done").with_call_id("call_1").with_structured_content(json!({"cents": 100}));
    shared.one.complete(&lease, &output).await.unwrap();
    let again = intent("0");
    let again = OperationIntent { call: ToolCall { call_id: "call_9".into(), ..again.call }, ..again };
    let Begun::Replay(recorded) = shared.other.begin(&again).await.unwrap() else { panic!("no result") };
    assert_eq!(recorded.output, output.with_call_id("call_9"));
    assert_eq!(recorded.operation, again.operation);
    assert_eq!(shared.one.complete(&lease, &ToolOutput::ok("again")).await, Err(LedgerError::Fenced));
    assert_eq!(stage(&*shared.other, &again).await, Stage::Completed);
}

pub(crate) async fn something_else_under_the_same_operation_is_a_conflict(shared: &Shared) {
    let lease = begin(&*shared.one, &intent("0")).await;
    let others = [
        OperationIntent { arguments: r#"{"order":"8","cents":100}"#.into(), ..intent("0") },
        of_tool("cancel", intent("0")),
    ];
    for other in &others {
        assert!(matches!(shared.other.begin(other).await.unwrap(), Begun::Conflict { .. }), "{other:?}");
    }
    let same = OperationIntent { arguments: r#"{ "cents": 1e2, "order": "7" }"#.into(), ..intent("0") };
    assert!(matches!(shared.other.begin(&same).await.unwrap(), Begun::Busy { .. }), "the same JSON");
    shared.one.complete(&lease, &ToolOutput::ok("done")).await.unwrap();
    assert!(matches!(shared.other.begin(&others[0]).await.unwrap(), Begun::Conflict { .. }));
}

pub(crate) async fn approval_comes_before_everything(shared: &Shared) {
    let asks = OperationIntent { approval: Some("it is dear".to_owned()), ..intent("0") };
    let ticket = waiting(shared.one.begin(&asks).await.unwrap());
    assert_eq!(waiting(shared.other.begin(&asks).await.unwrap()), ticket);
    assert_eq!(ticket.ledger_id(), Some(&*asks.operation.ledger_id()));
    let record = shared.other.answer(&ticket, &json!({"approve": true})).await.unwrap();
    assert!(record.approved && record.state.stage() == Stage::Answered);
    assert_eq!(shared.one.answer(&ticket, &json!({"approve": false})).await.err(), Some(LedgerError::NotWaiting));
    let lease = begin(&*shared.one, &asks).await;
    assert_eq!((lease.attempt, lease.answer), (1, None), "an approval is no input");
}

pub(crate) async fn a_refusal_is_the_result(shared: &Shared) {
    let asks = OperationIntent { approval: Some("it is dear".to_owned()), ..intent("0") };
    let ticket = waiting(shared.one.begin(&asks).await.unwrap());
    shared.one.answer(&ticket, &json!({"approve": false, "note": "Too much."})).await.unwrap();
    assert!(replayed(shared.other.begin(&asks).await.unwrap()).ends_with("Too much."));
    for unknown in [Ticket::new("none"), Ticket::new(""), Ticket::new(format!("{}-1", "0".repeat(64)))] {
        assert_eq!(shared.one.answer(&unknown, &json!({})).await.err(), Some(LedgerError::NotFound), "{unknown:?}");
    }
}

pub(crate) async fn an_answer_reaches_the_next_attempt_and_counts_once(shared: &Shared) {
    let lease = begin(&*shared.one, &intent("0")).await;
    let ticket = shared.one.suspend(&lease, &input("which?")).await.unwrap();
    assert_eq!(shared.one.complete(&lease, &ToolOutput::ok("late")).await, Err(LedgerError::Fenced));
    assert_eq!(waiting(shared.other.begin(&intent("0")).await.unwrap()), ticket);
    shared.other.answer(&ticket, &json!({"which": "this"})).await.unwrap();
    assert_eq!(shared.other.answer(&ticket, &json!(2)).await.err(), Some(LedgerError::NotWaiting));
    let lease = begin(&*shared.other, &intent("0")).await;
    assert_eq!((lease.attempt, lease.fence, lease.answer.clone()), (1, 2, Some(json!({"which": "this"}))));

    let next = shared.other.suspend(&lease, &input("and now?")).await.unwrap();
    assert_ne!(next, ticket);
    assert_eq!(shared.one.answer(&ticket, &json!(3)).await.err(), Some(LedgerError::NotWaiting), "of the wait before");
    shared.one.answer(&next, &json!(null)).await.unwrap();
    assert_eq!(begin(&*shared.one, &intent("0")).await.answer, Some(json!(null)));
}

pub(crate) async fn an_instant_comes_by_itself(shared: &Shared) {
    let lease = begin(&*shared.one, &intent("0")).await;
    let until = Wait::Tool(Suspension::Until(shared.clock.now() + LEASE));
    let ticket = shared.one.suspend(&lease, &until).await.unwrap();
    assert_eq!(shared.one.answer(&ticket, &json!({})).await.err(), Some(LedgerError::NotWaiting));
    assert_eq!(shared.other.begin(&intent("0")).await.unwrap(), Begun::Waiting(ticket, until));
    shared.clock.advance(LEASE);
    begin(&*shared.other, &intent("0")).await;
}

pub(crate) async fn an_instant_that_is_long_past_has_come(shared: &Shared) {
    let epoch = SystemTime::UNIX_EPOCH;
    for (operation, past) in [("0", epoch), ("1", epoch - Duration::from_nanos(1)), ("2", epoch - LEASE)] {
        let lease = begin(&*shared.one, &intent(operation)).await;
        let parked = shared.one.suspend(&lease, &Wait::Tool(Suspension::Until(past))).await;
        assert!(parked.is_ok(), "{operation}: {parked:?}");
        let record = shared.other.find(&lease.operation.ledger_id()).await.unwrap().unwrap();
        match record.state {
            OperationState::Suspended { wait, .. } => assert_eq!(wait, Wait::Tool(Suspension::Until(epoch))),
            other => panic!("{operation}: {other:?}"),
        }
        begin(&*shared.other, &intent(operation)).await;
    }
}

pub(crate) async fn what_was_not_dispatched_begins_again_until_the_budget_ends(shared: &Shared) {
    let twice = with_policy(intent("0"), ToolRecoveryMode::NeverReplay, 2);
    for attempt in 1..=2 {
        let lease = begin(&*shared.one, &twice).await;
        assert_eq!((lease.attempt, lease.fence), (attempt, u64::from(attempt)));
        shared.one.fail(&lease, "no connection").await.unwrap();
        assert_eq!(stage(&*shared.other, &twice).await, Stage::Ready);
    }
    assert!(replayed(shared.other.begin(&twice).await.unwrap()).contains("nothing was done: no connection"));
    assert_eq!(stage(&*shared.other, &twice).await, Stage::Completed);
}

pub(crate) async fn an_attempt_without_outcome_is_never_called_nothing(shared: &Shared) {
    let twice = with_policy(intent("0"), ToolRecoveryMode::ReplaySafe, 2);
    let lease = begin(&*shared.one, &twice).await;
    shared.one.doubt(&lease, "no answer").await.unwrap();
    let lease = begin(&*shared.one, &twice).await;
    shared.one.fail(&lease, "no connection").await.unwrap();
    let begun = shared.one.begin(&twice).await.unwrap();
    assert!(matches!(begun, Begun::InDoubt { .. }), "the first attempt may have done it: {begun:?}");
    shared.one.resolve(&twice.operation.ledger_id(), &Resolution::DidNotHappen).await.unwrap();
    for _ in 0..2 {
        let lease = begin(&*shared.one, &twice).await;
        shared.one.fail(&lease, "no connection").await.unwrap();
    }
    assert!(replayed(shared.one.begin(&twice).await.unwrap()).contains("nothing was done"), "now it is known");
}

pub(crate) async fn what_was_done_before_a_wait_is_never_called_nothing(shared: &Shared) {
    let once = with_policy(intent("0"), ToolRecoveryMode::ReplaySafe, 1);
    let lease = begin(&*shared.one, &once).await;
    let ticket = shared.one.suspend(&lease, &input("which?")).await.unwrap();
    shared.other.answer(&ticket, &json!({})).await.unwrap();
    let lease = begin(&*shared.other, &once).await;
    shared.other.fail(&lease, "no connection").await.unwrap();
    let told = replayed(shared.one.begin(&once).await.unwrap());
    assert_eq!(told, "The tool could not be reached again. What it did before it waited stands: no connection");

    // A gate that came later asks for an approval, which is refused.
    let lease = begin(&*shared.one, &intent("1")).await;
    let ticket = shared.one.suspend(&lease, &input("which?")).await.unwrap();
    shared.one.answer(&ticket, &json!({})).await.unwrap();
    let asks = OperationIntent { approval: Some("a new rule".to_owned()), ..intent("1") };
    let ticket = waiting(shared.one.begin(&asks).await.unwrap());
    shared.one.answer(&ticket, &json!({"approve": false})).await.unwrap();
    let told = replayed(shared.one.begin(&asks).await.unwrap());
    assert_eq!(told, "A person did not approve of going on. What was done before the call waited stands.");
}

pub(crate) async fn a_doubt_is_settled_by_a_person_alone(shared: &Shared) {
    let resolutions = [
        Resolution::Happened(ToolOutput::ok("seen").with_state(StateCommand::set("refunds", json!(1)))),
        Resolution::Abandoned("nobody knows".to_owned()),
        Resolution::DidNotHappen,
    ];
    for (number, resolution) in resolutions.iter().enumerate() {
        let id = in_doubt(&*shared.one, &number.to_string()).await;
        let begun = shared.other.begin(&intent(&number.to_string())).await.unwrap();
        assert_eq!(begun, Begun::InDoubt { ledger_id: id.clone(), why: "no answer".to_owned() });
        shared.other.resolve(&id, resolution).await.unwrap();
        assert_eq!(shared.other.resolve(&id, resolution).await.err(), Some(LedgerError::NotInDoubt));
    }
    assert_eq!(replayed(shared.one.begin(&intent("0")).await.unwrap()), "seen");
    assert_eq!(shared.one.state(&run("r1")).await.unwrap()["refunds"], 1, "its state is committed with it");
    assert_eq!(replayed(shared.one.begin(&intent("1")).await.unwrap()), "nobody knows");
    assert_eq!(begin(&*shared.one, &intent("2")).await.attempt, 1);
    let unknown = shared.one.resolve("none", &Resolution::DidNotHappen).await;
    assert_eq!(unknown.err(), Some(LedgerError::NotFound));
}

pub(crate) async fn another_attempt_where_the_policy_allows_it(shared: &Shared) {
    let modes = [ToolRecoveryMode::ReplaySafe, ToolRecoveryMode::Idempotent, ToolRecoveryMode::DurableRequest];
    for mode in modes {
        let again = with_policy(intent(&format!("{mode:?}")), mode, 3);
        let first = begin(&*shared.one, &again).await;
        shared.one.doubt(&first, "no answer").await.unwrap();
        let second = begin(&*shared.other, &again).await;
        assert_eq!((second.attempt, second.operation), (2, first.operation));
        shared.clock.advance(LEASE);
        let third = begin(&*shared.one, &again).await;
        assert_eq!((third.attempt, third.fence), (3, 3));
        shared.one.doubt(&third, "no answer").await.unwrap();
        assert!(matches!(shared.one.begin(&again).await.unwrap(), Begun::InDoubt { .. }), "the budget is used up");
    }
}

pub(crate) async fn a_late_owner_changes_nothing(shared: &Shared) {
    for mode in [ToolRecoveryMode::NeverReplay, ToolRecoveryMode::Idempotent] {
        let intent = with_policy(intent(&format!("{mode:?}")), mode, 2);
        let id = intent.operation.ledger_id();
        let late = begin(&*shared.one, &intent).await;
        shared.clock.advance(LEASE);
        let taken = shared.other.begin(&intent).await.unwrap();
        // What nobody takes over, a person settles.
        if let Begun::InDoubt { ledger_id, .. } = &taken {
            assert_eq!(mode, ToolRecoveryMode::NeverReplay);
            shared.other.resolve(ledger_id, &Resolution::Abandoned("unknown".to_owned())).await.unwrap();
        } else {
            assert!(matches!(taken, Begun::Execute(_)), "{taken:?}");
        }
        let before = shared.other.find(&id).await.unwrap();
        let output = ToolOutput::ok("late").with_state(StateCommand::set("late", json!(true)));
        assert_eq!(shared.one.complete(&late, &output).await, Err(LedgerError::Fenced));
        assert_eq!(shared.one.renew(&late).await, Err(LedgerError::Fenced));
        assert_eq!(shared.one.fail(&late, "late").await, Err(LedgerError::Fenced));
        assert_eq!(shared.one.doubt(&late, "late").await, Err(LedgerError::Fenced));
        assert_eq!(shared.one.suspend(&late, &input("late")).await, Err(LedgerError::Fenced));
        assert!(shared.other.find(&id).await.unwrap() == before);
        assert!(shared.other.state(&run("r1")).await.unwrap().is_empty());
    }
}

pub(crate) async fn a_renewed_lease_holds(shared: &Shared) {
    let lease = begin(&*shared.one, &intent("0")).await;
    for _ in 0..3 {
        shared.clock.advance(LEASE * 9 / 10);
        shared.one.renew(&lease).await.unwrap();
        assert!(matches!(shared.other.begin(&intent("0")).await.unwrap(), Begun::Busy { .. }));
    }
    // It has ended, and nobody has taken it over: the result is as good as ever.
    shared.clock.advance(LEASE);
    shared.one.complete(&lease, &ToolOutput::ok("done")).await.unwrap();
    assert_eq!(shared.one.renew(&lease).await, Err(LedgerError::Fenced));
}

pub(crate) async fn state_is_committed_with_the_result_or_not_at_all(shared: &Shared) {
    let lease = begin(&*shared.one, &intent("0")).await;
    assert!(shared.other.state(&run("r1")).await.unwrap().is_empty());
    let output = ToolOutput::ok("done")
        .with_state(StateCommand::set("a", json!({"deep": [1, 2.5, null]})))
        .with_state(StateCommand::set("b", json!(1)))
        .with_state(StateCommand::remove("none"));
    shared.one.complete(&lease, &output).await.unwrap();
    let next = begin(&*shared.other, &intent("1")).await;
    let output = ToolOutput::ok("done")
        .with_state(StateCommand::remove("b"))
        .with_state(StateCommand::set("c", json!(1)))
        .with_state(StateCommand::set("c", json!("last")));
    shared.other.complete(&next, &output).await.unwrap();
    let state = shared.one.state(&run("r1")).await.unwrap();
    assert_eq!(serde_json::to_value(&state).unwrap(), json!({"a": {"deep": [1, 2.5, null]}, "c": "last"}));
    assert!(shared.one.state(&run("r2")).await.unwrap().is_empty(), "of this run alone");
}

pub(crate) async fn state_that_belongs_to_no_call_is_committed_too(shared: &Shared) {
    let commands = [StateCommand::set("a", json!(1)), StateCommand::set("b", json!(2)), StateCommand::remove("a")];
    shared.one.commit(&run("r1"), &commands).await.unwrap();
    shared.other.commit(&run("r1"), &[]).await.unwrap();
    assert_eq!(serde_json::to_value(shared.other.state(&run("r1")).await.unwrap()).unwrap(), json!({"b": 2}));
    assert!(shared.one.list(&OperationFilter::all()).await.unwrap().is_empty());
}

pub(crate) async fn a_reaction_is_committed_once(shared: &Shared) {
    let operation = intent("0").operation;
    let reaction = HookReaction::none().with_reminder("check").with_state(StateCommand::set("calls", json!(1)));
    assert_eq!(shared.one.react(&operation, &reaction).await, Err(LedgerError::NotFound));
    let lease = begin(&*shared.one, &intent("0")).await;
    shared.one.react(&operation, &reaction).await.unwrap();
    assert!(shared.one.state(&run("r1")).await.unwrap().is_empty(), "there is no result yet");
    shared.one.complete(&lease, &ToolOutput::ok("done")).await.unwrap();
    shared.one.react(&operation, &reaction).await.unwrap();
    let second = HookReaction::none().with_state(StateCommand::set("calls", json!(2)));
    assert_eq!(shared.other.react(&operation, &second).await.unwrap(), reaction, "the first one counts");
    assert_eq!(shared.other.state(&run("r1")).await.unwrap()["calls"], 1);
    let record = shared.other.find(&operation.ledger_id()).await.unwrap().unwrap();
    assert_eq!(record.reaction, Some(reaction.clone()));
    let Begun::Replay(recorded) = shared.other.begin(&intent("0")).await.unwrap() else { panic!("no result") };
    assert_eq!(recorded.reaction, Some(reaction), "whoever asks again is told");
}

pub(crate) async fn a_key_holds_across_runs_of_one_workspace_and_tool(shared: &Shared) {
    let keyed = |run: &RunScope, tool: &str| OperationIntent {
        idempotency_key: Some("order-7".to_owned()),
        ..of_tool(tool, intent_of(run, "0"))
    };
    let first = keyed(&run("r1"), "refund");
    let lease = begin(&*shared.one, &first).await;
    let second = keyed(&run("r2"), "refund");
    assert!(matches!(shared.other.begin(&second).await.unwrap(), Begun::Busy { .. }));
    shared.clock.advance(LEASE);
    assert!(matches!(shared.other.begin(&second).await.unwrap(), Begun::InDoubt { .. }), "never replayed");
    shared.other.resolve(&lease.operation.ledger_id(), &Resolution::DidNotHappen).await.unwrap();
    let lease = begin(&*shared.other, &second).await;
    assert_eq!(lease.operation, first.operation, "the token is that of the first");
    shared.other.complete(&lease, &ToolOutput::ok("once")).await.unwrap();
    assert_eq!(replayed(shared.one.begin(&keyed(&run("r3"), "refund")).await.unwrap()), "once");
    assert!(shared.one.find(&second.operation.ledger_id()).await.unwrap().is_none());

    let elsewhere = RunScope::new(WorkspaceId::new("globex"), ThreadId::new("t1"), RunId::new("r1"));
    begin(&*shared.one, &keyed(&elsewhere, "refund")).await;
    begin(&*shared.one, &keyed(&run("r4"), "cancel")).await;
}

pub(crate) async fn a_conflict_takes_no_key(shared: &Shared) {
    let keyed = |operation: &str| OperationIntent { idempotency_key: Some("W1".to_owned()), ..intent(operation) };
    let other = of_tool("another", intent("0"));
    begin(&*shared.one, &other).await;
    assert!(matches!(shared.one.begin(&keyed("0")).await.unwrap(), Begun::Conflict { .. }));
    assert_eq!(shared.other.known(&keyed("1")).await.unwrap(), None);
    let lease = begin(&*shared.other, &keyed("1")).await;
    assert_eq!(lease.operation, intent("1").operation);
    let known = shared.one.known(&keyed("2")).await.unwrap().expect("what the key stands for");
    assert_eq!(known.operation, intent("1").operation);
}

pub(crate) async fn a_listing_is_in_the_order_of_beginning(shared: &Shared) {
    for operation in ["b", "a", "d", "c"] {
        begin(&*shared.one, &intent(operation)).await;
    }
    begin(&*shared.other, &intent_of(&run("r2"), "e")).await;
    let lease = begin(&*shared.one, &intent("f")).await;
    shared.one.complete(&lease, &ToolOutput::ok("done")).await.unwrap();
    in_doubt(&*shared.one, "g").await;
    let filters = [
        (OperationFilter::all(), "badcefg"),
        (OperationFilter::all().of_run(run("r1")), "badcfg"),
        (OperationFilter::all().of_run(run("r1")).at(Stage::Running), "badc"),
        (OperationFilter::all().at(Stage::Completed), "f"),
        (OperationFilter::all().at(Stage::InDoubt), "g"),
        (OperationFilter::all().at(Stage::Suspended), ""),
        (OperationFilter::all().of_workspace(WorkspaceId::new("acme")), "badcefg"),
        (OperationFilter::all().of_workspace(WorkspaceId::new("globex")), ""),
        (OperationFilter::all().of_workspace(WorkspaceId::new("globex")).of_run(run("r1")), ""),
    ];
    for (filter, expected) in filters {
        let records = shared.other.list(&filter).await.unwrap();
        let names: String = records.iter().map(|record| record.operation.operation_id().as_str()).collect();
        assert_eq!(names, expected, "{filter:?}");
    }
}

pub(crate) async fn what_is_over_can_be_forgotten(shared: &Shared) {
    let done = ToolOutput::ok("done").with_state(StateCommand::set("a", json!(1)));
    let asks = OperationIntent { approval: Some("it is dear".to_owned()), ..intent("refused") };
    let ticket = waiting(shared.one.begin(&asks).await.unwrap());
    shared.one.answer(&ticket, &json!({"approve": false})).await.unwrap();
    let keyed = OperationIntent { idempotency_key: Some("order-7".to_owned()), ..intent("keyed") };
    for intent in [&intent("0"), &keyed, &intent_of(&run("r2"), "0")] {
        let lease = begin(&*shared.one, intent).await;
        shared.one.complete(&lease, &done).await.unwrap();
    }
    begin(&*shared.one, &intent("running")).await;
    in_doubt(&*shared.one, "doubted").await;

    assert_eq!(shared.other.forget(&run("r1")).await.unwrap(), 2);
    assert_eq!(shared.other.forget(&run("r1")).await.unwrap(), 0);
    let left = shared.one.list(&OperationFilter::all().of_run(run("r1"))).await.unwrap();
    let left: Vec<_> = left.iter().map(|record| record.operation.operation_id().as_str()).collect();
    assert_eq!(left, ["keyed", "running", "doubted"]);
    assert!(shared.one.state(&run("r1")).await.unwrap().is_empty());
    assert_eq!(shared.one.state(&run("r2")).await.unwrap()["a"], 1, "another run's stays");
    for forgotten in [&intent("0"), &asks] {
        assert!(shared.one.find(&forgotten.operation.ledger_id()).await.unwrap().is_none());
    }
    assert_eq!(shared.one.answer(&ticket, &json!({})).await.err(), Some(LedgerError::NotFound));
    assert_eq!(replayed(shared.one.begin(&keyed).await.unwrap()), "done");
    assert_eq!(begin(&*shared.one, &intent("0")).await.fence, 1, "it is unknown again");
}

pub(crate) async fn a_late_owner_records_nothing_in_a_run_of_the_same_name(shared: &Shared) {
    let late = begin(&*shared.one, &intent("0")).await;
    shared.clock.advance(LEASE);
    assert!(matches!(shared.other.begin(&intent("0")).await.unwrap(), Begun::InDoubt { .. }));
    let given_up = Resolution::Abandoned("nobody knows".to_owned());
    shared.other.resolve(&late.operation.ledger_id(), &given_up).await.unwrap();
    assert_eq!(shared.other.forget(&run("r1")).await.unwrap(), 1);
    let anew = begin(&*shared.other, &intent("0")).await;
    assert_eq!(shared.one.complete(&late, &ToolOutput::ok("late")).await, Err(LedgerError::Fenced));
    shared.other.complete(&anew, &ToolOutput::ok("new")).await.unwrap();
}

pub(crate) async fn an_owner_ends_the_doubt_that_its_lease_has_left(shared: &Shared) {
    let lease = begin(&*shared.one, &intent("0")).await;
    shared.clock.advance(LEASE);
    assert!(matches!(shared.other.begin(&intent("0")).await.unwrap(), Begun::InDoubt { .. }));
    assert_eq!(shared.one.fail(&lease, "late").await, Err(LedgerError::Fenced), "only a result is certain");
    shared.one.complete(&lease, &ToolOutput::ok("charged")).await.unwrap();
    assert_eq!(replayed(shared.other.begin(&intent("0")).await.unwrap()), "charged");
    assert_eq!(shared.one.complete(&lease, &ToolOutput::ok("twice")).await, Err(LedgerError::Fenced));
}

pub(crate) async fn what_stands_still_can_be_given_up_and_nothing_else(shared: &Shared) {
    let asks = OperationIntent { approval: Some("it is dear".to_owned()), ..intent("0") };
    let Begun::Waiting(ticket, _) = shared.one.begin(&asks).await.unwrap() else { panic!("it does not wait") };
    let id = asks.operation.ledger_id();
    let happened = Resolution::Happened(ToolOutput::ok("seen"));
    assert_eq!(shared.other.resolve(&id, &happened).await, Err(LedgerError::NotInDoubt));
    let given_up = Resolution::Abandoned("never mind".to_owned());
    let record = shared.other.resolve(&id, &given_up).await.unwrap();
    assert_eq!(record.state, OperationState::Completed { output: ToolOutput::error("never mind") });
    assert_eq!(shared.one.answer(&ticket, &json!({"approve": true})).await, Err(LedgerError::NotWaiting));
    begin(&*shared.one, &intent("1")).await;
    let running = intent("1").operation.ledger_id();
    assert_eq!(shared.other.resolve(&running, &given_up).await, Err(LedgerError::NotInDoubt));
}

pub(crate) async fn lists_grow_by_what_is_appended(shared: &Shared) {
    let append = |value| StateCommand::append("list", json!(value));
    shared.one.commit(&run("r1"), &[append(1), append(2)]).await.unwrap();
    shared.other.commit(&run("r1"), &[append(3), StateCommand::set("one", json!(4))]).await.unwrap();
    shared.one.commit(&run("r1"), &[StateCommand::append("one", json!(5))]).await.unwrap();
    let entries = shared.other.state(&run("r1")).await.unwrap();
    assert_eq!((&entries["list"], &entries["one"]), (&json!([1, 2, 3]), &json!([4, 5])));
}

pub(crate) async fn odd_texts_stay_what_they_are(shared: &Shared) {
    let odd = ["'; DROP TABLE operations; --", "a\0b", "ü 漢 🦀", "%_*", "\u{feff}\r\n", "a-1"];
    for text in odd {
        let scope = RunScope::new(WorkspaceId::new(text), ThreadId::new(text), RunId::new(text));
        let intent = OperationIntent {
            operation: scope.operation(OperationId::new(text)),
            idempotency_key: Some(text.to_owned()),
            ..of_tool(text, intent("0"))
        };
        let lease = begin(&*shared.one, &intent).await;
        let output = ToolOutput::ok(text).with_state(StateCommand::set(text, json!(text)));
        shared.one.complete(&lease, &output).await.unwrap();
        assert_eq!(replayed(shared.other.begin(&intent).await.unwrap()), text);
        assert_eq!(shared.other.state(&scope).await.unwrap()[text], text);
        let found = shared.other.list(&OperationFilter::all().of_run(scope)).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].operation, intent.operation);
    }
    assert_eq!(shared.one.list(&OperationFilter::all()).await.unwrap().len(), odd.len());
}
