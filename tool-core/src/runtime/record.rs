//! Record: the intent before anything is dispatched, and the outcome after.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use super::after;
use super::call::{Call, Stop};
use super::event::ToolEventKind;
use super::report::{CallStatus, Ending};
use crate::error::ToolError;
use crate::gate::Touched;
use crate::ledger::{Begun, Lease, LedgerError, OperationIntent, OperationState, Wait};
use crate::output::{Suspension, ToolOutput};

/// How often the outcome is offered to a ledger that cannot be used at the moment.
const OFFERS: u32 = 4;
/// How long somebody else's execution is waited for before it is looked at again.
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// What a call comes to that is not executed now: what it has come to before, if that is recorded. Else the model is told that
/// nothing was done, as far as the ledger can tell.
pub(super) async fn unexecuted(call: &Call, why: &str, status: CallStatus) -> Stop {
    let intent = &call.intent;
    let known = match call.inner().ledger.known(intent).await {
        Ok(known) => known.filter(|record| record.is_of(intent)),
        Err(_) => return unknown_before(why, status),
    };
    let Some(record) = known else { return undone(why, status) };
    if let Some(recorded) = record.recorded(intent) {
        return after::replayed(call, recorded).await;
    }
    let ledger_id = record.ledger_id();
    match record.state {
        OperationState::InDoubt { why } => in_doubt(ledger_id, why),
        OperationState::Suspended { wait, ticket } => Ending::of(told_of(&wait), CallStatus::Waiting { ticket, wait }),
        OperationState::Running { until, .. } => elsewhere(until),
        _ if record.is_undone() => undone(why, status),
        OperationState::Ready { .. } | OperationState::Answered => {
            unknown_before(why, CallStatus::Unfinished { why: why.to_owned().into() })
        }
        OperationState::Completed { .. } => unknown_before(why, status),
    }
}

fn undone(why: &str, status: CallStatus) -> Stop {
    Ending::of(ToolOutput::error(format!("Nothing was done: {why}")), status)
}

fn unknown_before(why: &str, status: CallStatus) -> Stop {
    let told = format!("Nothing was done now: {why} Whether it was done before is not known.");
    Ending::of(ToolOutput::error(told), status)
}

fn elsewhere(until: SystemTime) -> Stop {
    let output = ToolOutput::error("The call is executed elsewhere, and its result is not known yet.");
    Ending::of(output, CallStatus::Elsewhere { until })
}

/// Something else stands in the call's place: another call, or this one of a tool that has changed since.
async fn conflicting(call: &Call, intent: &OperationIntent, what: Cow<'static, str>) -> Stop {
    let before = match call.inner().ledger.known(intent).await {
        Ok(known) => known.filter(|record| record.is_of(intent)),
        Err(_) => {
            let why = "something else was recorded in this call's place.";
            return unknown_before(why, CallStatus::Conflict { what });
        }
    };
    let told = match before {
        None => "Nothing was done: another call was recorded in this one's place.",
        Some(record) if record.is_undone() => "Nothing was done: the tool has changed since this call was recorded.",
        Some(record) => {
            let ledger_id = record.ledger_id();
            if let OperationState::InDoubt { why } = record.state {
                return in_doubt(ledger_id, why);
            }
            "Nothing was done now: the tool has changed since this call was recorded. What came of it before stands."
        }
    };
    Ending::of(ToolOutput::error(told), CallStatus::Conflict { what })
}

/// The leave to execute the call; or what it came to without.
pub(super) async fn begin(call: &Call, intent: &OperationIntent) -> Result<Lease, Stop> {
    let mut look_again = Duration::from_millis(5);
    loop {
        return match call.inner().ledger.begin(intent).await {
            Ok(Begun::Execute(lease)) => {
                // What gates allowed has been noted with their verdict; what a person allowed is noted here.
                if intent.approval.is_some() {
                    call.step.run.touch(Touched::by(Some(&call.planned.descriptor)));
                }
                call.tell(|| ToolEventKind::Started { attempt: lease.attempt });
                Ok(lease)
            }
            Ok(Begun::Replay(recorded)) => Err(after::replayed(call, *recorded).await),
            Ok(Begun::Waiting(ticket, wait)) => Err(Ending::of(told_of(&wait), CallStatus::Waiting { ticket, wait })),
            Ok(Begun::InDoubt { ledger_id, why }) => Err(in_doubt(ledger_id, why)),
            Ok(Begun::Conflict { what }) => Err(conflicting(call, intent, what).await),
            Ok(Begun::Busy { until }) => {
                wait_until(call, until, look_again).await;
                if call.step.ended().is_some() {
                    return Err(elsewhere(until));
                }
                look_again = (look_again * 2).min(LONGEST_LOOK);
                continue;
            }
            Err(error) => {
                tracing::error!(%error, "the intent could not be recorded");
                let told = "the tool is unavailable at the moment, and the call may be tried again.";
                Err(unexecuted(call, told, CallStatus::Refused { why: error.to_string().into() }).await)
            }
        };
    }
}

async fn wait_until(call: &Call, until: SystemTime, at_most: Duration) {
    let left = until.duration_since(SystemTime::now()).unwrap_or_default().max(Duration::from_millis(1));
    call.unless_over(tokio::time::sleep(left.min(at_most))).await;
}

/// What an attempt without an output came to: the output that says so; or `None`, where it is to begin again as far as the
/// ledger allows.
pub(super) async fn failure(call: &Call, lease: &Lease, error: ToolError) -> Option<ToolOutput> {
    let ledger = &call.inner().ledger;
    let noted = match error {
        // It came to its end, and says how.
        ToolError::Failed(text) => return Some(ToolOutput::error(text)),
        ToolError::InvalidArguments(_) | ToolError::Unknown { .. } => return Some(ToolOutput::for_error(&error)),
        ToolError::UnavailableBeforeDispatch(why) => ledger.fail(lease, &why).await,
        error => {
            let why = match error {
                ToolError::Execution(why) => why,
                other => other.to_string(),
            };
            tracing::warn!(why, attempt = lease.attempt, "the outcome of an attempt is unknown");
            ledger.doubt(lease, &why).await
        }
    };
    match noted {
        // Where somebody took it over, what to do is for the ledger to say.
        Ok(()) | Err(LedgerError::Fenced) => {}
        // What is in the ledger is a running attempt, which ends with its lease.
        Err(error) => tracing::error!(%error, "the end of an attempt could not be recorded"),
    }
    let wait = call.inner().limits.backoff.saturating_mul(1 << (lease.attempt - 1).min(16));
    call.unless_over(tokio::time::sleep(wait)).await;
    None
}

/// Records what the call came to; `false` where somebody else took it over meanwhile, so that it counts no more.
pub(super) async fn outcome(call: &Call, lease: &Lease, output: &ToolOutput) -> Result<bool, Stop> {
    if let Some(suspension) = &output.suspension {
        return park(call, lease, Wait::Tool(Suspension::clone(suspension))).await;
    }
    let mut wait = call.inner().limits.backoff;
    for offer in 1..=OFFERS {
        match call.inner().ledger.complete(lease, output).await {
            Ok(()) => {
                call.follow(&lease.operation, &output.state).await;
                return Ok(true);
            }
            Err(LedgerError::Fenced) => return Ok(false),
            Err(error) if offer == OFFERS || !matches!(error, LedgerError::Unavailable(_)) => {
                tracing::error!(%error, "a result could not be recorded");
                let why = format!("it was executed, and its result could not be recorded: {error}");
                return unrecorded(call, lease, why).await;
            }
            Err(_) => tokio::time::sleep(wait).await,
        }
        wait *= 2;
    }
    Ok(false)
}

async fn park(call: &Call, lease: &Lease, wait: Wait) -> Result<bool, Stop> {
    match call.inner().ledger.suspend(lease, &wait).await {
        Ok(ticket) => Err(Ending::of(told_of(&wait), CallStatus::Waiting { ticket, wait })),
        Err(LedgerError::Fenced) => Ok(false),
        Err(error) => unrecorded(call, lease, format!("it waits, and that could not be recorded: {error}")).await,
    }
}

/// What was done and cannot be recorded is in doubt, which is for the ledger to know as well: then it says what comes next.
async fn unrecorded(call: &Call, lease: &Lease, why: String) -> Result<bool, Stop> {
    match call.inner().ledger.doubt(lease, &why).await {
        Ok(()) | Err(LedgerError::Fenced) => Ok(false),
        Err(_) => Err(in_doubt(lease.operation.ledger_id(), why)),
    }
}

fn told_of(wait: &Wait) -> ToolOutput {
    ToolOutput::ok(match wait {
        Wait::Approval { reason } => format!("The call waits for a person's approval: {reason}"),
        Wait::Tool(Suspension::Input { reason, .. }) => format!("The call waits for an answer: {reason}"),
        Wait::Tool(_) => "The call waits and goes on later.".to_owned(),
    })
}

fn in_doubt(ledger_id: String, why: String) -> Stop {
    let output = ToolOutput::for_error(&ToolError::execution(why.clone()));
    Ending::of(output, CallStatus::InDoubt { ledger_id, why })
}
