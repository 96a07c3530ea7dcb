//! From what a `#[tool]` function returns to a [`ToolOutput`], decided by its traits.

use serde::Serialize;
use std::marker::PhantomData;

use crate::error::{ToolError, ToolFailure};
use crate::output::{IntoToolOutput, ToolOutput, ToolResult, render_tool_output};

/// Asks what a function returns; `(&&Returned::<R>::NEW).outcome()` tells a `Result`, under whatever name, from a plain value.
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
    fn outcome(&self) -> Fallible<T, E>;
}

impl<T, E> IsFallible<T, E> for &Returned<Result<T, E>> {
    fn outcome(&self) -> Fallible<T, E> {
        Fallible(PhantomData)
    }
}

/// Chosen for everything else.
pub trait IsInfallible<T> {
    /// A plain value.
    fn outcome(&self) -> Infallible<T>;
}

impl<T> IsInfallible<T> for Returned<T> {
    fn outcome(&self) -> Infallible<T> {
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

/// Chosen for what is an output already: `(&&&returned(&value)).answer()`.
pub trait IsAnswer<T> {
    /// Passed through.
    fn answer(&self) -> Answer;
}

impl<T: IntoToolOutput> IsAnswer<T> for &&Returned<T> {
    fn answer(&self) -> Answer {
        Answer
    }
}

/// Chosen for a value that can be written as JSON.
pub trait IsSerializable<T> {
    /// Rendered.
    fn answer(&self) -> Serializable;
}

impl<T: Serialize> IsSerializable<T> for &Returned<T> {
    fn answer(&self) -> Serializable {
        Serializable
    }
}

/// Chosen where nothing fits: the assertion has said so, and nothing else shall.
pub trait IsUnserializable<T> {
    /// Never run.
    fn answer(&self) -> Unserializable;
}

impl<T> IsUnserializable<T> for Returned<T> {
    fn answer(&self) -> Unserializable {
        Unserializable
    }
}

/// Passes an output through.
pub struct Answer;

impl Answer {
    /// The output.
    pub fn render<T: IntoToolOutput>(self, value: T) -> Result<ToolOutput, ToolError> {
        Ok(value.into_tool_output())
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
