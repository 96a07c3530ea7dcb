//! What is noted of an attempt in the ledger, which may not be there at the moment.

use std::pin::pin;
use std::time::Duration;

use super::call::Call;
use super::execute;
use crate::ledger::{Lease, LedgerError, OperationLedger, Ticket, Wait};
use crate::output::ToolOutput;

/// How often it is offered to a ledger that cannot be used at the moment.
const OFFERS: u32 = 4;

/// How an attempt ended.
#[derive(Clone, Copy)]
pub(super) enum Note<'a> {
    /// With this result.
    Result(&'a ToolOutput),
    /// Nothing was dispatched, and why.
    Undispatched(&'a str),
    /// Nobody knows, and why.
    Unknown(&'a str),
    /// It waits.
    Wait(&'a Wait),
}

impl Note<'_> {
    /// Offers it to the ledger; a wait comes to its ticket.
    async fn to(self, ledger: &dyn OperationLedger, lease: &Lease) -> Result<Option<Ticket>, LedgerError> {
        match self {
            Self::Result(output) => ledger.complete(lease, output).await.map(|()| None),
            Self::Undispatched(why) => ledger.fail(lease, why).await.map(|()| None),
            Self::Unknown(why) => ledger.doubt(lease, why).await.map(|()| None),
            Self::Wait(wait) => ledger.suspend(lease, wait).await.map(Some),
        }
    }
}

/// Offers it as often as is sensible.
pub(super) async fn offer(call: &Call, lease: &Lease, what: Note<'_>) -> Result<Option<Ticket>, LedgerError> {
    let ledger = &*call.inner().ledger;
    let at_once = match what {
        Note::Result(output) => ledger.complete_at_once(lease, output),
        _ => None,
    };
    let noted = match at_once {
        Some(noted) => noted.map(|()| None),
        None => what.to(ledger, lease).await,
    };
    match noted {
        Err(LedgerError::Unavailable(_)) => Box::pin(again(call, lease, what)).await,
        noted => noted,
    }
}

async fn again(call: &Call, lease: &Lease, what: Note<'_>) -> Result<Option<Ticket>, LedgerError> {
    execute::while_renewed(call, lease, pin!(offers(call, lease, what))).await
}

async fn offers(call: &Call, lease: &Lease, what: Note<'_>) -> Result<Option<Ticket>, LedgerError> {
    // The lease is renewed meanwhile, by a ledger that can as little be used: it must not end before the last offer.
    let mut pause = call.inner().limits.backoff.min(lease.duration / 16).max(Duration::from_millis(1));
    let mut offers = 1;
    loop {
        tokio::time::sleep(pause).await;
        offers += 1;
        match what.to(&*call.inner().ledger, lease).await {
            Err(LedgerError::Unavailable(_)) if offers < OFFERS => pause *= 2,
            noted => return noted,
        }
    }
}

/// Notes the end of an attempt, after which the ledger says what comes next.
pub(super) async fn note(call: &Call, lease: &Lease, what: Note<'_>) {
    match offer(call, lease, what).await {
        // Where somebody took it over, what to do is for the ledger to say.
        Ok(_) | Err(LedgerError::Fenced) => {}
        // What is in the ledger is a running attempt, which ends with its lease.
        Err(error) => tracing::error!(%error, "the end of an attempt could not be recorded"),
    }
}
