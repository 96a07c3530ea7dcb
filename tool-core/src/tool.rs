//! The typed contract.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::annotations::ToolAnnotations;
use crate::error::ToolError;
use crate::recovery::ToolRecoveryCapability;
use crate::target::ToolExecutionTarget;

/// A tool with its own argument and output types. [`#[tool]`](macro@crate::tool) writes this implementation; by hand
/// it looks like this, and is nothing less:
///
/// ```
/// use tool_core::{Tool, ToolError, async_trait};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// #[serde(deny_unknown_fields)]
/// struct GreetArgs { name: String }
///
/// #[derive(serde::Serialize)]
/// struct Greeting { greeting: String }
///
/// struct Greet;
///
/// #[async_trait]
/// impl Tool for Greet {
///     type Args = GreetArgs;
///     type Output = Greeting;
///     const ID: &'static str = "greet";
///     const DESCRIPTION: &'static str = "Greets a person by name.";
///
///     async fn call(&self, args: GreetArgs) -> Result<Greeting, ToolError> {
///         Ok(Greeting { greeting: format!("Hello, {}!", args.name) })
///     }
/// }
/// ```
///
/// The contract: `Args` holds what the model writes and nothing of the runtime; whatever its schema advertises, its
/// decoder enforces; `call` claims no more recovery than it can keep. Every provided method has the conservative default.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What the model writes: a JSON object.
    type Args: DeserializeOwned + JsonSchema + Send;
    /// What the tool returns. [`ToolOutput`](crate::ToolOutput), [`ContentBlock`](crate::ContentBlock) and a `Vec` of
    /// blocks reach the model as they are, any other type as [`render_tool_output`](crate::render_tool_output) says.
    type Output: Serialize + Send;
    /// The name that a model calls it by: 1 to 128 of `A-Z a-z 0-9 _ - .` (the rule of MCP).
    const ID: &'static str;
    /// What the model is told of it: what it does, when to use it, what it answers.
    const DESCRIPTION: &'static str;
    /// Argument properties that bear a runtime coordinate's name and are business fields all the same, by wire name.
    /// A registry refuses every other [reserved](crate::RESERVED_PROPERTY_NAMES) property.
    const NOT_RUNTIME: &'static [&'static str] = &[];

    /// The JSON Schema of the structured result, where there is one.
    fn output_schema() -> Option<Value>
    where
        Self: Sized,
    {
        None
    }

    /// The name that people see.
    fn title(&self) -> Option<&str> {
        None
    }

    /// What the implementation can truthfully do after its owner died.
    fn recovery_capability(&self) -> ToolRecoveryCapability {
        ToolRecoveryCapability::NonRecoverable
    }

    /// Where the body runs.
    fn execution_target(&self) -> ToolExecutionTarget {
        ToolExecutionTarget::Brain
    }

    /// What it says of its behaviour.
    fn annotations(&self) -> ToolAnnotations {
        ToolAnnotations::new()
    }

    /// Runs the tool. `Err(ToolError::Failed)` is a failure that the model sees; for the other variants see [`ToolError`].
    async fn call(&self, args: Self::Args) -> Result<Self::Output, ToolError>;
}
