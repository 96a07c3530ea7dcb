//! A ledger for as long as the process lives.

use async_trait::async_trait;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{
    Begun, Lease, LedgerError, Moment, OperationFilter, OperationIntent, OperationLedger, OperationRecord, Resolution,
    RunScope, Stage, Ticket, Wait,
};
use crate::coordinates::WorkspaceId;
use crate::hook::HookReaction;
use crate::id_hash::IdHash;
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;
use crate::state::{StateCommand, StateEntries};

/// A ledger in memory: it settles what happens twice within one process, and forgets all when that ends.
///
/// Cloning shares it.
#[derive(Clone)]
pub struct MemoryLedger {
    held: Arc<Mutex<Held>>,
    clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    owner: Arc<str>,
}

#[derive(Default)]
struct Held {
    records: HashMap<ToolOperationContext, Numbered, IdHash>,
    /// How many operations were ever begun: gives their order.
    begun: u64,
    /// Which operation an idempotency key stands for.
    keys: HashMap<Key, ToolOperationContext>,
    /// The operations whose ids have been handed out, so that hashing is spared for all others.
    named: HashMap<String, ToolOperationContext>,
    states: HashMap<RunScope, StateEntries>,
}

/// A record, and where it stands among all.
struct Numbered {
    order: u64,
    /// Boxed, so that a table that grows moves pointers and not records.
    record: Box<OperationRecord>,
}

type Key = (WorkspaceId, Arc<str>, String);

impl Default for MemoryLedger {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryLedger {
    /// An empty ledger.
    pub fn new() -> Self {
        Self { held: Arc::default(), clock: Arc::new(SystemTime::now), owner: "memory".into() }
    }

    /// The same ledger by another clock: for tests.
    #[must_use]
    pub fn with_clock(self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// The same ledger, as another owner of leases sees it.
    #[must_use]
    pub fn as_owner(&self, owner: impl Into<Arc<str>>) -> Self {
        Self { owner: owner.into(), ..self.clone() }
    }

    /// A panic while the lock was held would leave a record whole, since each changes in one assignment.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin_now(&self, intent: &OperationIntent) -> Begun {
        let at = Moment::new((self.clock)(), &self.owner, &|_| true);
        self.held().begin(intent, &at)
    }

    fn complete_now(&self, lease: &Lease, output: &ToolOutput) -> Result<(), LedgerError> {
        self.change_with_state(&lease.operation, &output.state, |record, now| record.complete(lease, output, now))
    }

    fn change<T>(
        &self,
        operation: &ToolOperationContext,
        change: impl FnOnce(&mut OperationRecord, SystemTime) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.change_with_state(operation, &[], change)
    }

    fn change_with_state<T>(
        &self,
        operation: &ToolOperationContext,
        commands: &[StateCommand],
        change: impl FnOnce(&mut OperationRecord, SystemTime) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let now = (self.clock)();
        let mut held = self.held();
        let held = &mut *held;
        let entry = held.records.get_mut(operation).ok_or(LedgerError::NotFound)?;
        let answer = change(&mut entry.record, now)?;
        if let Some((name, operation)) = entry.record.name_if_asked_for() {
            held.named.insert(name, operation);
        }
        if !commands.is_empty() {
            held.apply(operation.scope(), commands);
        }
        Ok(answer)
    }
}

impl OperationRecord {
    /// The operation's id, once somebody may ask for it by that.
    fn name_if_asked_for(&self) -> Option<(String, ToolOperationContext)> {
        let is_asked_for = matches!(self.state.stage(), Stage::Suspended | Stage::InDoubt);
        is_asked_for.then(|| (self.ledger_id(), self.operation.clone()))
    }
}

impl Held {
    fn key_of(intent: &OperationIntent) -> Option<Key> {
        let key = intent.idempotency_key.clone()?;
        Some((intent.operation.workspace_id().clone(), intent.call.tool_id.clone(), key))
    }

    /// The operation that an intent is about: its own, or the one that its key stands for.
    fn first<'a>(&'a self, key: Option<&Key>, intent: &'a OperationIntent) -> &'a ToolOperationContext {
        key.and_then(|key| self.keys.get(key)).unwrap_or(&intent.operation)
    }

    fn begin(&mut self, intent: &OperationIntent, at: &Moment<'_>) -> Begun {
        let key = Self::key_of(intent);
        let first = self.first(key.as_ref(), intent).clone();
        let (begun, named) = match self.records.entry(first) {
            Entry::Occupied(mut held) => {
                let held = held.get_mut();
                let mut known = Some(OperationRecord::clone(&held.record));
                let (begun, changed) = OperationRecord::begin(&mut known, intent, at);
                if let Some(record) = known.filter(|_| changed) {
                    *held.record = record;
                }
                (begun, held.record.name_if_asked_for())
            }
            Entry::Vacant(place) => {
                let record = Box::new(OperationRecord::of(intent, at.now));
                let record = &mut place.insert(Numbered { order: self.begun, record }).record;
                let begun = record.start(intent, at);
                self.begun += 1;
                // Only what was begun stands for a key: a conflict has nothing to show for it.
                if let Some(key) = key {
                    self.keys.insert(key, intent.operation.clone());
                }
                (begun, record.name_if_asked_for())
            }
        };
        if let Some((name, operation)) = named {
            self.named.insert(name, operation);
        }
        begun
    }

    fn apply(&mut self, run: RunScope, commands: &[StateCommand]) {
        let entries = self.states.entry(run).or_default();
        for command in commands {
            command.apply(entries);
        }
    }

    fn operation(&self, ledger_id: &str) -> Option<ToolOperationContext> {
        let by_name = self.named.get(ledger_id).cloned();
        by_name.or_else(|| self.records.keys().find(|operation| operation.ledger_id() == ledger_id).cloned())
    }

    fn awaiting(&self, ticket: &Ticket) -> Option<ToolOperationContext> {
        self.operation(ticket.ledger_id()?)
    }

    fn record(&self, operation: &ToolOperationContext) -> Result<OperationRecord, LedgerError> {
        self.records.get(operation).map(|entry| OperationRecord::clone(&entry.record)).ok_or(LedgerError::NotFound)
    }
}

#[async_trait]
impl OperationLedger for MemoryLedger {
    async fn begin(&self, intent: &OperationIntent) -> Result<Begun, LedgerError> {
        Ok(self.begin_now(intent))
    }

    fn begin_at_once(&self, intent: &OperationIntent) -> Option<Result<Begun, LedgerError>> {
        Some(Ok(self.begin_now(intent)))
    }

    async fn renew(&self, lease: &Lease) -> Result<(), LedgerError> {
        self.change(&lease.operation, |record, now| record.renew(lease, now))
    }

    async fn complete(&self, lease: &Lease, output: &ToolOutput) -> Result<(), LedgerError> {
        self.complete_now(lease, output)
    }

    fn complete_at_once(&self, lease: &Lease, output: &ToolOutput) -> Option<Result<(), LedgerError>> {
        Some(self.complete_now(lease, output))
    }

    async fn fail(&self, lease: &Lease, why: &str) -> Result<(), LedgerError> {
        self.change(&lease.operation, |record, now| record.fail(lease, why, now))
    }

    async fn doubt(&self, lease: &Lease, why: &str) -> Result<(), LedgerError> {
        self.change(&lease.operation, |record, now| record.doubt(lease, why, now))
    }

    async fn suspend(&self, lease: &Lease, wait: &Wait) -> Result<Ticket, LedgerError> {
        self.change(&lease.operation, |record, now| record.suspend(lease, wait, now))
    }

    async fn answer(&self, ticket: &Ticket, answer: &Value) -> Result<OperationRecord, LedgerError> {
        let operation = self.held().awaiting(ticket).ok_or(LedgerError::NotFound)?;
        self.change(&operation, |record, now| {
            record.answer(ticket, answer, now)?;
            Ok(record.clone())
        })
    }

    async fn resolve(&self, ledger_id: &str, resolution: &Resolution) -> Result<OperationRecord, LedgerError> {
        let operation = self.held().operation(ledger_id).ok_or(LedgerError::NotFound)?;
        self.change_with_state(&operation, resolution.state(), |record, now| {
            record.resolve(resolution, now)?;
            Ok(record.clone())
        })
    }

    async fn react(
        &self,
        operation: &ToolOperationContext,
        reaction: &HookReaction,
    ) -> Result<HookReaction, LedgerError> {
        let now = (self.clock)();
        let mut held = self.held();
        let entry = held.records.get_mut(operation).ok_or(LedgerError::NotFound)?;
        let is_first = entry.record.react(reaction, now);
        let committed = entry.record.reaction.clone().unwrap_or_default();
        if is_first {
            held.apply(operation.scope(), &reaction.state);
        }
        Ok(committed)
    }

    async fn known(&self, intent: &OperationIntent) -> Result<Option<OperationRecord>, LedgerError> {
        let held = self.held();
        let first = held.first(Held::key_of(intent).as_ref(), intent);
        Ok(held.records.get(first).map(|entry| OperationRecord::clone(&entry.record)))
    }

    async fn find(&self, ledger_id: &str) -> Result<Option<OperationRecord>, LedgerError> {
        let held = self.held();
        held.operation(ledger_id).map(|operation| held.record(&operation)).transpose()
    }

    async fn list(&self, filter: &OperationFilter) -> Result<Vec<OperationRecord>, LedgerError> {
        let held = self.held();
        let mut entries: Vec<_> = held.records.values().filter(|entry| filter.takes(&entry.record)).collect();
        entries.sort_unstable_by_key(|entry| entry.order);
        Ok(entries.into_iter().map(|entry| OperationRecord::clone(&entry.record)).collect())
    }

    async fn state(&self, run: &RunScope) -> Result<StateEntries, LedgerError> {
        Ok(self.held().states.get(run).cloned().unwrap_or_default())
    }

    async fn commit(&self, run: &RunScope, commands: &[StateCommand]) -> Result<(), LedgerError> {
        self.held().apply(run.clone(), commands);
        Ok(())
    }

    async fn forget(&self, run: &RunScope) -> Result<usize, LedgerError> {
        let mut held = self.held();
        let before = held.records.len();
        held.records.retain(|operation, entry| operation.scope() != *run || !entry.record.may_be_forgotten());
        let Held { records, named, states, .. } = &mut *held;
        named.retain(|_, operation| records.contains_key(operation));
        // A table that was emptied would keep its room, and grow by what was taken out of it.
        records.shrink_to(2 * records.len());
        named.shrink_to(2 * named.len());
        states.remove(run);
        Ok(before - held.records.len())
    }
}

impl fmt::Debug for MemoryLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryLedger").field("owner", &self.owner).finish_non_exhaustive()
    }
}
