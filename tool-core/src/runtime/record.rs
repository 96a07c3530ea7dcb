//! Record: the intent before anything is dispatched, and the outcome after.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

use super::call::{Call, Stop};
use super::event::ToolEventKind;
use super::note::{Note, note, offer};
use super::read::Refused;
use super::report::{CallStatus, Ending};
use super::{Inner, after, authorise};
use crate::error::ToolError;
use crate::gate::Touched;
use crate::ledger::{Begun, Lease, LedgerError, OperationIntent, OperationRecord, OperationState, Recorded, Wait};
use crate::output::{Suspension, ToolOutput};
use crate::recovery::ToolRecoveryPolicy;

/// How long somebody else's execution is waited for before it is looked at again.
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// What a call comes to that is not executed now: what it has come to before, if that is recorded. Else the model is told that
/// nothing was done, as far as the ledger can tell. No gate has allowed it, so that another run's result is not shown.
pub(super) async fn unexecuted(call: &Call, why: &str, status: CallStatus) -> Stop {
    let intent = &call.intent;
    let known = match call.inner().ledger.known(intent).await {
        Ok(known) => known.filter(|record| record.is_of(intent)),
        Err(_) => return unknown_before(why, status),
    };
    let Some(record) = known else { return undone(why, status) };
    if !record.is_undone() {
        call.touch();
    }
    if let Some(recorded) = record.recorded(intent) {
        if call.is_of_another_run(&recorded.operation) {
            return Ending::of(ToolOutput::error(format!("Nothing was done now: {why}")), status);
        }
        return after::replayed(call, recorded).await;
    }
    standing(record, why, status)
}

/// What a call came to before that cannot be made any more: its tool is gone, say, or reads its arguments otherwise. `None` where
/// nothing is known of it, or nothing was done.
pub(super) async fn before_refusal(inner: &Inner, refused: &Refused) -> Option<Stop> {
    let Refused { request, operation, error } = refused;
    let intent = OperationIntent {
        operation: operation.clone(),
        call: request.clone(),
        identity: None,
        arguments: request.arguments.as_json(),
        policy: ToolRecoveryPolicy::NEVER_REPLAY,
        idempotency_key: None,
        approval: None,
        lease: Duration::ZERO,
    };
    let record = inner.ledger.known(&intent).await.ok()??;
    let waits = matches!(record.state, OperationState::Suspended { .. });
    if !record.is_made_again_by(request) || (record.is_undone() && !waits) {
        return None;
    }
    if let OperationState::Completed { output } = record.state {
        let mut ending = Ending::of(output.with_call_id(&*request.call_id), CallStatus::Finished { replayed: true });
        ending.reminders = record.reaction.map(|reaction| reaction.reminders).unwrap_or_default();
        return Some(ending);
    }
    let status = CallStatus::Refused { why: error.to_string().into() };
    Some(standing(record, "the call cannot be made any more.", status))
}

/// What is told of a call that has no result, and is not made now.
fn standing(record: OperationRecord, why: &str, status: CallStatus) -> Stop {
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
    let ledger = &call.inner().ledger;
    let mut look = None;
    loop {
        let begun = match ledger.begin_at_once(intent) {
            Some(begun) => begun,
            None => {
                let begun = ledger.begin(intent).await;
                if let Ok(Begun::Execute(lease)) = &begun {
                    Box::pin(unless_ended(call, lease)).await?;
                }
                begun
            }
        };
        let lease = match begun {
            Ok(Begun::Execute(lease)) => lease,
            // In boxes of their own, so that most calls do not carry what seldom happens.
            other => {
                Box::pin(unbegun(call, intent, other, &mut look)).await?;
                continue;
            }
        };
        // What gates allowed has been noted with their verdict; what a person allowed is judged by what is touched by now.
        if intent.approval.is_some() {
            Box::pin(authorise::approved(call, &lease)).await?;
        }
        call.tell(|| ToolEventKind::Started { attempt: lease.attempt });
        return Ok(lease);
    }
}

/// How somebody else's execution is waited for, once it is.
struct Look {
    /// When the call's own time is up.
    until: Option<Instant>,
    pause: Duration,
}

/// What becomes of a call that is not to be executed now; nothing, where it is to begin again.
async fn unbegun(
    call: &Call,
    intent: &OperationIntent,
    begun: Result<Begun, LedgerError>,
    look: &mut Option<Look>,
) -> Result<(), Stop> {
    Err(match begun {
        Ok(Begun::Execute(_)) => return Ok(()),
        Ok(Begun::Replay(recorded)) => replay(call, intent, *recorded).await,
        Ok(Begun::Waiting(ticket, wait)) => {
            if matches!(wait, Wait::Tool(_)) {
                call.touch();
            }
            Ending::of(told_of(&wait), CallStatus::Waiting { ticket, wait })
        }
        Ok(Begun::InDoubt { ledger_id, why }) => {
            call.touch();
            in_doubt(ledger_id, why)
        }
        Ok(Begun::Conflict { what }) => conflicting(call, intent, what).await,
        Ok(Begun::Busy { until }) => {
            call.touch();
            let look = look.get_or_insert_with(|| Look { until: call.time(), pause: Duration::from_millis(5) });
            wait_until(call, until, look.pause).await;
            look.pause = (look.pause * 2).min(LONGEST_LOOK);
            if call.step.ended().is_none() && look.until.is_none_or(|up| Instant::now() < up) {
                return Ok(());
            }
            elsewhere(until)
        }
        Err(error) => {
            tracing::error!(%error, "the intent could not be recorded");
            let told = "the tool is unavailable at the moment, and the call may be tried again.";
            unexecuted(call, told, CallStatus::Refused { why: error.to_string().into() }).await
        }
    })
}

/// Stops a call whose step ended after its intent was recorded: nothing was dispatched.
pub(super) async fn unless_ended(call: &Call, lease: &Lease) -> Result<(), Stop> {
    if let Some(why) = call.step.ended() {
        note(call, lease, Note::Undispatched(&why)).await;
        call.go_on().await?;
    }
    Ok(())
}

/// A recorded result. One of another run is new to this run, and shown where the call itself needs nobody's approval.
async fn replay(call: &Call, intent: &OperationIntent, recorded: Recorded) -> Stop {
    if call.is_of_another_run(&recorded.operation) {
        if let Some(reason) = &intent.approval {
            let told = format!("Nothing was done now: a person has to approve of this call, and cannot here: {reason}");
            let remedy = "another run has a result under this call's idempotency key: allow the call by a rule where that result \
                          may be shown, or let the key tell the runs apart";
            return Ending::of(ToolOutput::error(told), CallStatus::Denied { remedy: remedy.to_owned() });
        }
        if let Err(error) = call.step.run.keep_touched(Touched::by(Some(&call.planned.descriptor))).await {
            tracing::error!(%error, "what the run touches could not be recorded");
            let told = "the tool is unavailable at the moment, and the call may be tried again.";
            return unknown_before(told, CallStatus::Refused { why: error.to_string().into() });
        }
    }
    call.touch();
    after::replayed(call, recorded).await
}

async fn wait_until(call: &Call, until: SystemTime, at_most: Duration) {
    let left = until.duration_since(SystemTime::now()).unwrap_or_default().max(Duration::from_millis(1));
    call.unless_over(tokio::time::sleep(left.min(at_most))).await;
}

/// What an attempt without an output came to: the output that says so; or `None`, where it is to begin again as far as the
/// ledger allows.
pub(super) async fn failure(call: &Call, lease: &Lease, error: ToolError) -> Option<ToolOutput> {
    match error {
        // It came to its end, and says how.
        ToolError::Failed(text) => return Some(ToolOutput::error(text)),
        ToolError::InvalidArguments(_) | ToolError::Unknown { .. } => return Some(ToolOutput::for_error(&error)),
        ToolError::UnavailableBeforeDispatch(why) => note(call, lease, Note::Undispatched(&why)).await,
        error => {
            let why = match error {
                ToolError::Execution(why) => why,
                other => other.to_string(),
            };
            tracing::warn!(why, attempt = lease.attempt, "the outcome of an attempt is unknown");
            note(call, lease, Note::Unknown(&why)).await;
        }
    }
    let wait = call.inner().limits.backoff.saturating_mul(1 << (lease.attempt - 1).min(16));
    call.unless_over(tokio::time::sleep(wait)).await;
    None
}

/// Records what the call came to; `false` where somebody else took it over meanwhile, so that it counts no more.
pub(super) async fn outcome(call: &Call, lease: &Lease, output: &ToolOutput) -> Result<bool, Stop> {
    if let Some(suspension) = &output.suspension {
        return Box::pin(park(call, lease, Wait::Tool(Suspension::clone(suspension)))).await;
    }
    match offer(call, lease, Note::Result(output)).await {
        Ok(_) => {
            call.follow(&lease.operation, &output.state).await;
            Ok(true)
        }
        Err(LedgerError::Fenced) => Ok(false),
        Err(error) => {
            tracing::error!(%error, "a result could not be recorded");
            let why = format!("it was executed, and its result could not be recorded: {error}");
            Box::pin(unrecorded(call, lease, why)).await
        }
    }
}

async fn park(call: &Call, lease: &Lease, wait: Wait) -> Result<bool, Stop> {
    match offer(call, lease, Note::Wait(&wait)).await {
        Ok(Some(ticket)) => Err(Ending::of(told_of(&wait), CallStatus::Waiting { ticket, wait })),
        Ok(None) | Err(LedgerError::Fenced) => Ok(false),
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
