//! The small world: its people, what each can do, and what it looks like from outside.

use serde_json::{Value, json};
use tool_core::{
    Begun, Lease, LedgerError, OperationIntent, OperationLedger, OperationRecord, OperationState, Resolution,
    Stage as At, Suspension, Ticket, ToolOutput, ToolRecoveryMode, Wait,
};

use crate::oracle::Oracle;
use crate::support::{Dead, LEASE, StoppedClock, intent_of, run, with_policy};

/// What kind of operations a world has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) mode: ToolRecoveryMode,
    pub(crate) budget: u32,
    pub(crate) approval: bool,
    /// Two operations, of one idempotency key.
    pub(crate) shared_key: bool,
    /// What waits for the second time waits for an instant.
    pub(crate) sleeps: bool,
}

impl Setting {
    pub(crate) const fn of(mode: ToolRecoveryMode, budget: u32) -> Self {
        Self { mode, budget, approval: false, shared_key: false, sleeps: false }
    }

    pub(crate) const fn with_approval(self) -> Self {
        Self { approval: true, ..self }
    }

    pub(crate) const fn that_sleeps(self) -> Self {
        Self { sleeps: true, ..self }
    }

    pub(crate) const fn with_shared_key(self) -> Self {
        Self { shared_key: true, ..self }
    }
}

/// One thing that happens. Owners are 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// An owner begins an operation.
    Begin(usize, usize),
    /// He who executes does what cannot be undone.
    Effect(usize),
    Complete(usize),
    /// He knows that nothing was dispatched.
    Fail(usize),
    Doubt(usize),
    Suspend(usize),
    Renew(usize),
    /// He is killed, and comes back as another.
    Crash(usize),
    /// All leases end that are not renewed.
    Advance,
    /// A person answers the ticket that was handed out last: yes or no.
    Answer(bool),
    /// A person answers a ticket of an earlier wait.
    AnswerOld,
    /// A person settles a doubt: it happened, it did not, or nobody will know.
    Settle(Settled),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    Happened,
    DidNotHappen,
    Abandoned,
}

pub(crate) type AsOwner = dyn Fn(&str) -> Box<dyn OperationLedger>;

/// What a ledger is given of the world it is to serve.
pub(crate) struct Stage {
    pub(crate) clock: StoppedClock,
    pub(crate) dead: Dead,
}

/// A kind of ledger.
pub(crate) trait Store {
    fn ledger(&mut self, stage: &Stage) -> Box<AsOwner>;
    fn notices_death(&self) -> bool;
}

struct Owner {
    name: String,
    lives: u32,
    ledger: Box<dyn OperationLedger>,
    /// What he executes, and whether he has done it.
    executes: Option<(Lease, bool)>,
}

pub(crate) struct World {
    stage: Stage,
    as_owner: Box<AsOwner>,
    owners: [Owner; 2],
    intents: Vec<OperationIntent>,
    /// The ids of the operations: to hash is most of what a step costs.
    ids: Vec<String>,
    /// The record of the one operation that is ever recorded, after the last step.
    record: Option<OperationRecord>,
    /// All that were handed out.
    tickets: Vec<Ticket>,
    advanced: u32,
    setting: Setting,
    number: usize,
    oracle: Oracle,
}

/// How often the clock may move and an owner die: more brings nothing new.
const ADVANCES: u32 = 2;
const LIVES: u32 = 2;

impl World {
    pub(crate) fn new(store: &mut dyn Store, setting: Setting, number: usize) -> Self {
        let stage = Stage { clock: StoppedClock::default(), dead: Dead::default() };
        let as_owner = store.ledger(&stage);
        let owners = [0, 1].map(|owner| {
            let name = format!("{owner}.0");
            Owner { ledger: as_owner(&name), name, lives: 0, executes: None }
        });
        let scope = run(&format!("world-{number}"));
        let operations = if setting.shared_key { 2 } else { 1 };
        let intents = (0..operations).map(|operation: u32| {
            let intent = with_policy(intent_of(&scope, &operation.to_string()), setting.mode, setting.budget);
            OperationIntent {
                approval: setting.approval.then(|| "it is dear".to_owned()),
                idempotency_key: setting.shared_key.then(|| format!("key-{number}")),
                ..intent
            }
        });
        let intents: Vec<_> = intents.collect();
        let ids = intents.iter().map(|intent| intent.operation.ledger_id()).collect();
        let oracle = Oracle::new(setting, store.notices_death());
        Self {
            stage,
            as_owner,
            owners,
            intents,
            ids,
            record: None,
            tickets: Vec::new(),
            advanced: 0,
            setting,
            number,
            oracle,
        }
    }

    /// What can happen now.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (number, owner) in self.owners.iter().enumerate() {
            match &owner.executes {
                None => steps.extend((0..self.intents.len()).map(|operation| Step::Begin(number, operation))),
                Some((_, done)) => {
                    steps.push(if *done { Step::Complete(number) } else { Step::Effect(number) });
                    steps.extend((!done).then_some(Step::Fail(number)));
                    steps.extend([Step::Doubt(number), Step::Suspend(number), Step::Renew(number)]);
                }
            }
            steps.extend((owner.lives + 1 < LIVES).then_some(Step::Crash(number)));
        }
        steps.extend((self.advanced < ADVANCES).then_some(Step::Advance));
        steps.extend(self.tickets.last().iter().flat_map(|_| [Step::Answer(true), Step::Answer(false)]));
        steps.extend((self.tickets.len() > 1).then_some(Step::AnswerOld));
        let settled = [Settled::Happened, Settled::DidNotHappen, Settled::Abandoned];
        steps.extend(settled.map(Step::Settle));
        steps
    }

    /// Lets it happen; says what must not be, if that is what came of it.
    pub(crate) async fn take(&mut self, step: Step) -> Result<(), String> {
        let failed = self.act(step).await?;
        let after = self.find_record().await;
        let before = std::mem::replace(&mut self.record, after);
        if failed.is_some() && before != self.record {
            return Err(format!("{failed:?}, and yet the record changed"));
        }
        self.oracle.compare(step, before.as_ref(), self.record.as_ref())
    }

    /// The error of a ledger that refused.
    async fn act(&mut self, step: Step) -> Result<Option<LedgerError>, String> {
        let now = self.stage.clock.now();
        match step {
            Step::Begin(owner, operation) => {
                let begun = self.owners[owner].ledger.begin(&self.intents[operation]).await;
                let begun = begun.map_err(|error| format!("begin failed: {error}"))?;
                self.oracle.begun(owner, &begun, now + LEASE, now)?;
                match begun {
                    Begun::Execute(lease) => self.owners[owner].executes = Some((lease, false)),
                    Begun::Waiting(ticket, _) => self.note(ticket),
                    _ => {}
                }
                Ok(None)
            }
            Step::Effect(owner) => {
                if let Some((_, done)) = &mut self.owners[owner].executes {
                    *done = true;
                }
                self.oracle.effect(owner).map(|()| None)
            }
            Step::Complete(owner) | Step::Fail(owner) | Step::Doubt(owner) | Step::Suspend(owner) => {
                self.end(step, owner).await
            }
            Step::Renew(owner) => {
                let Some((lease, _)) = &self.owners[owner].executes else { return Ok(None) };
                let renewed = self.owners[owner].ledger.renew(lease).await;
                self.oracle.renewed(owner, lease.fence, &renewed, now + LEASE)?;
                Ok(renewed.err())
            }
            Step::Crash(owner) => {
                self.crash(owner);
                Ok(None)
            }
            Step::Advance => {
                self.advanced += 1;
                self.stage.clock.advance(LEASE);
                Ok(None)
            }
            Step::Answer(_) | Step::AnswerOld => {
                let yes = step != Step::Answer(false);
                let at = self.tickets.len().saturating_sub(if step == Step::AnswerOld { 2 } else { 1 });
                let Some(ticket) = self.tickets.get(at) else { return Ok(None) };
                let answered = self.owners[0].ledger.answer(ticket, &answer(yes)).await;
                if step == Step::AnswerOld && answered.is_ok() {
                    return Err(format!("{ticket} is of an earlier wait, and was taken for the last one's"));
                }
                self.oracle.answered(ticket.as_str(), yes, answered.is_ok())?;
                Ok(answered.err())
            }
            Step::Settle(settled) => self.settle(settled).await,
        }
    }

    /// He who executes says how it ended. Whatever the ledger answers, he is done with it.
    async fn end(&mut self, step: Step, owner: usize) -> Result<Option<LedgerError>, String> {
        let Some((lease, _)) = self.owners[owner].executes.take() else { return Ok(None) };
        let ledger = &self.owners[owner].ledger;
        let ended = match step {
            Step::Complete(_) => ledger.complete(&lease, &ToolOutput::ok(format!("by fence {}", lease.fence))).await,
            Step::Fail(_) => ledger.fail(&lease, "no connection").await,
            Step::Doubt(_) => ledger.doubt(&lease, "no answer").await,
            _ => {
                let wait = Wait::Tool(if self.setting.sleeps && !self.tickets.is_empty() {
                    Suspension::Until(self.stage.clock.now() + LEASE)
                } else {
                    Suspension::Input { reason: "which?".to_owned(), input_schema: json!({}) }
                });
                let ticket = ledger.suspend(&lease, &wait).await;
                ticket.map(|ticket| self.note(ticket))
            }
        };
        self.oracle.ended(step, owner, lease.fence, ended.is_ok())?;
        Ok(ended.err())
    }

    fn note(&mut self, ticket: Ticket) {
        if !self.tickets.contains(&ticket) {
            self.tickets.push(ticket);
        }
    }

    async fn settle(&mut self, settled: Settled) -> Result<Option<LedgerError>, String> {
        let resolution = match settled {
            Settled::Happened => Resolution::Happened(ToolOutput::ok("a person saw it")),
            Settled::DidNotHappen => Resolution::DidNotHappen,
            Settled::Abandoned => Resolution::Abandoned("nobody will know".to_owned()),
        };
        let ledger_id = &self.ids[self.oracle.first_operation()];
        let resolved = self.owners[0].ledger.resolve(ledger_id, &resolution).await;
        if resolved.is_ok() {
            self.oracle.settled(settled);
        }
        Ok(resolved.err())
    }

    fn crash(&mut self, number: usize) {
        let owner = &mut self.owners[number];
        self.stage.dead.add(&owner.name);
        owner.lives += 1;
        owner.name = format!("{number}.{}", owner.lives);
        owner.ledger = (self.as_owner)(&owner.name);
        owner.executes = None;
        self.oracle.crashed(number);
    }

    async fn find_record(&self) -> Option<OperationRecord> {
        for ledger_id in &self.ids {
            if let Some(record) = self.owners[0].ledger.find(ledger_id).await.unwrap() {
                return Some(record);
            }
        }
        None
    }

    /// What tells this world from another: instants only by whether they have come.
    pub(crate) fn fingerprint(&self) -> String {
        let now = self.stage.clock.now();
        let record = self.record.as_ref().map(|record| {
            let state = match &record.state {
                OperationState::Running { owner, until } => format!("running {owner} {}", *until > now),
                OperationState::Completed { output } => format!("completed {}", output.text()),
                OperationState::Ready { why } | OperationState::InDoubt { why } => {
                    format!("{} {why}", record.state.stage())
                }
                OperationState::Suspended { wait: Wait::Tool(Suspension::Until(instant)), .. } => {
                    format!("sleeps {}", *instant > now)
                }
                other => other.stage().to_string(),
            };
            let OperationRecord { attempts, fence, waits, waited, approved, unsettled, answer, operation, .. } = record;
            let operation = operation.operation_id().as_str();
            format!("{operation} {state} {attempts} {fence} {waits} {waited} {approved} {unsettled} {answer:?}")
        });
        let owners = self.owners.each_ref().map(|owner| {
            let executes = owner.executes.as_ref().map(|(lease, done)| (lease.fence, *done, lease.answer.clone()));
            (owner.lives, executes)
        });
        let oracle = self.oracle.fingerprint(now);
        format!("{record:?} {owners:?} {} {} {oracle}", self.tickets.len(), self.advanced)
            .replace(&format!("world-{}", self.number), "world")
    }
}

/// An answer that serves an approval and a tool's own wait.
fn answer(yes: bool) -> Value {
    json!({ "approve": yes })
}

/// Whether a record is at a stage.
pub(crate) fn is_at(record: Option<&OperationRecord>, stage: At) -> bool {
    record.is_some_and(|record| record.state.stage() == stage)
}
