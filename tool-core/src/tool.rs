//! The typed contract.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;

use crate::annotations::ToolAnnotations;
use crate::behaviour::{ArgumentMode, CallIdentity, ConcurrencyClass, Egress, HistoryPolicy, ResourceClaim};
use crate::error::ToolError;
use crate::output::{ToolOutput, render_owned};
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
    /// Argument properties that bear a runtime coordinate's name and are business fields all the same, by their path
    /// (`workspace`, `job.run_id`). A registry refuses every other [reserved](crate::RESERVED_PROPERTY_NAMES) property.
    const NOT_RUNTIME: &'static [&'static str] = &[];
    /// Argument properties whose values must not be shown, by their path, which reaches through arrays and maps:
    /// `password`, `login.password`, `items.pin`. No message about faulty arguments quotes them, and [`redact`](crate::redact)
    /// takes them out of what is logged or listed. The model is told nothing of it: the schema stays as it is. A registry
    /// refuses a path that leads to no property of the schema, since a misspelt secret would be logged.
    ///
    /// What the tool itself says of them, in its errors and results, in [`prepare`](Self::prepare) or its
    /// [`idempotency_key`](Self::idempotency_key), is up to the tool.
    const SECRETS: &'static [&'static str] = &[];

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

    /// Whether it answers with data that is not for everyone; `None`: not stated.
    fn private_data(&self) -> Option<bool> {
        None
    }

    /// Whether it brings in text that somebody else wrote; `None`: not stated.
    fn untrusted_input(&self) -> Option<bool> {
        None
    }

    /// Whether, and to whom, it sends something out; `None`: not stated.
    fn egress(&self) -> Option<Egress> {
        None
    }

    /// How its calls stand to the other calls of a batch. [`ConcurrencyClass::Resources`] asks
    /// [`resources`](Self::resources) of each call.
    fn concurrency(&self) -> ConcurrencyClass {
        ConcurrencyClass::Serial
    }

    /// What one call reads and writes, under [`ConcurrencyClass::Resources`].
    fn resources(&self, _args: &Self::Args) -> Vec<ResourceClaim> {
        Vec::new()
    }

    /// Whether it needs the run's sandbox for itself.
    fn exclusive_sandbox(&self) -> bool {
        false
    }

    /// How long one call may take; `None` is the runtime's own limit.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// How many characters of a result the model is shown; `None` is the runtime's own limit.
    fn max_result_chars(&self) -> Option<usize> {
        None
    }

    /// Whether it blocks its thread. `#[tool(blocking)]` moves the body to the pool for that; a tool by hand does so itself.
    fn blocking(&self) -> bool {
        false
    }

    /// Whether its failure ends the other calls of its batch.
    fn aborts_siblings_on_error(&self) -> bool {
        false
    }

    /// Whether it counts towards the limit of calls a turn.
    fn counts_toward_call_limit(&self) -> bool {
        true
    }

    /// Whether a call of it is a vote to end the run.
    fn counts_toward_termination_vote(&self) -> bool {
        false
    }

    /// What may become of its results in a long conversation.
    fn history(&self) -> HistoryPolicy {
        HistoryPolicy::default()
    }

    /// How its arguments are read.
    fn argument_mode(&self) -> ArgumentMode {
        ArgumentMode::Lenient
    }

    /// The key under which two calls of a workspace are one: the order's number, say. Needs
    /// [`ToolRecoveryCapability::Idempotent`].
    fn idempotency_key(&self, _args: &Self::Args) -> Option<String> {
        None
    }

    /// What one call is about, so that a runtime can tell that a model goes round in circles.
    fn identity(&self, _args: &Self::Args) -> Option<CallIdentity> {
        None
    }

    /// What the model has to know of this tool's own state once the conversation before it is cut away: the open tasks, the
    /// files that it has written. Read when a conversation is compacted, by `carried_state` (feature `runtime`), in the run's
    /// context ([`ToolContext::current`](crate::ToolContext::current)). `None` or a blank text carries nothing.
    ///
    /// It is told as the tool's words, so no secrets; long ones are cut.
    async fn carried_state(&self) -> Option<String> {
        None
    }

    /// Rewrites the raw arguments before they are decoded: a renamed property of an older prompt, say. Pure.
    fn prepare(&self, arguments: Value) -> Result<Value, ToolError> {
        Ok(arguments)
    }

    /// Whether [`prepare`](Self::prepare) does anything, so that arguments go straight into `Args` where it does not.
    fn prepares(&self) -> bool {
        false
    }

    /// Whether `Args` refuses by itself what serde lets through (arrays for structs, doubled and unknown keys), so that
    /// it need not be looked for. The macro knows it of its own structs.
    #[doc(hidden)]
    fn decodes_strictly() -> bool
    where
        Self: Sized,
    {
        false
    }

    /// What [`call`](Self::call) comes to, as an output. The macro writes it, and `call` as a box around it, so that an
    /// executor that knows the type needs no box.
    #[doc(hidden)]
    fn answer(&self, args: Self::Args) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send
    where
        Self: Sized + 'static,
    {
        async move { render_owned(self.call(args).await?) }
    }

    /// Runs the tool. `Err(ToolError::Failed)` is a failure that the model sees; for the other variants see [`ToolError`].
    async fn call(&self, args: Self::Args) -> Result<Self::Output, ToolError>;
}
