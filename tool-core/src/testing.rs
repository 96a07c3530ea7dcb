//! For tests of tools: calling one as a model would, a context for direct calls, and a snapshot of what providers see.
//!
//! ```
//! use tool_core::{testing, tool};
//!
//! /// Greets.
//! #[tool]
//! fn greet(name: &str) -> String {
//!     format!("Hello, {name}!")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! assert_eq!(testing::call(Greet, r#"{"name": "Ada"}"#).await.unwrap().text(), "Hello, Ada!");
//! assert_eq!(testing::told(Greet, "{}").await, "Invalid arguments: `name`: required, but missing");
//! # }
//! ```

#[cfg(feature = "export")]
use serde_json::{Map, Value, json};
#[cfg(feature = "cancellation")]
use tokio_util::sync::CancellationToken;

use crate::call::{ToolArguments, ToolCall};
use crate::context::ToolContext;
use crate::coordinates::{OperationId, RunId, ThreadId, WorkspaceId};
#[cfg(feature = "export")]
use crate::descriptor::ToolDescriptor;
use crate::erase::erase;
use crate::error::ToolError;
#[cfg(feature = "export")]
use crate::export::ExportFormat;
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;
use crate::registry::{RawToolRegistry, RegistryProblems};
use crate::tool::Tool;

/// Calls a tool with JSON as a model would: through a registry, so that what is wrong with the tool itself shows too.
///
/// A failure of the tool itself is an output, as a model sees it: look at `is_error` before you trust a text. The call's id
/// is `test`. Its context is the current one: wrap the call into [`ContextBuilder::scope`] for another.
pub async fn call<T: Tool + 'static>(tool: T, arguments: impl Into<ToolArguments>) -> Result<ToolOutput, ToolError> {
    let registry = registry(tool).map_err(|problems| ToolError::unknown(T::ID, problems.to_string()))?;
    registry.dispatch(&ToolCall::new("test", T::ID, arguments)).await
}

/// What a model is told of a call: the text of its output, or of its refusal.
pub async fn told<T: Tool + 'static>(tool: T, arguments: impl Into<ToolArguments>) -> String {
    match call(tool, arguments).await {
        Ok(output) => output.text().into_owned(),
        Err(error) => ToolOutput::for_error(&error).text().into_owned(),
    }
}

fn registry<T: Tool + 'static>(tool: T) -> Result<RawToolRegistry, RegistryProblems> {
    RawToolRegistry::try_new([erase(tool)])
}

/// A descriptor's canonical schema and its export in every format, with what each finds, as one text: keep it beside a test
/// and compare, and a changed tool shows as what every provider will see of it.
///
/// ```
/// # use tool_core::{ToolDescriptor, testing, tool};
/// /// Greets.
/// #[tool]
/// fn greet(name: &str) -> String {
///     format!("Hello, {name}!")
/// }
///
/// let snapshot = testing::snapshot(&ToolDescriptor::for_tool::<Greet>("local"));
/// assert!(snapshot.contains("\"openai-strict\""));
/// assert_eq!(snapshot, testing::snapshot(&ToolDescriptor::for_tool::<Greet>("local")));
/// ```
#[cfg(feature = "export")]
pub fn snapshot(descriptor: &ToolDescriptor) -> String {
    let exports: Map<String, Value> = ExportFormat::ALL
        .into_iter()
        .map(|format| {
            let export = descriptor.export(format);
            let findings = export.findings.iter().map(|finding| {
                Value::from(format!("{}[{}] {}: {}", finding.severity, finding.rule, finding.path, finding.message))
            });
            (format.to_string(), json!({"findings": findings.collect::<Vec<_>>(), "tool": export.tool}))
        })
        .collect();
    let mut snapshot = json!({"canonical": descriptor.input_schema(), "exports": exports});
    snapshot.sort_all_objects(); // the same text, whatever serde_json's features
    format!("{snapshot:#}\n")
}

/// Builds a [`ToolContext`] for a direct call of a function with `#[context]`.
///
/// ```
/// use tool_core::testing::ContextBuilder;
///
/// let cx = ContextBuilder::new().run("r7").build();
/// assert_eq!(cx.run_id().unwrap().as_str(), "r7");
/// assert!(cx.operation_token().is_some());
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ContextBuilder {
    workspace: String,
    thread: String,
    run: String,
    operation: OperationId,
    context: ToolContext,
}

impl Default for ContextBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ContextBuilder {
    /// A context inside a run, whose coordinates are named for themselves: `test-run` and so on.
    pub fn new() -> Self {
        let [workspace, thread, run] = ["test-workspace", "test-thread", "test-run"].map(str::to_owned);
        Self { workspace, thread, run, operation: OperationId::at(0, 0), context: ToolContext::detached() }
    }

    /// In this workspace.
    pub fn workspace(mut self, id: impl Into<String>) -> Self {
        self.workspace = id.into();
        self
    }

    /// In this conversation.
    pub fn thread(mut self, id: impl Into<String>) -> Self {
        self.thread = id.into();
        self
    }

    /// In this run.
    pub fn run(mut self, id: impl Into<String>) -> Self {
        self.run = id.into();
        self
    }

    /// As the operation at `position` of the batch of `step`.
    pub fn operation(mut self, step: u64, position: u32) -> Self {
        self.operation = OperationId::at(step, position);
        self
    }

    /// Stopped when `token` is cancelled. Needs the feature `cancellation`.
    #[cfg(feature = "cancellation")]
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.context = self.context.with_cancellation(token);
        self
    }

    /// The context.
    pub fn build(self) -> ToolContext {
        let operation = ToolOperationContext::new(
            WorkspaceId::new(self.workspace),
            ThreadId::new(self.thread),
            RunId::new(self.run),
            self.operation,
        );
        self.context.with_operation(operation)
    }

    /// Runs `future` with the context as the current one.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        self.build().scope(future).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::current_tool_operation_context;
    use crate::tool::Tool;

    struct Whereabouts;

    #[async_trait::async_trait]
    impl Tool for Whereabouts {
        type Args = ();
        type Output = String;
        const ID: &'static str = "whereabouts";
        const DESCRIPTION: &'static str = "Tells where it runs.";

        async fn call(&self, (): ()) -> Result<String, ToolError> {
            let operation = current_tool_operation_context().ok_or_else(|| ToolError::failed("nowhere"))?;
            Ok(format!("{} {}", operation.run_id(), operation.operation_id()))
        }
    }

    #[tokio::test]
    async fn a_tool_is_called_in_the_context_of_the_test() {
        assert_eq!(told(Whereabouts, "").await, "nowhere");
        let inside = ContextBuilder::new().operation(3, 1).scope(call(Whereabouts, "{}")).await.unwrap();
        assert_eq!((inside.text().as_ref(), inside.call_id.as_str()), ("test-run step-3/call-1", "test"));
        assert_eq!(told(Whereabouts, "[]").await, "Invalid arguments: expected a JSON object, got an array");
    }

    #[test]
    fn a_built_context_has_what_it_was_given() {
        let token = CancellationToken::new();
        let cx = ContextBuilder::new().workspace("w").thread("t").cancelled_by(token.clone()).build();
        assert_eq!(cx.workspace_id().map(WorkspaceId::as_str), Some("w"));
        assert_eq!(cx.thread_id().map(ThreadId::as_str), Some("t"));
        assert!(!cx.is_cancelled());
        token.cancel();
        assert!(cx.is_cancelled());
    }
}
