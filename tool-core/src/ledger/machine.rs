//! The transitions of an operation: pure, so that every ledger has the same ones and a model check can walk them all.

use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{
    Begun, Lease, LedgerError, OperationIntent, OperationRecord, OperationState, Recorded, Resolution, Stage, Ticket,
    Wait,
};
use crate::call::ToolCall;
use crate::hook::HookReaction;
use crate::output::{Suspension, ToolOutput};
use crate::recovery::ToolRecoveryMode;
use crate::same;

/// When, and on whose behalf, a record changes.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Moment<'a> {
    /// The instant.
    pub now: SystemTime,
    /// Who asks.
    pub owner: &'a Arc<str>,
    /// Whether an owner may still be alive. Where that cannot be known the answer is yes, and leases end by their time.
    pub is_alive: &'a dyn Fn(&str) -> bool,
}

impl<'a> Moment<'a> {
    /// Puts the three together.
    pub fn new(now: SystemTime, owner: &'a Arc<str>, is_alive: &'a dyn Fn(&str) -> bool) -> Self {
        Self { now, owner, is_alive }
    }
}

impl fmt::Debug for Moment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moment").field("now", &self.now).field("owner", &self.owner).finish_non_exhaustive()
    }
}

impl OperationRecord {
    /// What an intent comes to, given what is known of its operation; `true` where the record was made or changed and has
    /// to be written. `known` is the record of the intent's operation or, under an idempotency key, of the one that came
    /// first.
    ///
    /// | known | comes to |
    /// |---|---|
    /// | nothing | execution; a wait where the call needs approval |
    /// | another tool or other arguments | conflict |
    /// | completed | the recorded result |
    /// | in doubt | in doubt |
    /// | waiting | waiting, until it is answered or its instant has come |
    /// | running, its owner alive | busy |
    /// | running, its owner dead | another attempt, where the policy allows one; else in doubt |
    /// | ready, answered | another attempt; where the budget is used up, the failure, or doubt if one has no outcome |
    pub fn begin(known: &mut Option<Self>, intent: &OperationIntent, at: &Moment<'_>) -> (Begun, bool) {
        match known {
            None => {
                let record = known.insert(Self::of(intent, at.now));
                (record.start(intent, at), true)
            }
            Some(record) => record.continue_with(intent, at),
        }
    }

    pub(super) fn of(intent: &OperationIntent, now: SystemTime) -> Self {
        Self {
            operation: intent.operation.clone(),
            call_id: intent.call.call_id.clone(),
            tool_id: intent.call.tool_id.clone(),
            identity: intent.identity,
            raw_arguments: intent.call.arguments.as_json(),
            arguments: intent.arguments.clone(),
            policy: intent.policy,
            idempotency_key: intent.idempotency_key.clone(),
            approved: false,
            attempts: 0,
            unsettled: false,
            waited: false,
            fence: 0,
            waits: 0,
            answer: None,
            state: OperationState::Ready { why: String::new() },
            reaction: None,
            begun_at: now,
            changed_at: now,
        }
    }

    fn continue_with(&mut self, intent: &OperationIntent, at: &Moment<'_>) -> (Begun, bool) {
        if let Some(what) = self.conflict_with(intent) {
            return (Begun::Conflict { what }, false);
        }
        match &self.state {
            OperationState::Completed { output } => (self.replay(output, intent), false),
            OperationState::InDoubt { why } => {
                (Begun::InDoubt { ledger_id: self.ledger_id(), why: why.clone() }, false)
            }
            OperationState::Suspended { wait: Wait::Tool(Suspension::Until(instant)), .. } if at.now >= *instant => {
                (self.start(intent, at), true)
            }
            OperationState::Suspended { wait, ticket } => (Begun::Waiting(ticket.clone(), wait.clone()), false),
            OperationState::Running { owner, until } if at.now < *until && (at.is_alive)(owner) => {
                (Begun::Busy { until: *until }, false)
            }
            OperationState::Running { .. } => (self.take_over(intent, at), true),
            OperationState::Ready { why } if self.attempts >= self.policy.attempts().get() => {
                let why = why.clone();
                (self.give_up(&why, intent, at), true)
            }
            OperationState::Ready { .. } | OperationState::Answered => (self.start(intent, at), true),
        }
    }

    /// The recorded result, as an answer to the call that asks for it.
    fn replay(&self, output: &ToolOutput, intent: &OperationIntent) -> Begun {
        Begun::Replay(Box::new(Recorded {
            operation: self.operation.clone(),
            output: output.clone().with_call_id(&*intent.call.call_id),
            reaction: self.reaction.clone(),
        }))
    }

    /// The recorded result, where the intent is for the very call that has one: for a caller that would refuse the call
    /// were it new.
    pub fn recorded(&self, intent: &OperationIntent) -> Option<Recorded> {
        let OperationState::Completed { output } = &self.state else { return None };
        match (self.conflict_with(intent), self.replay(output, intent)) {
            (None, Begun::Replay(recorded)) => Some(*recorded),
            _ => None,
        }
    }

    /// Whether the intent is for the call that was recorded, in whatever form its tool is described by now.
    pub(crate) fn is_of(&self, intent: &OperationIntent) -> bool {
        self.tool_id == intent.call.tool_id && self.has_arguments_of(intent)
    }

    /// Whether this call of a model is the one that was recorded.
    pub(crate) fn is_made_again_by(&self, call: &ToolCall) -> bool {
        let arguments = call.arguments.as_json();
        self.tool_id == call.tool_id && (self.raw_arguments == arguments || same_json(&self.raw_arguments, &arguments))
    }

    fn has_arguments_of(&self, intent: &OperationIntent) -> bool {
        self.arguments == intent.arguments || same_json(&self.arguments, &intent.arguments)
    }

    /// Whether it is certain that nothing was done.
    pub(crate) fn is_undone(&self) -> bool {
        let is_ready = matches!(self.state, OperationState::Ready { .. });
        self.fence == 0 || (is_ready && !self.unsettled && !self.waited)
    }

    /// What stands in the way of taking the intent for the same call.
    fn conflict_with(&self, intent: &OperationIntent) -> Option<Cow<'static, str>> {
        if self.tool_id != intent.call.tool_id {
            return Some(format!("it was recorded for the tool {:?}", &*self.tool_id).into());
        }
        if !self.has_arguments_of(intent) {
            return Some("it was recorded with other arguments".into());
        }
        // The same key in another run may be of an older build of the tool.
        let same_operation = self.operation == intent.operation;
        if same_operation && self.identity != intent.identity {
            return Some("the tool's description or schema has changed since it was recorded".into());
        }
        None
    }

    pub(super) fn start(&mut self, intent: &OperationIntent, at: &Moment<'_>) -> Begun {
        if let Some(reason) = intent.approval.clone().filter(|_| !self.approved) {
            let wait = Wait::Approval { reason };
            let ticket = self.park(wait.clone(), at.now);
            return Begun::Waiting(ticket, wait);
        }
        self.attempts = self.attempts.saturating_add(1);
        self.fence += 1;
        let until = end_of(at.now, intent.lease);
        self.change(OperationState::Running { owner: Arc::clone(at.owner), until }, at.now);
        Begun::Execute(Lease {
            operation: self.operation.clone(),
            attempt: self.attempts,
            fence: self.fence,
            begun_at: self.begun_at,
            duration: intent.lease,
            answer: self.answer.clone(),
        })
    }

    fn take_over(&mut self, intent: &OperationIntent, at: &Moment<'_>) -> Begun {
        if self.may_try_again() {
            self.unsettled = true;
            return self.start(intent, at);
        }
        self.interrupted("whoever executed it died before its result was recorded", at.now);
        Begun::InDoubt { ledger_id: self.ledger_id(), why: self.why().to_owned() }
    }

    /// The budget is used up, and the last attempt could not even be started.
    fn give_up(&mut self, why: &str, intent: &OperationIntent, at: &Moment<'_>) -> Begun {
        if self.unsettled {
            let why = format!("an attempt has no recorded outcome, and the last one could not be started: {why}");
            self.interrupted(&why, at.now);
            return Begun::InDoubt { ledger_id: self.ledger_id(), why };
        }
        let output = ToolOutput::error(if self.waited {
            format!("The tool could not be reached again. What it did before it waited stands: {why}")
        } else {
            format!("The tool could not be reached, and nothing was done: {why}")
        });
        let replay = self.replay(&output, intent);
        self.change(OperationState::Completed { output }, at.now);
        replay
    }

    fn may_try_again(&self) -> bool {
        self.policy.mode() != ToolRecoveryMode::NeverReplay && self.attempts < self.policy.attempts().get()
    }

    /// Prolongs the lease.
    pub fn renew(&mut self, lease: &Lease, now: SystemTime) -> Result<(), LedgerError> {
        self.check(lease)?;
        if let OperationState::Running { until, .. } = &mut self.state {
            *until = end_of(now, lease.duration);
            self.changed_at = now;
        }
        Ok(())
    }

    /// Records the result; also of an operation that is in doubt only because its lease ended (its machine slept, say), and
    /// that nobody has taken over or settled: its owner knows what others could only doubt.
    pub fn complete(&mut self, lease: &Lease, output: &ToolOutput, now: SystemTime) -> Result<(), LedgerError> {
        let is_in_doubt = self.state.stage() == Stage::InDoubt;
        if !(is_in_doubt && self.is_held_by(lease)) {
            self.check(lease)?;
        }
        self.answer = None;
        self.unsettled = false;
        self.change(OperationState::Completed { output: output.clone() }, now);
        Ok(())
    }

    /// Records that nothing was dispatched.
    pub fn fail(&mut self, lease: &Lease, why: &str, now: SystemTime) -> Result<(), LedgerError> {
        self.check(lease)?;
        self.change(OperationState::Ready { why: why.to_owned() }, now);
        Ok(())
    }

    /// Records that the outcome is not known.
    pub fn doubt(&mut self, lease: &Lease, why: &str, now: SystemTime) -> Result<(), LedgerError> {
        self.check(lease)?;
        if self.may_try_again() {
            self.unsettled = true;
            self.change(OperationState::Ready { why: why.to_owned() }, now);
        } else {
            self.interrupted(why, now);
        }
        Ok(())
    }

    /// Parks the operation. An instant before the epoch, which has no JSON form, becomes the epoch: either has come.
    pub fn suspend(&mut self, lease: &Lease, wait: &Wait, now: SystemTime) -> Result<Ticket, LedgerError> {
        self.check(lease)?;
        self.attempts = 0; // the attempt came to an end, and what follows is no repetition of it
        self.waited = true;
        self.answer = None;
        let is_ancient = matches!(wait, Wait::Tool(Suspension::Until(until)) if *until < SystemTime::UNIX_EPOCH);
        let wait = if is_ancient { Wait::Tool(Suspension::Until(SystemTime::UNIX_EPOCH)) } else { wait.clone() };
        Ok(self.park(wait, now))
    }

    fn park(&mut self, wait: Wait, now: SystemTime) -> Ticket {
        self.waits += 1;
        let ticket = Ticket::new(format!("{}-{}", self.ledger_id(), self.waits));
        self.change(OperationState::Suspended { wait, ticket: ticket.clone() }, now);
        ticket
    }

    /// Answers the wait that `ticket` names. An approval is answered with `{"approve": true}` or `false`, and a `note`.
    pub fn answer(&mut self, ticket: &Ticket, answer: &Value, now: SystemTime) -> Result<(), LedgerError> {
        match &self.state {
            OperationState::Suspended { wait, ticket: own } if own == ticket => match wait {
                Wait::Approval { .. } => self.decide(answer, now),
                Wait::Tool(Suspension::Input { .. }) => {
                    self.answer = Some(answer.clone());
                    self.change(OperationState::Answered, now);
                }
                // Its instant comes by itself.
                Wait::Tool(Suspension::Until(_)) => return Err(LedgerError::NotWaiting),
            },
            _ => return Err(LedgerError::NotWaiting),
        }
        Ok(())
    }

    fn decide(&mut self, answer: &Value, now: SystemTime) {
        if answer.get("approve") == Some(&Value::Bool(true)) {
            self.approved = true;
            return self.change(OperationState::Answered, now);
        }
        if self.unsettled {
            return self.interrupted("an attempt has no recorded outcome, and a person refused another one", now);
        }
        let mut text = if self.waited {
            "A person did not approve of going on. What was done before the call waited stands.".to_owned()
        } else {
            "Nothing was done: a person did not approve of this call.".to_owned()
        };
        if let Some(note) = answer.get("note").and_then(Value::as_str) {
            text = format!("{text} {note}");
        }
        self.change(OperationState::Completed { output: ToolOutput::error(text) }, now);
    }

    /// Settles an operation in doubt. What nobody executes and has no result is settled by giving it up as well: a wait that
    /// nobody can answer, or an approval that a gate has overruled.
    pub fn resolve(&mut self, resolution: &Resolution, now: SystemTime) -> Result<(), LedgerError> {
        let stands_still = matches!(self.state.stage(), Stage::Suspended | Stage::Answered | Stage::Ready);
        let is_given_up = stands_still && matches!(resolution, Resolution::Abandoned(_));
        if self.state.stage() != Stage::InDoubt && !is_given_up {
            return Err(LedgerError::NotInDoubt);
        }
        self.unsettled = false;
        let state = match resolution {
            Resolution::Happened(output) => OperationState::Completed { output: output.clone() },
            Resolution::Abandoned(text) => OperationState::Completed { output: ToolOutput::error(text.clone()) },
            Resolution::DidNotHappen => {
                self.attempts = 0;
                OperationState::Ready { why: "a person found that it did not happen".to_owned() }
            }
        };
        self.change(state, now);
        Ok(())
    }

    /// Notes what the hooks made of the result; `false` where that is noted already, or there is no result.
    pub fn react(&mut self, reaction: &HookReaction, now: SystemTime) -> bool {
        let is_first = self.reaction.is_none() && self.state.stage() == Stage::Completed;
        if is_first {
            self.reaction = Some(reaction.clone());
            self.changed_at = now;
        }
        is_first
    }

    /// Whether nothing is lost where its run has ended.
    pub fn may_be_forgotten(&self) -> bool {
        self.idempotency_key.is_none() && !self.is_open()
    }

    /// Whether something may still come of it: it has no result, and was not merely never done.
    pub(crate) fn is_open(&self) -> bool {
        match self.state.stage() {
            Stage::Completed => false,
            Stage::Ready => !self.is_undone(),
            _ => true,
        }
    }

    /// The id under which a ledger holds the operation.
    pub fn ledger_id(&self) -> String {
        self.operation.ledger_id()
    }

    /// The ticket by which it is answered, while it waits.
    pub fn ticket(&self) -> Option<&Ticket> {
        match &self.state {
            OperationState::Suspended { ticket, .. } => Some(ticket),
            _ => None,
        }
    }

    fn why(&self) -> &str {
        match &self.state {
            OperationState::InDoubt { why } | OperationState::Ready { why } => why,
            _ => "",
        }
    }

    fn check(&self, lease: &Lease) -> Result<(), LedgerError> {
        let is_running = matches!(self.state, OperationState::Running { .. });
        if is_running && self.is_held_by(lease) { Ok(()) } else { Err(LedgerError::Fenced) }
    }

    fn is_held_by(&self, lease: &Lease) -> bool {
        self.fence == lease.fence && self.begun_at == lease.begun_at
    }

    fn interrupted(&mut self, why: &str, now: SystemTime) {
        self.change(OperationState::InDoubt { why: why.to_owned() }, now);
    }

    fn change(&mut self, state: OperationState, now: SystemTime) {
        self.state = state;
        self.changed_at = now;
    }
}

/// When a lease ends; one that would outlast the clock ends in a century.
fn end_of(now: SystemTime, lease: Duration) -> SystemTime {
    const CENTURY: Duration = Duration::from_hours(24 * 365 * 100);
    now.checked_add(lease).unwrap_or(now + CENTURY)
}

/// Whether two texts are the same JSON: the order of keys, white space and the writing of numbers do not count.
fn same_json(one: &str, other: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok().filter(same::is_exact);
    match (value(one), value(other)) {
        (Some(one), Some(other)) => same::key_of(&one) == same::key_of(&other),
        _ => false,
    }
}

/// What a person answers to a wait for approval, as a JSON Schema.
pub(crate) fn approval_schema() -> Value {
    let mut properties = Map::new();
    properties.insert("approve".to_owned(), serde_json::json!({"type": "boolean", "description": "Whether to go on."}));
    properties
        .insert("note".to_owned(), serde_json::json!({"type": "string", "description": "What the model is told."}));
    serde_json::json!({
        "type": "object", "properties": properties, "required": ["approve"], "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_arguments_in_other_words_are_the_same_and_nothing_else_is() {
        for (one, other) in [(r#"{"a":1,"b":[2]}"#, r#"{ "b": [2.0], "a": 1 }"#), (r#""\u00e9""#, r#""é""#)] {
            assert!(same_json(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("9007199254740993", "9007199254740992"),
            ("18446744073709551616", "18446744073709551617"),
            (r#"{"a":1}"#, r#"{"a":"1"}"#),
            ("{", "{ "),
        ] {
            assert!(!same_json(one, other), "{one} {other}");
        }
    }
}
