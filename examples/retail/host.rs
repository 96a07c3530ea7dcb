//! The part of a host program that matters here: a model's call goes in, and what the model is told comes out.

use tool_core::{RawToolRegistry, ToolCall, ToolError, ToolExecutor, ToolOutput};

/// What the model is told about one call.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The tool did what was asked.
    Done,
    /// The tool ran and said no.
    Refused,
    /// The arguments do not fit the tool's schema: the tool never ran.
    Rejected,
    /// There is no such tool, or it broke down.
    Failed,
}

/// Makes one call. `arguments` is the raw text as it comes from a model provider, right or wrong.
pub(crate) async fn ask(registry: &RawToolRegistry, tool: &str, arguments: &str) -> Answer {
    let call = ToolCall::new("call_1", tool, arguments);
    let (output, outcome) = match registry.invoke(&call).await {
        Ok(output) if output.is_error => (output, Outcome::Refused),
        Ok(output) => (output, Outcome::Done),
        // The model is told of these as well: mostly it knows how to do better.
        Err(error) => {
            let outcome = match error {
                ToolError::InvalidArguments(_) => Outcome::Rejected,
                _ => Outcome::Failed,
            };
            (ToolOutput::for_error(&error), outcome)
        }
    };
    Answer { text: output.text().into_owned(), outcome }
}
