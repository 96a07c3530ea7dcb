//! What may be an argument of a `#[tool]` function.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// A type that a model may write: read from JSON, and described by a JSON Schema. Every type that implements
/// `serde::Deserialize` and `schemars::JsonSchema` is one; the runtime's coordinates ([`RunId`](crate::RunId) and its kin) never are.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool argument",
    label = "a model writes this parameter as JSON, and this type cannot be read from it",
    note = "a type that a model may write derives `serde::Deserialize` and `schemars::JsonSchema`",
    note = "a runtime coordinate (`RunId`, `ThreadId`, `WorkspaceId`, `OperationId`, the operation token) is never an \
            argument: read it from `#[context] cx: &ToolContext`",
    note = "the tool's own services are marked `#[state]`, the context `#[context]`: neither is shown to the model"
)]
pub trait ToolArgument: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> ToolArgument for T {}
