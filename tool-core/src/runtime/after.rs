//! After the tool: what hooks make of a recorded result.

use std::pin::pin;

use super::call::{Call, Stop};
use super::report::{CallStatus, Ending};
use crate::contain::{self, Panicked};
use crate::hook::{FinishedCall, HookReaction};
use crate::ledger::Recorded;
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;

/// Asks the hooks, and commits what they say.
///
/// `operation` is the one that was executed: under an idempotency key perhaps another than the call's own.
pub(super) async fn hooks(call: &Call, operation: &ToolOperationContext, ending: &mut Ending) {
    if !call.inner().hooks.is_empty() {
        ending.reminders = react(call, operation, &ending.output).await.reminders;
    }
}

/// A result that was recorded earlier. Its hooks are asked only where their reaction was not committed then.
pub(super) async fn replayed(call: &Call, recorded: Recorded) -> Stop {
    let Recorded { operation, output, reaction } = recorded;
    // Whoever executed it, perhaps another process, has committed either, and one reading follows both.
    let reacted = reaction.as_ref().map_or(&[][..], |reaction| &reaction.state);
    call.follow(&operation, if output.state.is_empty() { reacted } else { &output.state }).await;
    let reaction = match reaction {
        Some(reaction) => reaction,
        // Under an idempotency key the result is another operation's, and so are its hooks.
        None if operation != *call.operation() => HookReaction::none(),
        None => react(call, &operation, &output).await,
    };
    let mut ending = Ending::of(output, CallStatus::Finished { replayed: true });
    ending.reminders = reaction.reminders;
    ending
}

async fn react(call: &Call, operation: &ToolOperationContext, output: &ToolOutput) -> HookReaction {
    let finished = FinishedCall { operation, call: call.request(), descriptor: Some(&call.planned.descriptor), output };
    let mut reaction = HookReaction::none();
    for hook in &call.inner().hooks {
        match call.unless_over(contain::caught(pin!(async { hook.after_tool(&finished).await }))).await {
            Some(Ok(Ok(more))) => reaction = reaction.then(more),
            Some(Ok(Err(error))) => tracing::warn!(%error, "an after-tool hook failed"),
            Some(Err(Panicked)) => tracing::warn!("an after-tool hook panicked"),
            None => tracing::warn!("an after-tool hook did not end in the step's time"),
        }
    }
    if reaction.is_empty() {
        return reaction;
    }
    match call.inner().ledger.react(operation, &reaction).await {
        // Somebody else may have asked them at the same time: what counts is what was committed.
        Ok(committed) => {
            call.follow(operation, &committed.state).await;
            committed
        }
        Err(error) => {
            tracing::error!(%error, "the reaction of the hooks could not be recorded: they are asked again");
            HookReaction::none()
        }
    }
}
