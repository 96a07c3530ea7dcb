//! What a call returns, and how a typed value becomes it.

mod finite;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::any::Any;
use std::borrow::Cow;
use std::time::SystemTime;

use crate::args::ArgumentRepair;
use crate::content::ContentBlock;
use crate::error::ToolError;
use crate::schema;
use crate::state::StateCommand;

/// What the model reads where a tool returned `()`. Some providers refuse an empty result, so it is not empty.
const UNIT_TEXT: &str = "Done.";

/// The result of one call.
///
/// A tool makes it with [`ok`](Self::ok) and its kin and leaves `call_id` empty: who dispatches the call writes it in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// The model's id of the call that this answers: correlation only.
    pub call_id: String,
    /// What the model is shown, in order. This is what is stored; [`text`](Self::text) is derived from it.
    pub content: Vec<ContentBlock>,
    /// Whether it is a failure that the model sees. The run goes on.
    pub is_error: bool,
    /// Commands on the run's state, staged here and committed together with the result or not at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<StateCommand>,
    /// The result as JSON, for readers that are programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<StructuredContent>,
    /// What was repaired in the arguments before they were decoded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<ArgumentRepair>,
    /// Set where the tool did not come to its end but waits. A runtime parks the call; where there is none, the content
    /// says that it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspension: Option<Box<Suspension>>,
}

/// What a tool that did not come to its end waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Suspension {
    /// An answer from outside: a person's approval, say.
    Input {
        /// Why, for whoever answers.
        reason: String,
        /// What the answer has to be, as a JSON Schema.
        input_schema: Value,
    },
    /// An instant.
    Until(SystemTime),
}

/// What a tool comes to: its output, or a wait.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<T> {
    /// It came to its end.
    Output(T),
    /// It waits for an answer from outside.
    Suspend {
        /// Why, for whoever answers.
        reason: String,
        /// What the answer has to be, as a JSON Schema.
        input_schema: Value,
    },
    /// It waits until an instant.
    Sleep {
        /// When it is to go on.
        until: SystemTime,
    },
}

impl<T> Outcome<T> {
    /// A wait for an answer of the type `A`.
    pub fn suspend_for<A: JsonSchema>(reason: impl Into<String>) -> Self {
        Self::Suspend { reason: reason.into(), input_schema: schema::input_schema::<A>() }
    }

    /// The output, or else what the call becomes while it waits.
    pub(crate) fn into_output(self) -> Result<T, Box<ToolOutput>> {
        match self {
            Self::Output(output) => Ok(output),
            Self::Suspend { reason, input_schema } => {
                let told = format!("The call waits for an answer: {reason}");
                Err(Box::new(ToolOutput::ok(told).suspended(Suspension::Input { reason, input_schema })))
            }
            Self::Sleep { until } => {
                let told = "The call waits and goes on later.";
                Err(Box::new(ToolOutput::ok(told).suspended(Suspension::Until(until))))
            }
        }
    }
}

/// Where the JSON form of a result is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StructuredContent {
    /// The first block is a text and holds it. Nothing is kept twice, and nothing is parsed until somebody asks.
    FirstBlock,
    /// It is a JSON string: the first block's text itself.
    FirstBlockText,
    /// Here, beside the blocks.
    Value(Box<Value>),
}

impl ToolOutput {
    /// A success of one text.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// A success of several blocks.
    pub fn ok_blocks(blocks: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self { content: blocks.into_iter().collect(), ..Self::default() }
    }

    /// A failure that the model sees.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::ok(text) }
    }

    /// A failure that the model sees, of several blocks.
    pub fn error_blocks(blocks: impl IntoIterator<Item = ContentBlock>) -> Self {
        Self { is_error: true, ..Self::ok_blocks(blocks) }
    }

    /// What the model is told of a call that has no result of its own.
    ///
    /// It says no more than the model can use: of [`ToolError::Execution`] and
    /// [`ToolError::UnavailableBeforeDispatch`] the operator's text is left out, since it may hold what the model must not see.
    pub fn for_error(error: &ToolError) -> Self {
        Self::error(match error {
            ToolError::Unknown { tool_id, .. } => format!("There is no tool named {tool_id:?}."),
            ToolError::UnavailableBeforeDispatch(_) => {
                "The tool is unavailable at the moment. Nothing was done; the call may be tried again.".to_owned()
            }
            ToolError::Execution(_) => "The tool failed, and its outcome is unknown: its effect may have happened. Do \
                 not repeat the call before you have checked."
                .to_owned(),
            ToolError::InvalidArguments(_) | ToolError::Failed(_) => error.to_string(),
        })
    }

    /// Stages a command on the run's state. Nothing is written here: it is committed with the result.
    #[must_use]
    pub fn with_state(mut self, command: StateCommand) -> Self {
        self.state.push(command);
        self
    }

    /// Waits.
    #[must_use]
    pub fn suspended(mut self, suspension: Suspension) -> Self {
        self.suspension = Some(Box::new(suspension));
        self
    }

    /// Answers the call `call_id`.
    #[must_use]
    pub fn with_call_id(mut self, call_id: impl Into<String>) -> Self {
        self.call_id = call_id.into();
        self
    }

    /// Gives the result's JSON form, where it is not the first block's text.
    #[must_use]
    pub fn with_structured_content(mut self, value: Value) -> Self {
        self.structured = Some(StructuredContent::Value(Box::new(value)));
        self
    }

    /// The text blocks joined by line ends; other blocks are left out.
    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.content.iter().filter_map(ContentBlock::as_text);
        match (texts.next(), texts.next()) {
            (None, _) => Cow::Borrowed(""),
            (Some(only), None) => Cow::Borrowed(only),
            (Some(first), Some(second)) => {
                let mut joined = format!("{first}\n{second}");
                for text in texts {
                    joined.push('\n');
                    joined.push_str(text);
                }
                Cow::Owned(joined)
            }
        }
    }

    /// The result as JSON, where it has that form. Made on demand.
    pub fn structured_content(&self) -> Option<Value> {
        match self.structured.as_ref()? {
            StructuredContent::Value(value) => Some((**value).clone()),
            StructuredContent::FirstBlock => serde_json::from_str(self.content.first()?.as_text()?).ok(),
            StructuredContent::FirstBlockText => Some(Value::from(self.content.first()?.as_text()?)),
        }
    }
}

/// Turns a tool's typed value into its output; `call_id` is left empty.
///
/// A value that serialises to a JSON string is shown as the bare text, `()` as a short text, anything else as compact
/// JSON, which is kept as structured content too. Fails with [`ToolError::Execution`] where the value cannot be written
/// as JSON, a number that is not finite included, which is named by its path: the tool has run by then.
///
/// ```
/// let output = tool_core::render_tool_output(&serde_json::json!({"greeting": "Hello"}))?;
/// assert_eq!(output.text(), r#"{"greeting":"Hello"}"#);
/// assert!(tool_core::render_tool_output(&[1.0, f64::NAN]).is_err());
/// # Ok::<(), tool_core::ToolError>(())
/// ```
pub fn render_tool_output<T: Serialize + ?Sized>(value: &T) -> Result<ToolOutput, ToolError> {
    let json = serde_json::to_string(value).map_err(|error| not_json(&error))?;
    // What is not finite is written as `null`; so are other things, and strings may say it.
    if json.contains("null")
        && let Some(path) = finite::non_finite(value)
    {
        return Err(not_finite(&path));
    }
    output_of_json(json)
}

/// A type that is an output already and reaches the model as it is.
pub trait IntoToolOutput {
    /// The output, with an empty `call_id`.
    fn into_tool_output(self) -> ToolOutput;
}

impl IntoToolOutput for ToolOutput {
    fn into_tool_output(self) -> ToolOutput {
        self
    }
}

impl IntoToolOutput for ContentBlock {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::ok_blocks([self])
    }
}

impl IntoToolOutput for Vec<ContentBlock> {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput { content: self, ..ToolOutput::default() }
    }
}

impl<const N: usize> IntoToolOutput for [ContentBlock; N] {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::ok_blocks(self)
    }
}

impl<T: IntoToolOutput> IntoToolOutput for Box<T> {
    fn into_tool_output(self) -> ToolOutput {
        (*self).into_tool_output()
    }
}

impl<T: IntoToolOutput + Clone> IntoToolOutput for &T {
    fn into_tool_output(self) -> ToolOutput {
        self.clone().into_tool_output()
    }
}

impl<T: IntoToolOutput> IntoToolOutput for Option<T> {
    fn into_tool_output(self) -> ToolOutput {
        self.map_or_else(|| ToolOutput::ok(UNIT_TEXT), T::into_tool_output)
    }
}

impl IntoToolOutput for () {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::ok(UNIT_TEXT)
    }
}

/// What a `#[tool]` function may return, or the `Ok` of its `Result`: everything that implements `serde::Serialize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's result",
    label = "the model is shown the result as JSON or text, and this type cannot be written as either",
    note = "derive `serde::Serialize` for it, or return text, a `ToolOutput` or content blocks"
)]
pub trait ToolResult {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolResult for T {}

impl<T: ToolResult> ToolResult for Outcome<T> {}

/// [`render_tool_output`], with a value that is an output or content already ([`IntoToolOutput`]) passed through unchanged.
pub(crate) fn render_owned<T: Serialize + 'static>(value: T) -> Result<ToolOutput, ToolError> {
    let mut value = Some(value);
    // Each question is answered at compile time; returning at once spares the others' places on the way.
    macro_rules! pass_through {
        ($($ty:ty),*) => {
            $(
                if let Some(answer) = (&mut value as &mut dyn Any).downcast_mut::<Option<$ty>>().and_then(Option::take) {
                    return Ok(ToolOutput { repairs: Vec::new(), ..answer.into_tool_output() });
                }
            )*
        };
    }
    pass_through!(ToolOutput, Vec<ContentBlock>, ContentBlock, Option<ToolOutput>, Box<ToolOutput>, ());
    render_tool_output(&value)
}

/// Not generic, so that it is compiled once and not for every output type.
fn output_of_json(json: String) -> Result<ToolOutput, ToolError> {
    let (text, structured) = match json.as_bytes().first() {
        Some(b'"') => {
            (serde_json::from_str(&json).map_err(|error| not_json(&error))?, StructuredContent::FirstBlockText)
        }
        _ => (json, StructuredContent::FirstBlock),
    };
    Ok(ToolOutput { content: vec![ContentBlock::text(text)], structured: Some(structured), ..ToolOutput::default() })
}

fn not_json(error: &dyn std::fmt::Display) -> ToolError {
    ToolError::execution(format!("the tool's result cannot be written as JSON: {error}"))
}

fn not_finite(path: &str) -> ToolError {
    let place = if path.is_empty() { "it".to_owned() } else { format!("`{path}`") };
    not_json(&format_args!("{place} is a number that is not finite, which JSON has no form for"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[test]
    fn values_are_rendered_as_a_model_reads_them() {
        for (value, text) in [
            (json!({"a": [1, 2.5]}), r#"{"a":[1,2.5]}"#),
            (json!([1]), "[1]"),
            (json!("two \"words\"\n"), "two \"words\"\n"),
            (json!(""), ""),
            (json!(null), "null"),
        ] {
            assert_eq!(render_tool_output(&value).unwrap().text(), text);
        }
        assert_eq!(render_owned(()).unwrap().text(), "Done.");
    }

    #[test]
    fn json_is_structured_content_and_is_kept_once() {
        let output = render_tool_output(&json!({"a": 1})).unwrap();
        assert_eq!(output.structured, Some(StructuredContent::FirstBlock));
        assert_eq!(output.structured_content(), Some(json!({"a": 1})));
        assert_eq!(render_tool_output(&json!([1])).unwrap().structured_content(), Some(json!([1])));
        let text = render_tool_output("text").unwrap();
        assert_eq!((text.structured_content(), text.text().as_ref()), (Some(json!("text")), "text"));
        assert_eq!(ToolOutput::ok("text").structured_content(), None);
        let beside = ToolOutput::ok("one").with_structured_content(json!(1));
        assert_eq!(beside.structured_content(), Some(json!(1)));
    }

    #[test]
    fn outputs_and_blocks_pass_through_unchanged() {
        let output = ToolOutput::error("no").with_state(StateCommand::set("seen", json!(true)));
        assert_eq!(render_owned(output.clone()).unwrap(), output);
        let image = ContentBlock::image("AAE=", "image/png");
        let blocks = vec![image.clone(), ContentBlock::text("t")];
        assert_eq!(render_owned(blocks.clone()).unwrap().content, blocks);
        assert_eq!(render_owned(image.clone()).unwrap(), ToolOutput::ok_blocks([image]));
    }

    #[test]
    fn a_value_that_is_not_json_fails_as_execution() {
        let keyed_by_a_list = BTreeMap::from([(vec![1], 2)]);
        let error = render_tool_output(&keyed_by_a_list).unwrap_err();
        assert_eq!(error, ToolError::execution("the tool's result cannot be written as JSON: key must be a string"));
    }

    #[test]
    fn a_number_that_is_not_finite_is_named_and_never_null() {
        #[derive(Serialize)]
        struct Mean {
            of: Option<&'static str>,
            mean: f64,
        }
        let error = render_tool_output(&Mean { of: None, mean: f64::NAN }).unwrap_err();
        let said = "the tool's result cannot be written as JSON: `mean` is a number that is not finite, which JSON has no \
                    form for";
        assert_eq!(error, ToolError::execution(said));
        let null = render_tool_output(&Mean { of: None, mean: 1.0 }).unwrap();
        assert_eq!(null.text(), r#"{"of":null,"mean":1.0}"#);
    }

    #[test]
    fn text_joins_the_text_blocks_alone() {
        let blocks = [ContentBlock::text("a"), ContentBlock::image("", "image/png"), ContentBlock::text("b")];
        assert_eq!(ToolOutput::ok_blocks(blocks).text(), "a\nb");
        assert_eq!(ToolOutput::default().text(), "");
    }

    #[test]
    fn the_model_is_not_shown_the_operators_words() {
        let told = ToolOutput::for_error(&ToolError::execution("password=hunter2"));
        assert!(told.is_error && !told.text().contains("hunter2") && told.text().contains("outcome is unknown"));
    }

    #[test]
    fn an_output_survives_its_record() {
        let output = render_tool_output(&json!({"a": 1}))
            .unwrap()
            .with_call_id("call_1")
            .with_state(StateCommand::remove("gone"));
        let record = serde_json::to_string(&output).unwrap();
        assert_eq!(serde_json::from_str::<ToolOutput>(&record).unwrap(), output);
    }
}
