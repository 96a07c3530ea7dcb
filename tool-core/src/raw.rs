//! The erased contract: what a registry holds.

use async_trait::async_trait;
use std::sync::Arc;

use crate::behaviour::{CallIdentity, Concurrency, ConcurrencyClass, ToolBehaviour};
use crate::call::ToolCall;
use crate::descriptor::ToolDescriptor;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::prepared::PreparedCall;
use crate::recovery::ToolRecoveryCapability;
use crate::target::ToolExecutionTarget;

/// A tool without its types. [`erase`](crate::erase) makes one of a [`Tool`](crate::Tool); write it by hand for tools
/// whose arguments are only known at run time, with [`parse_tool_args`](crate::parse_tool_args) and
/// [`render_tool_output`](crate::render_tool_output) as `erase` does.
#[async_trait]
pub trait RawTool: Send + Sync {
    /// The name that a model calls it by.
    fn id(&self) -> &str;

    /// How it is offered to a model. A tool without a descriptor can be called, but is never offered.
    fn descriptor(&self) -> Option<Arc<ToolDescriptor>> {
        None
    }

    /// Where the body runs.
    fn execution_target(&self) -> ToolExecutionTarget {
        ToolExecutionTarget::Brain
    }

    /// What the implementation can truthfully do after its owner died.
    fn recovery_capability(&self) -> ToolRecoveryCapability {
        ToolRecoveryCapability::NonRecoverable
    }

    /// What it declares once for every call.
    fn behaviour(&self) -> ToolBehaviour {
        ToolBehaviour::default()
    }

    /// The paths of the arguments that must not be shown, as [`Tool::SECRETS`](crate::Tool::SECRETS) has them. Those of the
    /// descriptor; a tool without one, whose arguments are secret, says so here.
    fn secrets(&self) -> Vec<String> {
        self.descriptor().map(|descriptor| descriptor.secrets().to_vec()).unwrap_or_default()
    }

    /// How this call stands to the other calls of its batch. Fails where the arguments do not fit the tool.
    fn concurrency(&self, _call: &ToolCall) -> Result<Concurrency, ToolError> {
        Ok(match self.behaviour().concurrency {
            ConcurrencyClass::Parallel => Concurrency::Parallel,
            // A tool that names no resources may touch any.
            ConcurrencyClass::Serial | ConcurrencyClass::Resources => Concurrency::Serial,
        })
    }

    /// The key under which two calls of a workspace are one. Fails where the arguments do not fit the tool.
    fn idempotency_key(&self, _call: &ToolCall) -> Result<Option<String>, ToolError> {
        Ok(None)
    }

    /// What this call is about. Fails where the arguments do not fit the tool.
    fn identity(&self, _call: &ToolCall) -> Result<Option<CallIdentity>, ToolError> {
        Ok(None)
    }

    /// Reads a call's arguments once, for all that is asked of it before and while it runs. `None`, unless it is overridden:
    /// the tool reads them itself each time, and a runtime asks the methods above.
    fn prepare_call(self: Arc<Self>, _call: &ToolCall) -> Option<Result<PreparedCall, ToolError>> {
        None
    }

    /// What the model has to know of this tool's own state once the conversation before it is cut away; see
    /// [`Tool::carried_state`](crate::Tool::carried_state).
    async fn carried_state(&self) -> Option<String> {
        None
    }

    /// Runs one call. The output's `call_id` may be left empty: who dispatches the call writes it in.
    async fn invoke(&self, call: ToolCall) -> Result<ToolOutput, ToolError>;

    /// [`invoke`](Self::invoke) of a call that is only lent, as a registry has it: an erased tool needs no copy of it.
    #[doc(hidden)]
    async fn invoke_lent(&self, call: &ToolCall) -> Result<ToolOutput, ToolError> {
        self.invoke(call.clone()).await
    }
}
