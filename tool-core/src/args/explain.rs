//! What a decoder refuses although the schema allows it: which place it means, and how to say so to a model.
//!
//! A plain decode says nothing of the path, and a decode that tracks it costs nearly twice as much, so that the path
//! is only looked for once there is something to explain. A decoder's sentences speak of Rust; they are put into JSON's
//! terms here.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::decode::{Decoder, OF_A_NAME, Segment, Spoken, TAG_IN_AN_ARRAY, Way, path_of};
use super::describe::{self, quoted, shortened, unknown_name};
use super::input::Text;
use super::key;
use super::plan::{Kinds, Plan};
use super::quote;
use super::reader::Reader;
use super::report;
use super::terms::{self, Said};
use crate::error::{ArgumentFault, InvalidArguments, ToolError};
use crate::secrets::Secrets;

/// Decodes `text` into `A` once more, with numbers as numbers and the path tracked, or explains why it does not. The text
/// has been walked: it is JSON.
pub(super) fn decoded<A: DeserializeOwned>(plan: &Plan, text: &str, secrets: &Secrets) -> Result<A, ToolError> {
    let (reader, way) = (Reader::new(text), Way::default());
    A::deserialize(Decoder::new(&reader, Spoken::root(plan), &way))
        .map_err(|refusal| fault(&refusal.to_string(), &way.into_segments(), plan, text, secrets))
}

fn fault(sentence: &str, segments: &[Segment<'_>], plan: &Plan, text: &str, secrets: &Secrets) -> ToolError {
    if let Some(fault) = quote::unquotable(sentence, segments, text, secrets) {
        return ToolError::InvalidArguments(InvalidArguments::new([fault]));
    }
    let place = Place { segments, plan, text };
    let fault = in_json_terms(&place, sentence);
    // Keys of a map are the model's own, and as long as it likes.
    let message = report::cut(fault.message()).unwrap_or_else(|| fault.message().to_owned()); // a decoder of somebody else's may quote all that it got
    ToolError::InvalidArguments(InvalidArguments::new([ArgumentFault::new(shortened(fault.path()), message)]))
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

const AN_ARRAY_FOR_AN_OBJECT: &str = "expected an object, got an array";

/// Where a decoder stands that refuses.
struct Place<'a> {
    segments: &'a [Segment<'a>],
    plan: &'a Plan,
    text: &'a str,
}

impl<'a> Place<'a> {
    fn path(&self) -> String {
        path_of(self.segments)
    }

    /// The path of what encloses it.
    fn parent(&self) -> String {
        path_of(self.segments.split_last().map_or(&[], |(_, enclosing)| enclosing))
    }

    /// What was sent there, and what the schema says of it.
    fn meant(&self) -> (Value, Spoken<'a>) {
        let mut value = serde_json::from_str(self.text).unwrap_or(Value::Null);
        let mut spoken = Spoken::root(self.plan);
        for segment in self.segments {
            let next = match segment {
                Segment::Element(index) => {
                    spoken = spoken.element(*index);
                    value.get_mut(*index)
                }
                Segment::Member(key) => {
                    spoken = spoken.member(Text::new(key, false));
                    value.get_mut(&**key)
                }
                Segment::Form(name) => {
                    spoken = spoken.content();
                    value.get_mut(&**name)
                }
            };
            value = next.map(Value::take).unwrap_or_default();
        }
        (value, spoken)
    }

    fn got(&self) -> String {
        describe::got_value(&self.meant().0)
    }

    /// Says of a value that fits none of several forms what they are, as far as a schema does.
    fn no_form(&self) -> String {
        let (value, spoken) = self.meant();
        let forms = match spoken {
            Spoken::By(plan, id) => describe::expected(plan, id),
            Spoken::Nothing | Spoken::Unclear => "one of several forms".to_owned(),
        };
        format!("expected {forms}, got {} that fits none", describe::got_value(&value))
    }

    /// Says what to write for the name of a form whose content has to come with it.
    fn form_without_content(&self, content: Kinds) -> ArgumentFault {
        let (value, _) = self.meant();
        match value.as_str() {
            Some(name) => ArgumentFault::new(self.path(), describe::form_without_content(name, content)),
            None => ArgumentFault::new(self.path(), "expected an object that holds the content of this form"),
        }
    }
}

/// Puts a decoder's sentence into JSON's terms.
fn in_json_terms(place: &Place<'_>, sentence: &str) -> ArgumentFault {
    let path = place.path();
    let (sentence, of_a_name) = match sentence.strip_prefix(OF_A_NAME) {
        Some(sentence) => (sentence, true),
        None => (sentence, false),
    };
    let serdes = terms::without_position(sentence);
    if let Some(field) = serdes.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        // The tag of an enum, as the first element of an empty array.
        if place.meant().0.is_array() {
            return ArgumentFault::new(path, AN_ARRAY_FOR_AN_OBJECT);
        }
        return ArgumentFault::new(below(&path, field), "required, but missing");
    }
    if let Some(field) = serdes.strip_prefix("duplicate field `").and_then(|rest| rest.strip_suffix('`')) {
        return ArgumentFault::new(below(&path, field), "given more than once");
    }
    if let Some((field, known)) = serdes.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`')) {
        return ArgumentFault::new(unknown_path(&path, field), unknown(field, known, "property"));
    }
    if let Some((variant, known)) = serdes.strip_prefix("unknown variant `").and_then(|rest| rest.split_once('`')) {
        return ArgumentFault::new(path, unknown(variant, known, "value"));
    }
    if serdes == TAG_IN_AN_ARRAY {
        return ArgumentFault::new(place.parent(), AN_ARRAY_FOR_AN_OBJECT);
    }
    if of_a_name
        && let Some(Segment::Member(key)) = place.segments.last()
        && let Some(expected) = terms::expected_of_a_name(serdes)
    {
        return ArgumentFault::new(path, describe::wrong_name(&expected, key, key::plain_spelling(key)));
    }
    let words = match terms::said(serdes) {
        None => sentence.to_owned(),
        Some(Said::Words(words)) => words,
        Some(Said::Expected(expected, got)) => {
            format!("expected {expected}, got {}", got.unwrap_or_else(|| place.got()))
        }
        Some(Said::NoForm) => place.no_form(),
        Some(Said::FormWithoutContent(content)) => return place.form_without_content(content),
    };
    ArgumentFault::new(path, words)
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

/// An unknown property or value; `known` is the decoder's list of the known ones, in back ticks, or nothing at all.
fn unknown(given: &str, known: &str, what: &str) -> String {
    if known.is_empty() {
        return format!("unknown {what} {}", quoted(given));
    }
    unknown_name(given, what, &known.split('`').skip(1).step_by(2).collect::<Vec<_>>())
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
