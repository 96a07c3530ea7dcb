//! From a typed tool to an erased one.

use async_trait::async_trait;
use std::sync::{Arc, OnceLock};

use crate::args::parse_tool_args;
use crate::behaviour::{CallIdentity, Concurrency, ConcurrencyClass, ToolBehaviour};
use crate::call::ToolCall;
use crate::descriptor::ToolDescriptor;
use crate::error::ToolError;
use crate::output::{ToolOutput, render_owned};
use crate::raw::RawTool;
use crate::recovery::ToolRecoveryCapability;
use crate::target::ToolExecutionTarget;
use crate::tool::Tool;

/// Where a tool comes from that is part of the program itself.
const LOCAL_PREFIX: &str = "local";

/// Erases a tool's types, so that a registry can hold it: the only adapter from [`Tool`] to [`RawTool`].
///
/// Its descriptor has the prefix `local`; [`erase_with_prefix`] sets another.
pub fn erase<T: Tool + 'static>(tool: T) -> Arc<dyn RawTool> {
    erase_with_prefix(LOCAL_PREFIX, tool)
}

/// [`erase`], with `prefix` naming where the tool comes from.
pub fn erase_with_prefix<T: Tool + 'static>(prefix: impl Into<String>, tool: T) -> Arc<dyn RawTool> {
    Arc::new(Erased { tool, prefix: prefix.into(), descriptor: OnceLock::new() })
}

struct Erased<T> {
    tool: T,
    prefix: String,
    // Made when it is first asked for, so that a program that never lists its tools generates no schema.
    descriptor: OnceLock<Arc<ToolDescriptor>>,
}

impl<T: Tool + 'static> Erased<T> {
    /// The one way from a call to the tool's arguments.
    fn parse(&self, call: &ToolCall) -> Result<T::Args, ToolError> {
        if self.tool.prepares() {
            let prepared = self.tool.prepare(parse_tool_args(&call.arguments)?)?;
            return parse_tool_args(&prepared.into());
        }
        parse_tool_args(&call.arguments)
    }
}

#[async_trait]
impl<T: Tool + 'static> RawTool for Erased<T> {
    fn id(&self) -> &str {
        T::ID
    }

    fn descriptor(&self) -> Option<Arc<ToolDescriptor>> {
        let descriptor = self.descriptor.get_or_init(|| {
            let tool = &self.tool;
            let descriptor = ToolDescriptor::for_tool::<T>(&self.prefix)
                .with_title(tool.title().map(str::to_owned))
                .with_recovery_capability(tool.recovery_capability())
                .with_execution_target(tool.execution_target())
                .with_annotations(tool.annotations())
                .with_behaviour(self.behaviour());
            Arc::new(descriptor)
        });
        Some(Arc::clone(descriptor))
    }

    fn execution_target(&self) -> ToolExecutionTarget {
        self.tool.execution_target()
    }

    fn recovery_capability(&self) -> ToolRecoveryCapability {
        self.tool.recovery_capability()
    }

    fn behaviour(&self) -> ToolBehaviour {
        let tool = &self.tool;
        ToolBehaviour {
            private_data: tool.private_data(),
            untrusted_input: tool.untrusted_input(),
            egress: tool.egress(),
            concurrency: tool.concurrency(),
            exclusive_sandbox: tool.exclusive_sandbox(),
            timeout: tool.timeout(),
            max_result_chars: tool.max_result_chars(),
            blocking: tool.blocking(),
            aborts_siblings_on_error: tool.aborts_siblings_on_error(),
            counts_toward_call_limit: tool.counts_toward_call_limit(),
            counts_toward_termination_vote: tool.counts_toward_termination_vote(),
            argument_mode: tool.argument_mode(),
            history: tool.history(),
        }
    }

    fn concurrency(&self, call: &ToolCall) -> Result<Concurrency, ToolError> {
        Ok(match self.tool.concurrency() {
            ConcurrencyClass::Serial => Concurrency::Serial,
            ConcurrencyClass::Parallel => Concurrency::Parallel,
            ConcurrencyClass::Resources => Concurrency::Resources(self.tool.resources(&self.parse(call)?)),
        })
    }

    fn idempotency_key(&self, call: &ToolCall) -> Result<Option<String>, ToolError> {
        Ok(self.tool.idempotency_key(&self.parse(call)?))
    }

    fn identity(&self, call: &ToolCall) -> Result<Option<CallIdentity>, ToolError> {
        Ok(self.tool.identity(&self.parse(call)?))
    }

    async fn invoke(&self, call: ToolCall) -> Result<ToolOutput, ToolError> {
        let args = self.parse(&call)?;
        let output = render_owned(self.tool.call(args).await?)?;
        Ok(output.with_call_id(call.call_id))
    }
}
