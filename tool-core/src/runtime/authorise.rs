//! Authorise: every gate has to allow the call.

use std::pin::pin;

use super::call::{Call, Stop};
use super::record;
use super::report::CallStatus;
use crate::contain::{self, Panicked};
use crate::gate::{GateRequest, Touched, Verdict};

/// Why a person has to approve of the call first, if somebody has to. A call that is denied stops here, and leaves nothing
/// in the ledger; one that has its recorded result already, from before, keeps it.
pub(super) async fn authorise(call: &Call) -> Result<Option<String>, Stop> {
    // One call of a run after the other, each with what the calls before it were allowed to touch: else two at once would
    // bring together what neither may.
    let judged = call.unless_over(async {
        let _judging = call.step.run.judging.lock().await;
        let verdict = judge(call).await;
        if verdict == Verdict::Allow {
            call.step.run.touch(Touched::by(Some(&call.planned.descriptor)));
        }
        verdict
    });
    let Some(verdict) = judged.await else {
        let why = call.step.ended().unwrap_or_else(|| "the step ended".to_owned());
        return Err(call.not_run(why).await);
    };
    match verdict {
        Verdict::Allow => Ok(None),
        Verdict::Ask { reason } => Ok(Some(reason)),
        Verdict::Deny { reason, remedy } => {
            tracing::info!(remedy, "the call was denied");
            let told = format!("this call is not allowed. {reason}");
            Err(record::unexecuted(call, &told, CallStatus::Denied { remedy }).await)
        }
    }
}

async fn judge(call: &Call) -> Verdict {
    let request = GateRequest {
        call: &call.request,
        arguments: &call.arguments,
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
