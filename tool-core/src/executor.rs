//! Where calls go.

use async_trait::async_trait;

use crate::call::ToolCall;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::recovery::ToolRecoveryCapability;

/// Executes calls of tools by their ids: a [`RawToolRegistry`](crate::RawToolRegistry) does, and so does whatever
/// carries calls to another process or machine.
#[async_trait]
pub trait ToolExecutor: Send + Sync {
    /// What the tool `tool_id` can truthfully do after its owner died; `NonRecoverable` where there is no such tool.
    fn recovery_capability(&self, tool_id: &str) -> ToolRecoveryCapability;

    /// Executes one call. The output answers `call.call_id`; a tool's own failure is an output with `is_error`.
    async fn invoke(&self, call: &ToolCall) -> Result<ToolOutput, ToolError>;
}
