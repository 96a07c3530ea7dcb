//! What can go wrong with a call, and what each case allows afterwards.

use std::any::Any;
use std::fmt::{self, Write};

/// Why a call has no ordinary result. The variants differ in what may be done after them.
///
/// | variant | meaning | after it |
/// |---|---|---|
/// | [`Unknown`](Self::Unknown) | no unique implementation | fix the id or the registration |
/// | [`InvalidArguments`](Self::InvalidArguments) | arguments do not decode or break an advertised constraint | the model corrects its call |
/// | [`UnavailableBeforeDispatch`](Self::UnavailableBeforeDispatch) | proven: nothing was dispatched | may be tried again, whatever the recovery mode |
/// | [`Execution`](Self::Execution) | dispatch may have happened | never assume that a replay is safe |
/// | [`Failed`](Self::Failed) | the tool ran to its end and reports a failure in its own words | becomes an error result, word for word; the run goes on |
///
/// A registry's caller gets `Failed` as a [`ToolOutput::error`](crate::ToolOutput::error) and the others as `Err`;
/// [`ToolOutput::for_error`](crate::ToolOutput::for_error) puts those into words for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolError {
    /// There is no tool of this id, or more than one.
    Unknown {
        /// The id that was asked for.
        tool_id: String,
        /// Why it cannot be called.
        reason: String,
    },
    /// The arguments do not fit the tool. The tool's body was not entered.
    InvalidArguments(InvalidArguments),
    /// Nothing was dispatched, and that is proven: a connection that was refused, a full queue.
    UnavailableBeforeDispatch(String),
    /// Something failed, and the effect may have happened all the same.
    Execution(String),
    /// The tool's own failure, in its own words.
    Failed(String),
}

impl ToolError {
    /// [`ToolError::Unknown`]: `tool_id` cannot be called because of `reason`.
    pub fn unknown(tool_id: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Unknown { tool_id: tool_id.into(), reason: reason.into() }
    }

    /// [`ToolError::InvalidArguments`] with one fault of the arguments as a whole.
    pub fn invalid_arguments(message: impl Into<String>) -> Self {
        Self::InvalidArguments(InvalidArguments::new([ArgumentFault::new("", message)]))
    }

    /// [`ToolError::UnavailableBeforeDispatch`]. Only where nothing was dispatched for certain.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::UnavailableBeforeDispatch(message.into())
    }

    /// [`ToolError::Execution`].
    pub fn execution(message: impl Into<String>) -> Self {
        Self::Execution(message.into())
    }

    /// [`ToolError::Failed`].
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { tool_id, reason } => f.write_str(&unknown(tool_id, reason)),
            Self::InvalidArguments(faults) => faults.fmt(f),
            Self::UnavailableBeforeDispatch(message) => write!(f, "unavailable, nothing was started: {message}"),
            Self::Execution(message) => write!(f, "execution failed, its effect may have happened: {message}"),
            Self::Failed(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ToolError {}

/// Written as a whole: piece by piece, the text that takes it would grow with each piece, which costs more than the text.
fn unknown(tool_id: &str, reason: &str) -> String {
    let (before, after) = ("tool ", " cannot be called: ");
    let mut text = String::with_capacity(before.len() + tool_id.len() + 2 + after.len() + reason.len());
    text.push_str(before);
    let _ = write!(text, "{tool_id:?}");
    text.push_str(after);
    text.push_str(reason);
    text
}

/// What is wrong with a call's arguments: one entry a faulty place, at least one. Its text is written for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidArguments {
    faults: Vec<ArgumentFault>,
}

impl InvalidArguments {
    /// Collects the faults.
    pub fn new(faults: impl IntoIterator<Item = ArgumentFault>) -> Self {
        Self { faults: faults.into_iter().collect() }
    }

    /// The faults, in the order of the arguments.
    pub fn faults(&self) -> &[ArgumentFault] {
        &self.faults
    }
}

impl fmt::Display for InvalidArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HEAD: &str = "Invalid arguments: ";
        const SEPARATOR: &str = "; ";
        // As a whole, for the same reason as `unknown`.
        let mut text =
            String::with_capacity(HEAD.len() + self.faults.iter().map(|fault| fault.bytes() + 2).sum::<usize>());
        text.push_str(HEAD);
        for (position, fault) in self.faults.iter().enumerate() {
            if position > 0 {
                text.push_str(SEPARATOR);
            }
            fault.write(&mut text);
        }
        f.write_str(&text)
    }
}

impl std::error::Error for InvalidArguments {}

/// One fault of a call's arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentFault {
    path: String,
    message: String,
}

impl ArgumentFault {
    /// A fault at `path` (`items[2].price`; empty for the arguments as a whole), said in the model's terms: what was
    /// got and what is expected.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    /// Where: `items[2].price`; empty for the arguments as a whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The length of its text, or a little more.
    fn bytes(&self) -> usize {
        self.path.len() + self.message.len() + 4
    }

    /// How many characters its text has.
    pub(crate) fn chars(&self) -> usize {
        let path = if self.path.is_empty() { 0 } else { self.path.chars().count() + 4 };
        path + self.message.chars().count()
    }

    fn write(&self, text: &mut String) {
        if !self.path.is_empty() {
            text.push('`');
            text.push_str(&self.path);
            text.push_str("`: ");
        }
        text.push_str(&self.message);
    }
}

impl fmt::Display for ArgumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(self.bytes());
        self.write(&mut text);
        f.write_str(&text)
    }
}

/// What a tool's function may return as its error: any `E: Display + Send + 'static`, `anyhow::Error` included.
///
/// It becomes [`ToolError::Failed`] with the text of `{:#}`, so that a chain of causes shows, and nothing added. An
/// error that *is* a [`ToolError`] stays what it is, also in a box; inside another error, such as an `anyhow::Error`, it is
/// that error's text. A panic of a task (`JoinError`) is an [`Execution`](ToolError::Execution) without the panic's message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's error",
    label = "a tool's error is `Display + Send + 'static`: the model is told its text",
    note = "derive `thiserror::Error`, or use `ToolError`, `anyhow::Error`, `String` or `Box<dyn Error + Send + Sync>`"
)]
pub trait ToolFailure: Sized {
    /// The error as the runtime sees it.
    fn into_tool_error(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl<E: fmt::Display + Send + 'static> ToolFailure for E {
    fn into_tool_error(self) -> ToolError {
        let mut error = Some(self);
        let any: &mut dyn Any = &mut error;
        if let Some(own) = taken::<ToolError>(any) {
            return own;
        }
        if let Some(own) = taken::<Box<ToolError>>(any) {
            return *own;
        }
        if let Some(boxed) = taken::<Box<dyn std::error::Error + Send + Sync>>(any) {
            return boxed
                .downcast::<ToolError>()
                .map_or_else(|other| ToolError::Failed(format!("{other:#}")), |own| *own);
        }
        if taken::<tokio::task::JoinError>(any).is_some() {
            return ToolError::execution("a task of the tool panicked or was cancelled");
        }
        ToolError::Failed(error.map(|error| format!("{error:#}")).unwrap_or_default())
    }
}

/// The error in `slot`, an `Option<E>`.
fn taken<E: 'static>(slot: &mut dyn Any) -> Option<E> {
    slot.downcast_mut::<Option<E>>().and_then(Option::take)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_error_stays_what_it_is_and_any_other_error_becomes_its_own_words() {
        let unavailable = ToolError::unavailable("queue full");
        assert_eq!(unavailable.clone().into_tool_error(), unavailable);
        assert_eq!("no such customer".into_tool_error(), ToolError::failed("no such customer"));
        assert_eq!(String::new().into_tool_error(), ToolError::failed(""));
        let boxed: Box<dyn std::error::Error + Send + Sync> = "boxed".into();
        assert_eq!(boxed.into_tool_error(), ToolError::failed("boxed"));
        assert_eq!(Box::new(unavailable.clone()).into_tool_error(), unavailable);
        let behind_a_question_mark: Box<dyn std::error::Error + Send + Sync> = unavailable.clone().into();
        assert_eq!(behind_a_question_mark.into_tool_error(), unavailable);
        let chain = anyhow::anyhow!("disk full").context("cannot save");
        assert_eq!(chain.into_tool_error(), ToolError::failed("cannot save: disk full"));
    }

    #[tokio::test]
    async fn a_panic_of_a_task_does_not_tell_the_model_its_message() {
        let panicked = tokio::spawn(async { panic!("hunter2") }).await.unwrap_err();
        assert_eq!(panicked.into_tool_error(), ToolError::execution("a task of the tool panicked or was cancelled"));
    }

    #[test]
    fn faults_are_named_by_their_paths() {
        let faults = InvalidArguments::new([
            ArgumentFault::new("items[2].price", "expected a number, got \"cheap\""),
            ArgumentFault::new("", "unknown property `colour`"),
        ]);
        assert_eq!(
            ToolError::InvalidArguments(faults).to_string(),
            "Invalid arguments: `items[2].price`: expected a number, got \"cheap\"; unknown property `colour`"
        );
    }
}
