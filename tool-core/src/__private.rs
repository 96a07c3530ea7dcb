//! What the expansion of `#[tool]` calls. Not for use by hand: it changes without notice together with tool-macros.
//!
//! The expansion is kept small by doing everything here that does not depend on the tool. What does depend on its types
//! goes through *probes*: method calls that the compiler resolves by autoref to the first candidate whose bounds hold,
//! so that the expansion decides by traits and never by the spelling of a type, and a type that fits no candidate is
//! reported once, by an assertion at the type itself, without follow-up errors.

mod arguments;
mod constraints;
mod returned;
mod strict;

pub use arguments::{
    Argument, ArgumentFields, ArgumentProbe, DefaultProbe, assert_argument, decode_fields, next_field, object_schema,
};
pub use constraints::Property;
pub use returned::{Returned, returned};
pub use strict::StrictProbe;

/// The traits whose methods are the probes, for a glob import: an unused one is no warning.
pub mod probes {
    pub use super::arguments::{IsArgument as _, IsNoArgument as _, IsPublished as _, IsUnpublished as _};
    pub use super::returned::{
        IsAnswer as _, IsDescribed as _, IsEnd as _, IsFallible as _, IsInfallible as _, IsOutcome as _,
        IsSerializable as _, IsTwiceFallible as _, IsUndescribed as _, IsUnserializable as _,
    };
    pub use super::strict::{IsStrict as _, IsUnknown as _};
}

pub use schemars::{JsonSchema, Schema, SchemaGenerator};
pub use serde::de::MapAccess;
pub use serde::{Deserialize, Deserializer};
pub use serde_json::Value;
pub use std::any::type_name;
pub use std::borrow::Cow;
pub use std::boxed::Box;
pub use std::clone::Clone;
pub use std::convert::Into;
/// `Into` where it stands in the author's place, under a name that is in nobody's scope: the lint `unused_qualifications` looks
/// for one that is.
pub use std::convert::Into as FromText;
pub use std::default::Default;
pub use std::future::Future;
pub use std::marker::{PhantomData, Send, Sized, Sync};
pub use std::option::Option;
pub use std::pin::Pin;
pub use std::primitive::{bool, str, usize};
pub use std::result::Result;
pub use std::string::{String, ToString};
pub use std::sync::Arc;
pub use std::time::Duration;
pub use std::vec::Vec;

pub use crate::annotations::ToolAnnotations;
pub use crate::behaviour::{ArgumentMode, CallIdentity, ConcurrencyClass, Egress, HistoryPolicy, ResourceClaim};
pub use crate::context::ToolContext;
pub use crate::error::ToolError;
pub use crate::output::ToolOutput;
pub use crate::recovery::ToolRecoveryCapability;
pub use crate::target::ToolExecutionTarget;
pub use crate::tool::Tool;

/// The argument type of the stub that stands for a tool whose `#[tool]` has mistakes.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
pub struct StubArgs {}

/// What a stub answers. The mistakes that made it a stub stop the build, so that it never runs.
pub fn stub_answer() -> Result<ToolOutput, ToolError> {
    Err(ToolError::unavailable("this tool did not compile"))
}

/// What calls share: any type that several of them may use at once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's state",
    label = "calls run beside each other and share it, which this type does not allow",
    note = "a tool's state is `Send + Sync + 'static`: put what changes behind a `Mutex` or an atomic in it"
)]
pub trait StateFor<'a>: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> StateFor<'_> for T {}

/// Does not compile for a type that calls cannot share.
pub const fn assert_state<T: ?Sized + for<'a> StateFor<'a>>() {}

/// A history policy, which cannot be written as a struct outside tool-core.
pub fn history(deduplicate_by: Vec<Cow<'static, str>>, compact: bool, pin: bool) -> HistoryPolicy {
    HistoryPolicy { deduplicate_by, compact, pin }
}

/// Whether a text is 1 to 128 of `A-Z a-z 0-9 _ - .`, MCP's rule for a tool's name. For ids that are computed: the macro
/// reports a literal itself.
pub const fn is_tool_id(id: &str) -> bool {
    let bytes = id.as_bytes();
    let mut position = 0;
    while position < bytes.len() {
        if !(bytes[position].is_ascii_alphanumeric() || matches!(bytes[position], b'_' | b'-' | b'.')) {
            return false;
        }
        position += 1;
    }
    !bytes.is_empty() && bytes.len() <= 128
}

/// Runs the body of a `blocking` tool on the pool for that, inside the context of the call.
pub async fn blocking<F>(body: F) -> Result<ToolOutput, ToolError>
where
    F: FnOnce(ToolContext) -> Result<ToolOutput, ToolError> + Send + 'static,
{
    let context = ToolContext::current();
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return Err(ToolError::unavailable("a blocking tool needs a Tokio runtime to run in"));
    };
    match runtime.spawn_blocking(move || context.clone().sync_scope(|| body(context))).await {
        Ok(outcome) => outcome,
        // The panic goes on where it would have gone in a tool that does not block.
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(ToolError::execution("the blocking tool was cancelled by the runtime's end")),
        },
    }
}
