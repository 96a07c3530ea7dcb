//! A model's call of a tool, and its arguments as they came.

use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::sync::Arc;

use crate::args::ArgumentLimits;
use crate::behaviour::ArgumentMode;

/// One call that a model asks for. Cloning shares the arguments.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The model's own id of the call: correlation only. It may repeat, and never becomes an operation's identity.
    pub call_id: Arc<str>,
    /// Which tool.
    pub tool_id: Arc<str>,
    /// What the model wrote as arguments.
    pub arguments: ToolArguments,
}

impl ToolCall {
    /// A call of `tool_id`. Arguments as text are the raw JSON that a provider sent; a [`Value`] is taken as well.
    ///
    /// ```
    /// use tool_core::ToolCall;
    /// ToolCall::new("call_1", "greet", r#"{"name":"Ada"}"#);
    /// ToolCall::new("call_2", "greet", serde_json::json!({"name": "Ada"}));
    /// ```
    pub fn new(
        call_id: impl Into<Arc<str>>,
        tool_id: impl Into<Arc<str>>,
        arguments: impl Into<ToolArguments>,
    ) -> Self {
        Self { call_id: call_id.into(), tool_id: tool_id.into(), arguments: arguments.into() }
    }
}

/// A call's arguments, held as they came: raw JSON text is decoded straight into a tool's `Args`.
///
/// Nothing is checked here, so that whatever a model wrote can be held, answered and recorded;
/// [`parse_tool_args`](crate::parse_tool_args) is where arguments are refused. Cloning is a reference count.
#[derive(Clone)]
pub struct ToolArguments {
    pub(crate) repr: Repr,
    pub(crate) mode: ArgumentMode,
    pub(crate) limits: Option<ArgumentLimits>,
}

#[derive(Clone)]
pub(crate) enum Repr {
    Text(Arc<str>),
    /// Bytes that are not UTF-8, kept so that they can be refused as what they are.
    NotUtf8(Arc<[u8]>),
    Value(Arc<Value>),
}

impl ToolArguments {
    /// No arguments: the empty object.
    pub fn none() -> Self {
        Self::from("{}")
    }

    /// The JSON text of the arguments: what the model wrote, with `{}` for none. Bytes that are no text are refused before
    /// this is asked.
    pub(crate) fn as_json(&self) -> Arc<str> {
        match &self.repr {
            Repr::Text(text) if !text.starts_with('{') && matches!(text.trim(), "" | "null") => "{}".into(),
            Repr::Text(text) => Arc::clone(text),
            Repr::Value(value) if value.is_null() => "{}".into(),
            Repr::Value(value) => value.to_string().into(),
            Repr::NotUtf8(bytes) => String::from_utf8_lossy(bytes).into(),
        }
    }

    fn held(repr: Repr) -> Self {
        Self { repr, mode: ArgumentMode::default(), limits: None }
    }

    /// Asks for this mode: where either the tool or the call asks for strict reading, it is strict.
    #[must_use]
    pub fn with_mode(self, mode: ArgumentMode) -> Self {
        Self { mode, ..self }
    }

    /// Sets the limits, in place of those of the tool's parser.
    #[must_use]
    pub fn with_limits(self, limits: ArgumentLimits) -> Self {
        Self { limits: Some(limits), ..self }
    }
}

impl fmt::Debug for ToolArguments {
    /// Shows the form and the size alone: arguments may hold what must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.repr {
            Repr::Text(text) => write!(f, "ToolArguments(text of {} bytes)", text.len()),
            Repr::NotUtf8(bytes) => write!(f, "ToolArguments({} bytes, not UTF-8)", bytes.len()),
            Repr::Value(_) => f.write_str("ToolArguments(value)"),
        }
    }
}

impl From<&str> for ToolArguments {
    fn from(text: &str) -> Self {
        Self::held(Repr::Text(text.into()))
    }
}

impl From<String> for ToolArguments {
    fn from(text: String) -> Self {
        Self::held(Repr::Text(text.into()))
    }
}

impl From<Arc<str>> for ToolArguments {
    fn from(text: Arc<str>) -> Self {
        Self::held(Repr::Text(text))
    }
}

impl From<&[u8]> for ToolArguments {
    fn from(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => Self::held(Repr::NotUtf8(bytes.into())),
        }
    }
}

impl From<Vec<u8>> for ToolArguments {
    fn from(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(error) => Self::held(Repr::NotUtf8(error.into_bytes().into())),
        }
    }
}

impl From<Box<RawValue>> for ToolArguments {
    fn from(raw: Box<RawValue>) -> Self {
        Self::held(Repr::Text(raw.get().into()))
    }
}

impl From<Value> for ToolArguments {
    fn from(value: Value) -> Self {
        Self::held(Repr::Value(value.into()))
    }
}

impl From<Arc<Value>> for ToolArguments {
    fn from(value: Arc<Value>) -> Self {
        Self::held(Repr::Value(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_do_not_reach_a_log() {
        for arguments in [
            ToolArguments::from(r#"{"pin":"4711"}"#),
            ToolArguments::from(serde_json::json!({"pin": "4711"})),
            ToolArguments::from(b"4711\xff".as_slice()),
        ] {
            let call = ToolCall::new("c", "t", arguments);
            assert!(!format!("{call:?}").contains("4711"), "{call:?}");
        }
    }
}
