//! What the expansion of `#[tool]` calls. Not for use by hand: it changes without notice together with tool-macros.
//!
//! The expansion is kept small by doing everything here that does not depend on the tool. What does depend on its types
//! goes through *probes*: method calls that the compiler resolves by autoref to the first candidate whose bounds hold,
//! so that the expansion decides by traits and never by the spelling of a type, and a type that fits no candidate is
//! reported once, by an assertion at the type itself, without follow-up errors.

mod arguments;
mod returned;

pub use arguments::{
    Argument, ArgumentFields, ArgumentProbe, DefaultProbe, assert_argument, decode_fields, object_schema,
};
pub use returned::{Returned, returned};

/// The traits whose methods are the probes, for a glob import: an unused one is no warning.
pub mod probes {
    pub use super::arguments::{IsArgument as _, IsNoArgument as _, IsPublished as _, IsUnpublished as _};
    pub use super::returned::{
        IsAnswer as _, IsDescribed as _, IsEnd as _, IsFallible as _, IsInfallible as _, IsOutcome as _,
        IsSerializable as _, IsUndescribed as _, IsUnserializable as _,
    };
}

pub use schemars::{JsonSchema, Schema, SchemaGenerator};
pub use serde::de::MapAccess;
pub use serde::{Deserialize, Deserializer};
pub use serde_json::Value;
pub use std::borrow::{Borrow, Cow, ToOwned};
pub use std::boxed::Box;
pub use std::clone::Clone;
pub use std::convert::Into;
pub use std::default::Default;
pub use std::future::Future;
pub use std::marker::Send;
pub use std::option::Option;
pub use std::pin::Pin;
pub use std::result::Result;
pub use std::sync::Arc;

pub use crate::annotations::ToolAnnotations;
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
