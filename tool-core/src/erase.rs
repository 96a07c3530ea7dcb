//! From a typed tool to an erased one.

use async_trait::async_trait;
use std::sync::{Arc, OnceLock};

use crate::args::{ArgumentParser, Parsed};
use crate::behaviour::{CallIdentity, Concurrency, ConcurrencyClass, ToolBehaviour};
use crate::call::ToolCall;
use crate::descriptor::ToolDescriptor;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::prepared::PreparedCall;
use crate::raw::RawTool;
use crate::recovery::ToolRecoveryCapability;
use crate::schema;
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
    Arc::new(Erased { tool, prefix: prefix.into(), prepared: OnceLock::new() })
}

struct Erased<T> {
    tool: T,
    prefix: String,
    // Made when it is first asked for, so that a program that never lists its tools generates no schema.
    prepared: OnceLock<Prepared>,
}

/// What follows from the tool's schema, once for all calls.
struct Prepared {
    descriptor: Arc<ToolDescriptor>,
    parser: Option<ArgumentParser>,
}

impl<T: Tool + 'static> Erased<T> {
    fn prepared(&self) -> &Prepared {
        self.prepared.get_or_init(|| {
            let tool = &self.tool;
            let (descriptor, unkept) = ToolDescriptor::of_tool::<T>(&self.prefix);
            let descriptor = descriptor
                .with_title(tool.title().map(str::to_owned))
                .with_recovery_capability(tool.recovery_capability())
                .with_execution_target(tool.execution_target())
                .with_annotations(tool.annotations())
                .with_behaviour(self.behaviour());
            let canonical = descriptor.input_schema();
            let broken = schema::misplaced_constraint(canonical).or(unkept);
            let (parser, unenforceable) = match ArgumentParser::new(canonical) {
                Ok(_) if broken.is_some() => (None, broken),
                Ok(parser) => {
                    let parser = parser.with_mode(tool.argument_mode()).with_strict_decoder(T::decodes_strictly());
                    let parser = parser.with_secrets(T::SECRETS);
                    (Some(parser), None)
                }
                Err(reason) => (None, Some(reason.to_string())),
            };
            Prepared { descriptor: Arc::new(descriptor.with_unenforceable(unenforceable)), parser }
        })
    }

    /// The one way from a call to the tool's arguments.
    fn parse(&self, call: &ToolCall) -> Result<Parsed<T::Args>, ToolError> {
        match self.decode(call) {
            Some(args) => Ok(Parsed::clean(args)),
            None => self.parse_with_care(call),
        }
    }

    /// The arguments, where they are right as they stand.
    #[inline]
    fn decode(&self, call: &ToolCall) -> Option<T::Args> {
        if self.tool.prepares() { None } else { self.prepared().parser.as_ref()?.decode(&call.arguments) }
    }

    #[cold]
    fn parse_with_care(&self, call: &ToolCall) -> Result<Parsed<T::Args>, ToolError> {
        let Prepared { descriptor, parser } = self.prepared();
        let Some(parser) = parser else {
            let reason = descriptor.unenforceable().unwrap_or_default();
            return Err(ToolError::unknown(T::ID, format!("its schema cannot be enforced: {reason}")));
        };
        let parsed = if self.tool.prepares() {
            parser.parse_prepared(&call.arguments, |arguments| self.tool.prepare(arguments))
        } else {
            parser.parse_with_care(&call.arguments)
        }?;
        for repair in &parsed.repairs {
            // A path ends where a secret begins.
            tracing::debug!(tool = T::ID, call = &*call.call_id, path = repair.path, rule = %repair.rule, "argument repaired");
        }
        Ok(parsed)
    }
}

#[async_trait]
impl<T: Tool + 'static> RawTool for Erased<T> {
    fn id(&self) -> &str {
        T::ID
    }

    fn descriptor(&self) -> Option<Arc<ToolDescriptor>> {
        Some(Arc::clone(&self.prepared().descriptor))
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

    fn secrets(&self) -> Vec<String> {
        T::SECRETS.iter().map(|path| (*path).to_owned()).collect()
    }

    fn concurrency(&self, call: &ToolCall) -> Result<Concurrency, ToolError> {
        Ok(match self.tool.concurrency() {
            ConcurrencyClass::Serial => Concurrency::Serial,
            ConcurrencyClass::Parallel => Concurrency::Parallel,
            ConcurrencyClass::Resources => Concurrency::Resources(self.tool.resources(&self.parse(call)?.args)),
        })
    }

    fn idempotency_key(&self, call: &ToolCall) -> Result<Option<String>, ToolError> {
        Ok(self.tool.idempotency_key(&self.parse(call)?.args))
    }

    fn identity(&self, call: &ToolCall) -> Result<Option<CallIdentity>, ToolError> {
        Ok(self.tool.identity(&self.parse(call)?.args))
    }

    fn prepare_call(self: Arc<Self>, call: &ToolCall) -> Option<Result<PreparedCall, ToolError>> {
        Some(self.parse(call).map(|Parsed { args, repairs, rewritten, .. }| {
            let tool = &self.tool;
            PreparedCall {
                arguments: rewritten.map_or_else(|| call.arguments.as_json(), Into::into),
                concurrency: match tool.concurrency() {
                    ConcurrencyClass::Serial => Concurrency::Serial,
                    ConcurrencyClass::Parallel => Concurrency::Parallel,
                    ConcurrencyClass::Resources => Concurrency::Resources(tool.resources(&args)),
                },
                idempotency_key: tool.idempotency_key(&args),
                identity: tool.identity(&args),
                repairs: repairs.clone(),
                body: Box::pin(async move { Ok(ToolOutput { repairs, ..self.tool.answer(args).await? }) }),
            }
        }))
    }

    async fn carried_state(&self) -> Option<String> {
        self.tool.carried_state().await
    }

    async fn invoke(&self, call: ToolCall) -> Result<ToolOutput, ToolError> {
        self.invoke_lent(&call).await
    }

    async fn invoke_lent(&self, call: &ToolCall) -> Result<ToolOutput, ToolError> {
        if let Some(args) = self.decode(call) {
            return self.tool.answer(args).await;
        }
        let Parsed { args, repairs, .. } = self.parse_with_care(call)?;
        let mut answer = Box::pin(self.tool.answer(args)).await;
        if let Ok(output) = &mut answer {
            output.repairs = repairs;
        }
        answer
    }
}
