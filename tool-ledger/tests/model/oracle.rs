//! What must always be true, told from what was seen from outside: this knows nothing of how a record changes.

use std::collections::BTreeMap;
use std::time::SystemTime;
use tool_core::{Begun, LedgerError, OperationRecord, OperationState, Stage, ToolRecoveryMode};

use crate::world::{Setting, Settled, Step, is_at};

/// What a runtime tells a model where it vouches that there was no effect.
const NOTHING_DONE: [&str; 2] = ["nothing was done", "Nothing was done"];

/// A leave to execute that was given out.
#[derive(Clone, Copy, Debug)]
struct Leave {
    owner: usize,
    fence: u64,
    until: SystemTime,
    /// He who has it is dead.
    is_orphaned: bool,
}

#[derive(Debug)]
pub(crate) struct Oracle {
    setting: Setting,
    notices_death: bool,
    first_operation: usize,
    /// The leave that was given last, while nothing has come of it.
    current: Option<Leave>,
    /// The leave of an operation that came into doubt when it ended: who had it may still say what came of it.
    lapsed: Option<Leave>,
    newest_fence: u64,
    effects: u32,
    /// How many effects beyond the first a person or a tool's own wait has allowed.
    allowed: u32,
    /// Attempts since the operation last came to an end or was settled.
    attempts: u32,
    /// How often the tool itself has waited: what it did before stands.
    waits: u32,
    /// Whether an attempt may have had an effect of which no outcome is recorded.
    has_loose_end: bool,
    output: Option<String>,
    answered: BTreeMap<String, bool>,
    approved: bool,
    /// The answer that the next attempts have to be given.
    answer: Option<bool>,
}

impl Oracle {
    pub(crate) fn new(setting: Setting, notices_death: bool) -> Self {
        Self {
            setting,
            notices_death,
            first_operation: 0,
            current: None,
            lapsed: None,
            newest_fence: 0,
            effects: 0,
            allowed: 0,
            attempts: 0,
            waits: 0,
            has_loose_end: false,
            output: None,
            answered: BTreeMap::new(),
            approved: false,
            answer: None,
        }
    }

    /// Which of the operations is the one that was begun first.
    pub(crate) fn first_operation(&self) -> usize {
        self.first_operation
    }

    pub(crate) fn begun(
        &mut self,
        owner: usize,
        begun: &Begun,
        until: SystemTime,
        now: SystemTime,
    ) -> Result<(), String> {
        let live = self.current.filter(|leave| now < leave.until && !(leave.is_orphaned && self.notices_death));
        match begun {
            Begun::Execute(lease) => {
                if let Some(live) = live {
                    return Err(format!("two live leases: {live:?} and {lease:?}"));
                }
                if lease.fence <= self.newest_fence {
                    return Err(format!("the fence {} was given out before", lease.fence));
                }
                if self.setting.approval && !self.approved {
                    return Err("executed without approval".to_owned());
                }
                let told = lease.answer.as_ref().map(|answer| answer["approve"] == true);
                if told != self.answer {
                    return Err(format!("the answer is {:?}, and the tool is told {told:?}", self.answer));
                }
                // Who had it before may have done it, unless he has said otherwise.
                self.has_loose_end |= self.current.is_some();
                self.current = Some(Leave { owner, fence: lease.fence, until, is_orphaned: false });
                self.newest_fence = lease.fence;
                self.attempts += 1;
                if self.attempts > self.setting.budget {
                    return Err(format!("attempt {} of {}", self.attempts, self.setting.budget));
                }
                let operation = lease.operation.operation_id().as_str().parse().unwrap_or(usize::MAX);
                if self.newest_fence == 1 {
                    self.first_operation = operation;
                }
                (operation == self.first_operation).then_some(()).ok_or("another operation of the same key".to_owned())
            }
            Begun::Busy { .. } if live.is_none() => Err("busy, and nobody executes it".to_owned()),
            Begun::Replay(recorded) => {
                let vouched = NOTHING_DONE.iter().any(|words| recorded.output.text().contains(words));
                let is_first = self.output.is_none();
                if is_first && self.attempts < self.setting.budget {
                    return Err(format!("given up after {} of {} attempts", self.attempts, self.setting.budget));
                }
                if is_first && vouched && (self.has_loose_end || self.waits > 0) {
                    return Err("it is said that nothing was done, and it may have been".to_owned());
                }
                Ok(())
            }
            Begun::Conflict { what } => Err(format!("conflict: {what}")),
            Begun::InDoubt { .. } => {
                // Found by this: whoever had it has no outcome, as far as others know.
                self.lapsed = self.current.take().or(self.lapsed);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn effect(&mut self, _owner: usize) -> Result<(), String> {
        self.effects += 1;
        let is_never_replayed = self.setting.mode == ToolRecoveryMode::NeverReplay;
        if is_never_replayed && self.effects > 1 + self.allowed {
            return Err(format!("{} effects of an operation that is never replayed", self.effects));
        }
        Ok(())
    }

    pub(crate) fn renewed(
        &mut self,
        owner: usize,
        fence: u64,
        renewed: &Result<(), LedgerError>,
        until: SystemTime,
    ) -> Result<(), String> {
        match &mut self.current {
            Some(leave) if leave.fence == fence && leave.owner == owner => {
                leave.until = until;
                renewed.clone().map_err(|error| format!("the owner may not renew: {error}"))
            }
            _ if renewed.is_ok() => Err(format!("the old fence {fence} was renewed")),
            _ => Ok(()),
        }
    }

    /// The end of an attempt counts if and only if its leave is the current one.
    pub(crate) fn ended(&mut self, step: Step, owner: usize, fence: u64, accepted: bool) -> Result<(), String> {
        let is_this = |leave: Leave| leave.fence == fence && leave.owner == owner;
        let is_late = matches!(step, Step::Complete(_)) && self.lapsed.is_some_and(is_this);
        let is_current = is_late || self.current.is_some_and(is_this);
        if accepted != is_current {
            let (verb, kind) = if accepted { ("accepted", "an old") } else { ("refused", "the current") };
            return Err(format!("{step:?} was {verb} under {kind} fence {fence}"));
        }
        if !accepted {
            return Ok(());
        }
        (self.current, self.lapsed) = (None, None);
        match step {
            Step::Complete(_) => {
                self.has_loose_end = false;
                self.answer = None;
            }
            Step::Doubt(_) => self.has_loose_end = true,
            Step::Suspend(_) => {
                self.attempts = 0;
                self.allowed += 1;
                self.answer = None;
                self.waits += 1;
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn answered(&mut self, ticket: &str, yes: bool, accepted: bool) -> Result<(), String> {
        if !accepted {
            return Ok(());
        }
        if self.answered.insert(ticket.to_owned(), yes).is_some() {
            return Err(format!("{ticket} was answered twice"));
        }
        // The first wait of a call that needs approval is for that.
        if self.setting.approval && self.answered.len() == 1 {
            self.approved = yes;
        } else {
            self.answer = Some(yes);
        }
        Ok(())
    }

    pub(crate) fn settled(&mut self, settled: Settled) {
        self.lapsed = None;
        self.has_loose_end = false;
        self.attempts = 0;
        if settled == Settled::DidNotHappen {
            self.allowed += 1;
        }
    }

    pub(crate) fn crashed(&mut self, owner: usize) {
        if let Some(leave) = self.current.as_mut().filter(|leave| leave.owner == owner) {
            leave.is_orphaned = true;
        }
    }

    /// What a step may have made of the record.
    pub(crate) fn compare(
        &mut self,
        step: Step,
        before: Option<&OperationRecord>,
        after: Option<&OperationRecord>,
    ) -> Result<(), String> {
        if before.is_some() && after.is_none() {
            return Err("the record is gone".to_owned());
        }
        if is_at(before, Stage::InDoubt) != is_at(after, Stage::InDoubt) {
            let is_settled = matches!(step, Step::Settle(_) | Step::Complete(_));
            if is_settled != is_at(before, Stage::InDoubt) {
                return Err(format!("{step:?} must neither begin nor end a doubt"));
            }
            let may_go_on = self.setting.mode != ToolRecoveryMode::NeverReplay && self.attempts < self.setting.budget;
            if !is_settled && may_go_on {
                return Err(format!("in doubt after {} of {} attempts", self.attempts, self.setting.budget));
            }
        }
        let output = after.and_then(|record| match &record.state {
            OperationState::Completed { output } => Some(serde_json::to_string(output).unwrap_or_default()),
            _ => None,
        });
        if self.output.is_some() && self.output != output {
            return Err(format!("the result was {:?} and is {output:?}", self.output));
        }
        self.output = output;
        Ok(())
    }

    /// What tells it from another of these, by `now`.
    pub(crate) fn fingerprint(&self, now: SystemTime) -> String {
        let current = self.current.map(|leave| (leave.owner, leave.fence, now < leave.until, leave.is_orphaned));
        let lapsed = self.lapsed.map(|leave| (leave.owner, leave.fence));
        let Self { effects, allowed, attempts, has_loose_end, approved, answer, .. } = self;
        let answered: Vec<_> = self.answered.values().collect();
        format!(
            "{current:?} {lapsed:?} {effects} {allowed} {attempts} {has_loose_end} {approved} {answer:?} {answered:?}"
        )
    }
}
