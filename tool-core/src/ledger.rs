//! What is known of each operation, so that no effect happens twice that must not, and no outcome is lost or invented.

mod machine;
mod memory;
mod record;

use async_trait::async_trait;
use serde_json::Value;
use std::fmt;

pub use machine::Moment;
pub(crate) use machine::approval_schema;
pub use memory::MemoryLedger;
pub use record::{
    Begun, Lease, OperationFilter, OperationIntent, OperationRecord, OperationState, Recorded, Resolution, RunScope,
    Stage, Ticket, Wait,
};

use crate::hook::HookReaction;
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;
use crate::state::{StateCommand, StateEntries};

/// Where operations are recorded: in memory ([`MemoryLedger`]), in a file, in a database.
///
/// # The life of an operation
///
/// ```text
///            begin                       complete
///   nothing ───────► running ──────────────────────────────► completed
///      │    approval  │ │ │ ▲                                    ▲
///      └────────┐     │ │ │ └───── begin ◄── answered            │
///               ▼     │ │ └─ suspend ─► suspended ── answer ─►┘  │
///           suspended │ └─ fail ─► ready ── begin ─► running     │
///                     └─ doubt, or its owner died ─► in doubt ───┴─ resolve
/// ```
///
/// The transitions themselves are in [`OperationRecord`]: an implementation reads a record, lets it change, and writes it
/// back, in one transaction. It need know nothing of what they mean.
///
/// # The contract
///
/// * When a method has returned `Ok`, what it did survives a crash (of what the ledger promises to survive).
/// * Each method is atomic, also between processes that share a ledger.
/// * A record that cannot be read is [`LedgerError::Unreadable`], never "no such operation".
#[async_trait]
pub trait OperationLedger: Send + Sync {
    /// Records the intent to perform an operation, and says what to do: execute it under the lease that is given, or take
    /// what is known of it already. See [`OperationRecord::begin`].
    ///
    /// An intent with an idempotency key is about the operation of the same tool, key and workspace that was begun first,
    /// if there is one: its token is the lease's.
    async fn begin(&self, intent: &OperationIntent) -> Result<Begun, LedgerError>;

    /// [`begin`](Self::begin), by a ledger that need not wait for anything, so that nothing is made that can wait. `None`, and
    /// nothing has happened, by every other.
    fn begin_at_once(&self, _intent: &OperationIntent) -> Option<Result<Begun, LedgerError>> {
        None
    }

    /// Prolongs a lease: who executes calls this well before the lease ends. Fails with [`LedgerError::Fenced`] where the
    /// operation has been taken over.
    async fn renew(&self, lease: &Lease) -> Result<(), LedgerError>;

    /// Records the result and applies the state commands it stages, in one. Fails with [`LedgerError::Fenced`], and
    /// changes nothing, where the operation has been taken over or settled; a doubt that arose when the lease ended ends.
    async fn complete(&self, lease: &Lease, output: &ToolOutput) -> Result<(), LedgerError>;

    /// [`complete`](Self::complete), as [`begin_at_once`](Self::begin_at_once) is to [`begin`](Self::begin).
    fn complete_at_once(&self, _lease: &Lease, _output: &ToolOutput) -> Option<Result<(), LedgerError>> {
        None
    }

    /// Records that nothing was dispatched, which is proven: the operation may begin again.
    async fn fail(&self, lease: &Lease, why: &str) -> Result<(), LedgerError>;

    /// Records that the outcome is not known. Where the policy allows another attempt, the operation may begin again;
    /// otherwise it is in doubt.
    async fn doubt(&self, lease: &Lease, why: &str) -> Result<(), LedgerError>;

    /// Parks the operation. The ticket is for whoever answers.
    async fn suspend(&self, lease: &Lease, wait: &Wait) -> Result<Ticket, LedgerError>;

    /// Answers a parked operation, which may then begin again. Only the first answer counts: the second fails with
    /// [`LedgerError::NotWaiting`].
    async fn answer(&self, ticket: &Ticket, answer: &Value) -> Result<OperationRecord, LedgerError>;

    /// Settles an operation that is in doubt, by what a person found out, or gives up one that waits. Fails with
    /// [`LedgerError::NotInDoubt`] for any other ([`OperationRecord::resolve`]).
    async fn resolve(&self, ledger_id: &str, resolution: &Resolution) -> Result<OperationRecord, LedgerError>;

    /// Commits what the after-tool hooks made of a completed operation: once, a second time changes nothing. Says what is
    /// committed.
    async fn react(
        &self,
        operation: &ToolOperationContext,
        reaction: &HookReaction,
    ) -> Result<HookReaction, LedgerError>;

    /// The record that an intent is about: of its own operation or, under an idempotency key, of the one that was begun
    /// first. What [`begin`](Self::begin) would look at; nothing changes.
    async fn known(&self, intent: &OperationIntent) -> Result<Option<OperationRecord>, LedgerError>;

    /// The record of one operation.
    async fn find(&self, ledger_id: &str) -> Result<Option<OperationRecord>, LedgerError>;

    /// The records that a filter takes, in the order in which they were begun.
    async fn list(&self, filter: &OperationFilter) -> Result<Vec<OperationRecord>, LedgerError>;

    /// The committed state of a run.
    async fn state(&self, run: &RunScope) -> Result<StateEntries, LedgerError>;

    /// Commits state commands of a run that belong to no call.
    async fn commit(&self, run: &RunScope, commands: &[StateCommand]) -> Result<(), LedgerError>;

    /// Drops what is over of a run that has ended: its state, and the operations that have a result. What waits or is in
    /// doubt stays, and so does what bears an idempotency key, which holds across runs. Says how many were dropped.
    async fn forget(&self, run: &RunScope) -> Result<usize, LedgerError>;
}

/// Why a ledger did not do as it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LedgerError {
    /// The lease is no longer the operation's: somebody took it over, or it has an outcome.
    Fenced,
    /// There is no such operation or ticket.
    NotFound,
    /// The operation does not wait, or was answered already.
    NotWaiting,
    /// The operation is not in doubt.
    NotInDoubt,
    /// The store cannot be used at the moment; nothing was changed.
    Unavailable(String),
    /// What is stored cannot be read; nothing was changed. A person has to look.
    Unreadable(String),
    /// What was to be stored cannot be, now or later; nothing was changed.
    Unrecordable(String),
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fenced => {
                f.write_str("the operation has been taken over by another owner; this result counts no more")
            }
            Self::NotFound => {
                f.write_str("no operation has this id or ticket; list the operations to see which there are")
            }
            Self::NotWaiting => f.write_str("the operation does not wait for an answer, or was answered already"),
            Self::NotInDoubt => f.write_str("the operation is not in doubt, so that there is nothing to settle"),
            Self::Unavailable(why) => write!(f, "the ledger cannot be used, and nothing was changed: {why}"),
            Self::Unrecordable(why) => write!(f, "the ledger cannot keep this, and nothing was changed: {why}"),
            Self::Unreadable(why) => write!(f, "what the ledger holds cannot be read, and nothing was changed: {why}"),
        }
    }
}

impl std::error::Error for LedgerError {}
