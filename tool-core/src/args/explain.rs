//! What a decoder refuses although the schema allows it: which place it means, and how to say so to a model.
//!
//! A plain decode says nothing of the path, and a decode that tracks it costs nearly twice as much, so that the path
//! is only looked for once there is something to explain. A decoder's sentences speak of Rust; they are put into JSON's
//! terms here.

use serde::de::DeserializeOwned;

use super::decode::Decoder;
use super::describe::{quoted, shortened, unknown_name};
use super::quote;
use super::reader::Reader;
use crate::error::{ArgumentFault, InvalidArguments, ToolError};
use crate::secrets::Secrets;

/// Decodes `text` into `A` once more, with numbers as numbers and the path tracked, or explains why it does not. The text
/// has been walked: it is JSON.
pub(super) fn decoded<A: DeserializeOwned>(text: &str, secrets: &Secrets) -> Result<A, ToolError> {
    serde_path_to_error::deserialize(Decoder(&Reader::new(text))).map_err(|found| fault(&found, text, secrets))
}

fn fault(found: &serde_path_to_error::Error<serde::de::value::Error>, text: &str, secrets: &Secrets) -> ToolError {
    if let Some(fault) = quote::unquotable(found, text, secrets) {
        return ToolError::InvalidArguments(InvalidArguments::new([fault]));
    }
    let path = match found.path().to_string() {
        root if root == "." => String::new(),
        path => path,
    };
    let sentence = found.inner().to_string();
    let fault = in_json_terms(&path, &sentence);
    // Keys of a map are the model's own, and as long as it likes.
    ToolError::InvalidArguments(InvalidArguments::new([ArgumentFault::new(shortened(fault.path()), fault.message())]))
}

/// Arguments whose text starts like another kind of value.
pub(super) fn not_an_object(text: &str, first: u8, secrets: &Secrets) -> ToolError {
    let got = match first {
        b'[' => "an array",
        b'"' => "a string",
        b't' | b'f' if matches!(text, "true" | "false") => "a boolean",
        b'-' | b'0'..=b'9' => "a number",
        _ if !secrets.is_empty() => return ToolError::invalid_arguments("not valid JSON: expected an object"),
        _ => return ToolError::invalid_arguments(format!("not valid JSON: expected an object, got {}", quoted(text))),
    };
    ToolError::invalid_arguments(format!("expected a JSON object, got {got}"))
}

/// Puts a decoder's sentence at `path` into JSON's terms.
fn in_json_terms(path: &str, sentence: &str) -> ArgumentFault {
    if let Some(field) = sentence.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return ArgumentFault::new(below(path, field), "required, but missing");
    }
    if let Some(field) = sentence.strip_prefix("duplicate field `").and_then(|rest| rest.strip_suffix('`')) {
        return ArgumentFault::new(below(path, field), "given more than once");
    }
    if let Some((field, known)) = sentence.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`')) {
        return ArgumentFault::new(unknown_path(path, field), unknown(field, known, "property"));
    }
    if let Some((variant, known)) = sentence.strip_prefix("unknown variant `").and_then(|rest| rest.split_once('`')) {
        return ArgumentFault::new(path, unknown(variant, known, "value"));
    }
    for (wrong, term) in [("invalid type: ", expected_type as fn(&str) -> String), ("invalid value: ", expected_value)]
    {
        if let Some((got, expected)) = sentence.strip_prefix(wrong).and_then(|rest| rest.rsplit_once(", expected ")) {
            return ArgumentFault::new(path, format!("expected {}, got {}", term(expected), got_term(got)));
        }
    }
    ArgumentFault::new(path, sentence)
}

/// The path of the property `field` of the object at `path`.
fn below(path: &str, field: &str) -> String {
    let field = shortened(field);
    if path.is_empty() { field } else { format!("{path}.{field}") }
}

/// A decoder may have entered the unknown key already, or not.
fn unknown_path(path: &str, field: &str) -> String {
    let entered = path == field || path.strip_suffix(field).is_some_and(|parent| parent.ends_with('.'));
    if entered { path.to_owned() } else { below(path, field) }
}

/// An unknown property or value; `known` is the decoder's list of the known ones, in back ticks.
fn unknown(given: &str, known: &str, what: &str) -> String {
    unknown_name(given, what, &known.split('`').skip(1).step_by(2).collect::<Vec<_>>())
}

/// What a value of the right type would have to be: an integer has a range.
fn expected_value(expected: &str) -> String {
    let (minimum, maximum) = match expected {
        "u8" => (0, i128::from(u8::MAX)),
        "u16" => (0, i128::from(u16::MAX)),
        "u32" => (0, i128::from(u32::MAX)),
        "u64" | "usize" => (0, i128::from(u64::MAX)),
        "i8" => (i128::from(i8::MIN), i128::from(i8::MAX)),
        "i16" => (i128::from(i16::MIN), i128::from(i16::MAX)),
        "i32" => (i128::from(i32::MIN), i128::from(i32::MAX)),
        "i64" | "isize" => (i128::from(i64::MIN), i128::from(i64::MAX)),
        other => return expected_type(other),
    };
    format!("an integer from {minimum} to {maximum}")
}

fn expected_type(expected: &str) -> String {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a non-negative integer".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "an integer".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "unit" => "null".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a map" => "an object".to_owned(),
        tuple if tuple.starts_with("a tuple of size ") => tuple.replacen("a tuple of size", "an array of length", 1),
        named
            if ["struct ", "enum ", "internally tagged enum ", "adjacently tagged enum "]
                .iter()
                .any(|kind| named.starts_with(kind)) =>
        {
            "an object".to_owned()
        }
        other => other.to_owned(),
    }
}

fn got_term(got: &str) -> String {
    let named = [
        ("string ", "the string "),
        ("integer ", "the number "),
        ("floating point ", "the number "),
        ("boolean ", "the boolean "),
    ];
    let term = match got {
        "map" => "an object".to_owned(),
        "sequence" => "an array".to_owned(),
        "unit value" => "null".to_owned(),
        _ => named
            .iter()
            .find_map(|(rust, json)| got.strip_prefix(rust).map(|value| format!("{json}{}", value.replace('`', ""))))
            .unwrap_or_else(|| got.to_owned()),
    };
    shortened(&term)
}

#[cfg(test)]
mod tests {
    use crate::{ToolArguments, parse_tool_args};
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)] // only refusals are looked at
    struct Cart {
        items: Vec<Item>,
        max_depth: Option<u32>,
        coupon: Option<Coupon>,
        size: Option<(u8, i64)>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)] // only refusals are looked at
    struct Item {
        price: f64,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Coupon {
        Summer,
        Winter,
    }

    fn refusal(text: &str) -> String {
        let from_text = parse_tool_args::<Cart>(&ToolArguments::from(text)).unwrap_err().to_string();
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let from_value = parse_tool_args::<Cart>(&ToolArguments::from(value)).unwrap_err().to_string();
        assert_eq!(from_text, from_value);
        from_text.strip_prefix("Invalid arguments: ").unwrap().to_owned()
    }

    #[test]
    fn each_fault_is_said_in_json_terms_at_its_path() {
        for (text, message) in [
            (r"{}", "`items`: required, but missing"),
            (r#"{"items":[{"price":1},{}]}"#, "`items[1].price`: required, but missing"),
            (r#"{"items":[{"price":"cheap"}]}"#, "`items[0].price`: expected a number, got the string \"cheap\""),
            (r#"{"items":{}}"#, "`items`: expected an array, got an object"),
            (r#"{"items":null}"#, "`items`: expected an array, got null"),
            (r#"{"items":[5]}"#, "`items[0]`: expected an object, got the number 5"),
            (
                r#"{"items":[],"max_depth":-1}"#,
                "`max_depth`: expected an integer from 0 to 4294967295, got the number -1",
            ),
            (r#"{"items":[],"max_depth":1.5}"#, "`max_depth`: expected a non-negative integer, got the number 1.5"),
            (r#"{"items":[],"max_depth":true}"#, "`max_depth`: expected a non-negative integer, got the boolean true"),
            (
                r#"{"items":[],"depth":5}"#,
                "`depth`: unknown property \"depth\"; did you mean `max_depth`? Known: `items`, `max_depth`, `coupon`, `size`",
            ),
            (
                r#"{"items":[{"price":1,"prise":1}]}"#,
                "`items[0].prise`: unknown property \"prise\"; did you mean `price`? Known: `price`",
            ),
            (r#"{"items":[],"coupon":"a whim"}"#, "`coupon`: unknown value \"a whim\". Known: `summer`, `winter`"),
            (
                r#"{"items":[],"coupon":"sumer"}"#,
                "`coupon`: unknown value \"sumer\"; did you mean `summer`? Known: `summer`, `winter`",
            ),
            (r#"{"items":[],"size":{}}"#, "`size`: expected an array of length 2, got an object"),
        ] {
            assert_eq!(refusal(text), message, "{text}");
        }
        let twice = parse_tool_args::<Cart>(&ToolArguments::from(r#"{"items":[],"items":[]}"#)).unwrap_err();
        assert_eq!(twice.to_string(), "Invalid arguments: `items`: given more than once");
    }

    #[test]
    fn a_message_stays_short_whatever_was_sent() {
        let long = "é".repeat(10_000);
        for text in [
            format!(r#"{{"items":"{long}"}}"#),
            format!(r#"{{"items":[],"coupon":"{long}"}}"#),
            format!(r#"{{"items":[],"max_depth":"{long}"}}"#),
            format!(r#"{{"items":[],"{long}":1}}"#),
        ] {
            let message = refusal(&text);
            assert!(message.chars().count() < 1_000, "{} characters", message.chars().count());
            assert!(message.contains('…'), "{message}");
        }
    }
}
