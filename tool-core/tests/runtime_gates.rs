//! What gates have decided is not got round: by a key, by approvals at once, by another worker, by a restart.

mod runtime_support;

use runtime_support::{approved, builder, call, only, run, scope, ticket, told};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_core::*;

/// Reads what is private and comes from outside.
#[tool(private_data = true, untrusted_input = true, egress = none, recovery = replay_safe)]
async fn read_mail() -> &'static str {
    "the mail"
}

/// Reads a mailbox, once for its name.
#[tool(private_data = true, untrusted_input = true, egress = none, recovery = idempotent, idempotency_key = name)]
async fn read_box(name: String) -> String {
    format!("the mail of {name}")
}

/// Sends to whom the model likes.
#[tool(private_data = false, untrusted_input = false, egress = chosen)]
async fn send(#[state] sent: &AtomicUsize) -> String {
    format!("sent {}", sent.fetch_add(1, Ordering::SeqCst) + 1)
}

fn tools(sent: &Arc<AtomicUsize>) -> [Arc<dyn RawTool>; 3] {
    [erase(ReadMail), erase(ReadBox), erase(Send::new(sent.clone()))]
}

fn reading() -> Vec<ToolCall> {
    vec![call("a", "read_box", r#"{"name": "ann"}"#)]
}

fn is_denied(report: &CallReport) -> bool {
    matches!(report.status, CallStatus::Denied { .. })
}

/// Allows every call of the first run, and says this of all others.
struct FirstRunAlone(fn() -> Verdict);

#[async_trait]
impl ToolGate for FirstRunAlone {
    async fn judge(&self, request: &GateRequest<'_>) -> Verdict {
        if request.operation.run_id().as_str() == "r1" { Verdict::Allow } else { (self.0)() }
    }
}

#[tokio::test]
async fn another_runs_result_under_a_key_is_given_only_to_a_call_that_gates_allow() {
    let denied = "Nothing was done now: this call is not allowed. Not for this run.";
    let asked = "Nothing was done now: a person has to approve of this call, and cannot here: Who are you?";
    let verdicts: [fn() -> Verdict; 3] =
        [|| Verdict::deny("Not for this run.", "allow it"), || Verdict::ask("Who are you?"), || Verdict::Allow];
    for (verdict, expected) in verdicts.into_iter().zip([denied, asked, "the mail of ann"]) {
        let runtime = builder(tools(&Arc::default())).gate(FirstRunAlone(verdict)).build().unwrap();
        run(&runtime).await.step(0, reading()).await;
        let other = runtime.run(scope("r2")).await.unwrap();
        let report = only(other.step(0, reading()).await);
        assert_eq!(report.output.text(), expected);
        assert_eq!(is_denied(&report), expected != "the mail of ann", "{report:?}");
        // Nor is it given to a call that there is no room for, which no gate has seen.
        let limits = RunLimits::default().with_calls_per_step(0);
        let full = builder(tools(&Arc::default())).gate(FirstRunAlone(verdict)).limits(limits).build().unwrap();
        let refused = only(full.run(scope("r2")).await.unwrap().step(0, reading()).await);
        assert_eq!(refused.output.text(), "Nothing was done: at most 0 calls are made at once. Make this one later.");
    }
}

#[tokio::test]
async fn a_call_that_no_gate_has_seen_is_not_given_another_runs_result() {
    let ledger = MemoryLedger::new();
    let with = |calls| {
        let limits = RunLimits::default().with_calls_per_step(calls);
        builder(tools(&Arc::default())).limits(limits).ledger(ledger.clone()).build().unwrap()
    };
    run(&with(1)).await.step(0, reading()).await;
    let report = only(with(0).run(scope("r2")).await.unwrap().step(0, reading()).await);
    assert_eq!(report.output.text(), "Nothing was done now: at most 0 calls are made at once. Make this one later.");
}

#[tokio::test]
async fn another_runs_result_counts_as_touched_also_after_a_restart() {
    let (ledger, sent) = (MemoryLedger::new(), Arc::default());
    let make = || builder(tools(&sent)).gate(Interlock::new()).ledger(ledger.clone()).build().unwrap();
    run(&make()).await.step(0, reading()).await;
    let again = only(make().run(scope("r2")).await.unwrap().step(0, reading()).await);
    assert_eq!(again.output.text(), "the mail of ann");
    let anew = make().run(scope("r2")).await.unwrap();
    assert_eq!((anew.touched().private_data, anew.touched().untrusted_input), (true, true));
    assert!(is_denied(&only(anew.step(1, vec![call("b", "send", "{}")]).await)));
    assert_eq!(sent.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn what_another_process_did_for_a_run_counts_as_touched() {
    let (ledger, sent) = (MemoryLedger::new(), Arc::default());
    let make = |owner| {
        let registry = RawToolRegistry::try_new(tools(&sent)).unwrap();
        let rules = Rules::new().allow("*").unwrap().ask("read_mail").unwrap();
        let runtime = ToolRuntime::builder(registry).gate(rules).gate(Interlock::new());
        runtime.ledger(ledger.as_owner(owner)).build().unwrap()
    };
    let (agent, desk) = (make("agent"), make("desk"));
    let held = run(&agent).await;
    let read = || vec![call("a", "read_mail", "{}")];
    let waiting = only(held.step(0, read()).await);
    desk.resume(&ticket(&waiting), approved()).await.unwrap();
    // One sees it where it is replayed, and one where the run is taken up again.
    for sees in [true, false] {
        let run = run(&agent).await;
        if sees {
            assert_eq!(told(&held.step(0, read()).await), ["the mail"]);
        }
        assert!(is_denied(&only(run.step(1, vec![call("b", "send", "{}")]).await)), "{sees}");
    }
    assert_eq!(sent.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_run_that_is_taken_up_again_has_touched_what_another_worker_did_meanwhile() {
    let (ledger, sent) = (MemoryLedger::new(), Arc::default());
    let worker = |owner| builder(tools(&sent)).gate(Interlock::new()).ledger(ledger.as_owner(owner)).build().unwrap();
    let (one, two) = (worker("one"), worker("two"));
    let _kept = run(&one).await;
    run(&two).await.step(0, vec![call("a", "read_mail", "{}")]).await;
    assert!(is_denied(&only(run(&one).await.step(1, vec![call("b", "send", "{}")]).await)));
    assert_eq!(sent.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn calls_that_were_all_approved_of_do_not_bring_together_what_no_run_may() {
    let sent = Arc::default();
    let registry = RawToolRegistry::try_new(tools(&sent)).unwrap();
    let gates = ToolRuntime::builder(registry).gate(Rules::new().ask("*").unwrap()).gate(Interlock::new());
    let ledger = MemoryLedger::new();
    let runtime = gates.ledger(ledger.clone()).build().unwrap();
    let calls = || vec![call("a", "read_mail", "{}"), call("b", "send", "{}")];
    let run = run(&runtime).await;
    // Both are answered before either goes on, as by a process that dies in between.
    for waiting in &run.step(0, calls()).await.calls {
        ledger.answer(&ticket(waiting), &approved()).await.unwrap();
    }
    let report = run.step(0, calls()).await;
    assert_eq!(report.calls[0].output.text(), "the mail");
    assert!(is_denied(&report.calls[1]), "{:?}", report.calls[1]);
    assert_eq!(sent.load(Ordering::SeqCst), 0);
    // A person can give up what was approved of and is denied all the same.
    assert_eq!(run.clone().end().await, Err(EndError::Open { operations: 1 }));
    let denied = report.calls[1].operation.ledger_id();
    let given_up = runtime.resolve(&denied, Resolution::Abandoned("It is not sent.".to_owned())).await.unwrap();
    assert_eq!(given_up.output.text(), "It is not sent.");
    run.end().await.unwrap();
}

/// Asks a person, and hangs when it is asked again.
struct HangsAtTheSecond(AtomicUsize);

#[async_trait]
impl ToolGate for HangsAtTheSecond {
    async fn judge(&self, _: &GateRequest<'_>) -> Verdict {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => Verdict::ask("Is that meant?"),
            _ => std::future::pending().await,
        }
    }
}

#[tokio::test]
async fn a_gate_that_hangs_after_the_approval_ends_with_the_step() {
    let limits = RunLimits::default().with_step_timeout(Some(Duration::from_millis(50)));
    let sent = Arc::default();
    let gate = HangsAtTheSecond(AtomicUsize::new(0));
    let runtime = builder(tools(&sent)).gate(gate).limits(limits).build().unwrap();
    let run = run(&runtime).await;
    let waiting = only(run.step(0, vec![call("a", "send", "{}")]).await);
    let report = runtime.resume(&ticket(&waiting), approved()).await.unwrap();
    assert_eq!(report.output.text(), "Nothing was done: the step's time was up.");
    assert_eq!(sent.load(Ordering::SeqCst), 0);
    run.end().await.unwrap();
}

/// Compiles.
#[tool(target = sandbox, read_only)]
fn compile(level: u32) -> u32 {
    level
}

/// Notes the arguments of what it judges, or executes.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Value>>>);

impl Seen {
    fn see(&self, arguments: &str) {
        self.0.lock().unwrap().push(serde_json::from_str(arguments).unwrap());
    }
}

#[async_trait]
impl ToolGate for Seen {
    async fn judge(&self, request: &GateRequest<'_>) -> Verdict {
        self.see(request.arguments.text());
        Verdict::Allow
    }
}

#[async_trait]
impl ToolExecutor for Seen {
    fn recovery_capability(&self, _: &str) -> ToolRecoveryCapability {
        ToolRecoveryCapability::ReplaySafe
    }

    async fn invoke(&self, call: &ToolCall) -> Result<ToolOutput, ToolError> {
        let arguments: Value = parse_tool_args::<serde_json::Map<String, Value>>(&call.arguments)?.into();
        self.see(&arguments.to_string());
        Ok(ToolOutput::ok("compiled"))
    }
}

#[tokio::test]
async fn the_sandbox_is_given_the_arguments_that_gates_have_judged() {
    for arguments in [r#"{"level": "3"}"#, r#""{\"level\": 3}""#, r#"{"level": 3}"#] {
        let seen = Seen::default();
        let runtime = builder([erase(Compile)]).gate(seen.clone()).sandbox(seen.clone()).build().unwrap();
        assert_eq!(told(&run(&runtime).await.step(0, vec![call("a", "compile", arguments)]).await), ["compiled"]);
        let level: Value = serde_json::json!({"level": 3});
        assert_eq!(*seen.0.lock().unwrap(), [level.clone(), level], "{arguments}");
    }
}
