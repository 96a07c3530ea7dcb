//! The parse boundary: what a model wrote becomes a tool's `Args` here, or is refused with words that let the model
//! correct its call. Raw text is decoded straight into the type; only a refusal is looked at a second time, by
//! [`explain`].

mod explain;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::call::{Repr, ToolArguments};
use crate::error::ToolError;

/// Decodes a call's arguments into `A`.
///
/// The arguments are one JSON object. Blank text and `null` are no arguments, `{}`; for an `A` that has no object form
/// (`()`, `Option<T>`) so is `{}` itself. Fails with [`ToolError::InvalidArguments`] that names the faulty place.
///
/// ```
/// # use tool_core::{parse_tool_args, ToolArguments};
/// #[derive(serde::Deserialize)]
/// struct Args { depth: u32 }
///
/// let args: Args = parse_tool_args(&ToolArguments::from(r#"{"depth": 3}"#))?;
/// assert_eq!(args.depth, 3);
/// let refused = parse_tool_args::<Args>(&ToolArguments::from(r#"{"depth": "deep"}"#)).err().unwrap();
/// assert_eq!(
///     refused.to_string(),
///     "Invalid arguments: `depth`: expected a non-negative integer, got the string \"deep\"",
/// );
/// # Ok::<(), tool_core::ToolError>(())
/// ```
pub fn parse_tool_args<A: DeserializeOwned>(arguments: &ToolArguments) -> Result<A, ToolError> {
    match &arguments.0 {
        Repr::Text(text) => parse_text(text),
        Repr::Value(value) => parse_value(value),
        Repr::NotUtf8(_) => Err(ToolError::invalid_arguments("the arguments are not valid UTF-8 text")),
    }
}

fn parse_text<A: DeserializeOwned>(text: &str) -> Result<A, ToolError> {
    let body = text.trim_matches(JSON_WHITESPACE);
    match body.as_bytes().first() {
        Some(b'{') => {}
        None => return parse_none(),
        Some(_) if body == "null" => return parse_none(),
        Some(first) => return Err(explain::not_an_object(body, *first)),
    }
    serde_json::from_str(text)
        .or_else(|error| without_arguments(body == "{}").ok_or_else(|| explain::text::<A>(text, &error)))
}

fn parse_value<A: DeserializeOwned>(value: &Value) -> Result<A, ToolError> {
    match value {
        Value::Object(object) => A::deserialize(value)
            .or_else(|_| without_arguments(object.is_empty()).ok_or_else(|| explain::value::<A>(value))),
        Value::Null => parse_none(),
        other => Err(explain::value_is_no_object(other)),
    }
}

/// What JSON counts as white space; Rust's `trim` would take away more.
const JSON_WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

fn parse_none<A: DeserializeOwned>() -> Result<A, ToolError> {
    parse_text("{}")
}

/// An argument type without an object form, called without arguments: `()` and `Option<T>` take `null` for that.
fn without_arguments<A: DeserializeOwned>(is_empty: bool) -> Option<A> {
    is_empty.then(|| A::deserialize(Value::Null).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Search {
        query: Option<String>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Order {
        order: String,
    }

    fn parse<A: DeserializeOwned>(arguments: impl Into<ToolArguments>) -> Result<A, String> {
        parse_tool_args(&arguments.into()).map_err(|error| error.to_string())
    }

    #[test]
    fn no_arguments_are_the_empty_object() {
        for blank in ["null", "", "  ", "\n\t ", " null ", "{}", " { } "] {
            assert_eq!(parse::<Search>(blank), Ok(Search { query: None }), "{blank:?}");
            assert_eq!(parse::<Option<Search>>(blank), Ok(Some(Search { query: None })), "{blank:?}");
        }
        for empty in ["null", "", "{}"] {
            assert_eq!(parse::<()>(empty), Ok(()), "{empty:?}");
            assert_eq!(parse::<Option<Order>>(empty), Ok(None), "{empty:?}");
            assert_eq!(parse::<Order>(empty).unwrap_err(), "Invalid arguments: `order`: required, but missing");
        }
        assert_eq!(parse::<()>(json!({})), Ok(()));
        assert_eq!(parse::<Search>(json!(null)), Ok(Search { query: None }));
    }

    #[test]
    fn an_argument_list_is_an_object() {
        for (text, got) in [("[\"x\"]", "an array"), ("[]", "an array"), ("5", "a number"), ("true", "a boolean")] {
            let expected = format!("Invalid arguments: expected a JSON object, got {got}");
            assert_eq!(parse::<Order>(text).unwrap_err(), expected, "{text}");
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(parse::<Order>(value).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn broken_text_is_refused_with_its_place() {
        for (text, message) in [
            (r#"{"order":"7""#, "Invalid arguments: not valid JSON: EOF while parsing an object at line 1 column 12"),
            (r#"{"order":"7"} x"#, "Invalid arguments: not valid JSON: trailing characters at line 1 column 15"),
            (r#"{order:"7"}"#, "Invalid arguments: not valid JSON: key must be a string at line 1 column 2"),
        ] {
            assert_eq!(parse::<Order>(text).unwrap_err(), message);
        }
        assert_eq!(
            parse::<Order>(b"{\"order\":\"\xff\"}".as_slice()).unwrap_err(),
            "Invalid arguments: the arguments are not valid UTF-8 text"
        );
        let deep = format!("{{\"order\":{}", "[".repeat(5_000));
        assert!(parse::<Order>(deep.as_str()).is_err());
    }

    #[test]
    fn text_and_value_decode_to_the_same() {
        assert_eq!(parse::<Order>(r#"{"order":"7"}"#), parse::<Order>(json!({"order": "7"})));
        assert_eq!(parse::<Order>(r#"{"order":7}"#), parse::<Order>(json!({"order": 7})));
    }
}
