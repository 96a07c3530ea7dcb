//! Authorise: every gate has to allow the call.

use std::pin::pin;

use super::call::{Call, Stop};
use super::note::{Note, note};
use super::report::CallStatus;
use super::{execute, record};
use crate::contain::{self, Panicked};
use crate::gate::{GateArguments, GateRequest, Verdict};
use crate::ledger::Lease;

/// Why a person has to approve of the call first, if somebody has to. A call that is denied stops here, and leaves nothing
/// in the ledger; one that has its recorded result already, from before, keeps it.
pub(super) async fn authorise(call: &Call) -> Result<Option<String>, Stop> {
    let judged = call.unless_over(in_turn(call, |verdict| *verdict == Verdict::Allow)).await;
    // Gates take their time, in which the step may end.
    call.go_on().await?;
    let Some(verdict) = judged else { return Err(Box::pin(call.not_run("the step ended".to_owned())).await) };
    match verdict {
        Verdict::Allow => Ok(None),
        Verdict::Ask { reason } => Ok(Some(reason)),
        Verdict::Deny { reason, remedy } => Err(Box::pin(denied(call, &reason, remedy)).await),
    }
}

/// Judges a call that a person has approved of once more, by what its run has touched by now: another one may have been approved
/// of meanwhile, and executed. What is denied now was not dispatched.
pub(super) async fn approved(call: &Call, lease: &Lease) -> Result<(), Stop> {
    let is_made = |verdict: &Verdict| !matches!(verdict, Verdict::Deny { .. });
    let judged = pin!(call.unless_over(in_turn(call, is_made)));
    let verdict = execute::while_renewed(call, lease, judged).await;
    record::unless_ended(call, lease).await?;
    let Some(Verdict::Deny { reason, remedy }) = verdict else { return Ok(()) };
    note(call, lease, Note::Undispatched(&format!("a gate denies it by now: {remedy}"))).await;
    Err(denied(call, &reason, remedy).await)
}

async fn denied(call: &Call, reason: &str, remedy: String) -> Stop {
    tracing::info!(remedy, "the call was denied");
    let told = format!("this call is not allowed. {reason}");
    record::unexecuted(call, &told, CallStatus::Denied { remedy }).await
}

/// One call of a run after the other, each with what the calls before it were allowed to touch: else two at once would bring
/// together what neither may.
async fn in_turn(call: &Call, is_made: impl Fn(&Verdict) -> bool) -> Verdict {
    let run = &call.step.run;
    let _judging = if call.inner().judges_in_turn { Some(run.judging.lock().await) } else { None };
    let verdict = judge(call).await;
    if is_made(&verdict) {
        call.touch();
    }
    verdict
}

async fn judge(call: &Call) -> Verdict {
    let request = GateRequest {
        call: call.request(),
        arguments: &GateArguments::new(&call.intent.arguments),
        descriptor: Some(&call.planned.descriptor),
        operation: call.operation(),
        touched: call.step.run.touched(),
    };
    let mut verdict = Verdict::Allow;
    for gate in &call.inner().gates {
        let judged = contain::caught(pin!(async { gate.judge(&request).await })).await.unwrap_or_else(|Panicked| {
            Verdict::deny(
                "A check of this call failed.",
                "a gate panicked: mend it; until then it denies what it panics at",
            )
        });
        verdict = verdict.and(judged);
    }
    verdict
}
