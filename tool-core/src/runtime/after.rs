//! After the tool: what hooks make of a recorded result.

use std::pin::pin;

use super::call::Call;
use super::report::{CallReport, CallStatus};
use crate::contain::{self, Panicked};
use crate::hook::{FinishedCall, HookReaction};
use crate::ledger::Recorded;
use crate::output::ToolOutput;

/// Asks the hooks, and commits what they say.
pub(super) async fn hooks(call: &Call, output: ToolOutput) -> Box<CallReport> {
    let reaction = react(call, &output).await;
    finished(call, output, reaction, false)
}

/// A result that was recorded earlier. Its hooks are asked only where their reaction was not committed then.
pub(super) async fn replayed(call: &Call, recorded: Recorded) -> Box<CallReport> {
    let Recorded { operation, output, reaction } = recorded;
    let reaction = match reaction {
        Some(reaction) => reaction,
        // Under an idempotency key the result is another operation's, and so are its hooks.
        None if operation != call.operation => HookReaction::none(),
        None => react(call, &output).await,
    };
    finished(call, output, reaction, true)
}

fn finished(call: &Call, output: ToolOutput, reaction: HookReaction, replayed: bool) -> Box<CallReport> {
    let mut report = call.stop(output, CallStatus::Finished { replayed });
    report.reminders = reaction.reminders;
    report
}

async fn react(call: &Call, output: &ToolOutput) -> HookReaction {
    let finished = FinishedCall {
        operation: &call.operation,
        call: &call.request,
        descriptor: Some(&call.planned.descriptor),
        output,
    };
    let mut reaction = HookReaction::none();
    for hook in &call.inner().hooks {
        match contain::caught(pin!(async { hook.after_tool(&finished).await })).await {
            Ok(Ok(more)) => reaction = reaction.then(more),
            Ok(Err(error)) => tracing::warn!(%error, "an after-tool hook failed"),
            Err(Panicked) => tracing::warn!("an after-tool hook panicked"),
        }
    }
    if reaction.is_empty() {
        return reaction;
    }
    match call.inner().ledger.react(&call.operation, &reaction).await {
        Ok(()) => {
            call.run.state.apply(&reaction.state);
            reaction
        }
        Err(error) => {
            tracing::error!(%error, "the reaction of the hooks could not be recorded: they are asked again");
            HookReaction::none()
        }
    }
}
