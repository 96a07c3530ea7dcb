//! From what a `#[tool]` function returns to a [`ToolOutput`], decided by its traits.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::marker::PhantomData;

use crate::error::{ToolError, ToolFailure};
use crate::output::{IntoToolOutput, Outcome, ToolOutput, ToolResult, render_tool_output};
use crate::schema::output_schema;

/// Asks what a function returns; `(&&&Returned::<R>::NEW).__tool_outcome()` tells a `Result`, under whatever name, from a plain value.
pub struct Returned<R>(PhantomData<fn() -> R>);

impl<R> Returned<R> {
    /// The question.
    pub const NEW: Self = Self(PhantomData);
}

/// The question about the type of a value.
pub fn returned<R>(_: &R) -> Returned<R> {
    Returned::NEW
}

/// Chosen for a `Result`. No bound on `E` here: a bounded arm would let a result that is itself `Serialize` through as
/// a plain value, and print `{"Err": …}` as a success.
pub trait IsFallible<T, E> {
    /// A `Result`.
    fn __tool_outcome(&self) -> Fallible<T, E>;
}

impl<T, E> IsFallible<T, E> for &Returned<Result<T, E>> {
    fn __tool_outcome(&self) -> Fallible<T, E> {
        Fallible(PhantomData)
    }
}

/// Chosen for everything else.
pub trait IsInfallible<T> {
    /// A plain value.
    fn __tool_outcome(&self) -> Infallible<T>;
}

impl<T> IsInfallible<T> for Returned<T> {
    fn __tool_outcome(&self) -> Infallible<T> {
        Infallible(PhantomData)
    }
}

/// A function that returns `Result<T, E>`.
pub struct Fallible<T, E>(PhantomData<fn() -> (T, E)>);

impl<T, E> Fallible<T, E> {
    /// The success, or the error as the runtime sees it.
    pub fn split(self, returned: Result<T, E>) -> Result<T, ToolError>
    where
        E: ToolFailure,
    {
        returned.map_err(E::into_tool_error)
    }

    /// Does not compile for a success that cannot be shown to a model.
    pub fn assert_result(self)
    where
        T: ToolResult,
    {
    }

    /// The type of the success.
    pub fn success(self) -> Returned<T> {
        Returned::NEW
    }
}

/// A function that returns a `Result` in a `Result`, as a timeout around one does: chosen first, so that the inner error is
/// no success.
pub trait IsTwiceFallible<T, E, F> {
    /// Two `Result`s.
    fn __tool_outcome(&self) -> TwiceFallible<T, E, F>;
}

impl<T, E, F> IsTwiceFallible<T, E, F> for &&Returned<Result<Result<T, E>, F>> {
    fn __tool_outcome(&self) -> TwiceFallible<T, E, F> {
        TwiceFallible(PhantomData)
    }
}

/// A function that returns `Result<Result<T, E>, F>`.
#[allow(clippy::type_complexity)] // a marker of three types
pub struct TwiceFallible<T, E, F>(PhantomData<fn() -> (T, E, F)>);

impl<T, E, F> TwiceFallible<T, E, F> {
    /// The success, or either error as the runtime sees it.
    pub fn split(self, returned: Result<Result<T, E>, F>) -> Result<T, ToolError>
    where
        E: ToolFailure,
        F: ToolFailure,
    {
        returned.map_err(F::into_tool_error)?.map_err(E::into_tool_error)
    }

    /// Does not compile for a success that cannot be shown to a model.
    pub fn assert_result(self)
    where
        T: ToolResult,
    {
    }

    /// The type of the success.
    pub fn success(self) -> Returned<T> {
        Returned::NEW
    }
}

/// A function that returns a plain `T`.
pub struct Infallible<T>(PhantomData<fn() -> T>);

impl<T> Infallible<T> {
    /// The value.
    pub fn split(self, returned: T) -> Result<T, ToolError> {
        Ok(returned)
    }

    /// Does not compile for a value that cannot be shown to a model.
    pub fn assert_result(self)
    where
        T: ToolResult,
    {
    }
}

impl<T> Infallible<T> {
    /// The type itself.
    pub fn success(self) -> Returned<T> {
        Returned::NEW
    }
}

/// Chosen for an [`Outcome`], which may be a wait: `(&&returned(&value)).__tool_end()`.
pub trait IsOutcome<T> {
    /// An outcome.
    fn __tool_end(&self) -> MayWait<T>;
}

impl<T> IsOutcome<T> for &Returned<Outcome<T>> {
    fn __tool_end(&self) -> MayWait<T> {
        MayWait(PhantomData)
    }
}

/// Chosen for everything else, which has come to its end.
pub trait IsEnd<T> {
    /// An end.
    fn __tool_end(&self) -> Ended<T>;
}

impl<T> IsEnd<T> for Returned<T> {
    fn __tool_end(&self) -> Ended<T> {
        Ended(PhantomData)
    }
}

/// A function that may wait.
pub struct MayWait<T>(PhantomData<fn() -> T>);

impl<T> MayWait<T> {
    /// The output, or what the call becomes while it waits.
    pub fn settle(self, value: Outcome<T>) -> Result<T, Box<ToolOutput>> {
        value.into_output()
    }

    /// The type of the output.
    pub fn output(self) -> Returned<T> {
        Returned::NEW
    }
}

/// A function that comes to its end.
pub struct Ended<T>(PhantomData<fn() -> T>);

impl<T> Ended<T> {
    /// The output.
    pub fn settle(self, value: T) -> Result<T, Box<ToolOutput>> {
        Ok(value)
    }

    /// The type itself.
    pub fn output(self) -> Returned<T> {
        Returned::NEW
    }
}

/// Chosen for an output with a JSON Schema: `(&&returned).__tool_schema()`.
pub trait IsDescribed<T> {
    /// The schema, where it has structure.
    fn __tool_schema(&self) -> Option<Value>;
}

impl<T: JsonSchema> IsDescribed<T> for &Returned<T> {
    fn __tool_schema(&self) -> Option<Value> {
        output_schema::<T>()
    }
}

/// Chosen for an output without one.
pub trait IsUndescribed<T> {
    /// Nothing.
    fn __tool_schema(&self) -> Option<Value>;
}

impl<T> IsUndescribed<T> for Returned<T> {
    fn __tool_schema(&self) -> Option<Value> {
        None
    }
}

/// Chosen for what is an output already: `(&&&returned(&value)).__tool_answer()`.
pub trait IsAnswer<T> {
    /// Passed through.
    fn __tool_answer(&self) -> Answer;
}

impl<T: IntoToolOutput> IsAnswer<T> for &&Returned<T> {
    fn __tool_answer(&self) -> Answer {
        Answer
    }
}

/// Chosen for a value that can be written as JSON.
pub trait IsSerializable<T> {
    /// Rendered.
    fn __tool_answer(&self) -> Serializable;
}

impl<T: Serialize> IsSerializable<T> for &Returned<T> {
    fn __tool_answer(&self) -> Serializable {
        Serializable
    }
}

/// Chosen where nothing fits: the assertion has said so, and nothing else shall.
pub trait IsUnserializable<T> {
    /// Never run.
    fn __tool_answer(&self) -> Unserializable;
}

impl<T> IsUnserializable<T> for Returned<T> {
    fn __tool_answer(&self) -> Unserializable {
        Unserializable
    }
}

/// Passes an output through.
pub struct Answer;

impl Answer {
    /// The output.
    pub fn render<T: IntoToolOutput>(self, value: T) -> Result<ToolOutput, ToolError> {
        // What was repaired in another call's arguments, where the output is that one's.
        Ok(ToolOutput { repairs: Vec::new(), ..value.into_tool_output() })
    }
}

/// Renders a value.
pub struct Serializable;

impl Serializable {
    /// The output.
    pub fn render<T: Serialize>(self, value: T) -> Result<ToolOutput, ToolError> {
        render_tool_output(&value)
    }
}

/// Stands where another would, in a program that does not compile.
pub struct Unserializable;

impl Unserializable {
    /// Nothing.
    pub fn render<T>(self, _value: T) -> Result<ToolOutput, ToolError> {
        super::stub_answer()
    }
}
