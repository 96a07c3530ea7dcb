//! Saying in words what a provider's schemas cannot.

use serde_json::Value;
use std::collections::BTreeMap;

use super::model::{Additional, Node, Shape};
use crate::schema::is_bound_of_single;

/// The bounds as sentences: `From 1 to 100. A multiple of 5.`
pub(super) fn bounds(bounds: &BTreeMap<String, Value>) -> String {
    let text = |keyword: &str| bounds.get(keyword).filter(|bound| !is_noise(bound)).map(shown);
    let mut said = Vec::new();
    said.extend(range(text("minimum"), text("maximum"), ""));
    said.extend(text("exclusiveMinimum").map(|bound| format!("More than {bound}.")));
    said.extend(text("exclusiveMaximum").map(|bound| format!("Less than {bound}.")));
    said.extend(text("multipleOf").map(|factor| format!("A multiple of {factor}.")));
    said.extend(range(text("minLength"), text("maxLength"), " characters"));
    said.extend(range(text("minItems"), text("maxItems"), " items"));
    said.extend(range(text("minProperties"), text("maxProperties"), " properties"));
    said.extend(bounds.get("uniqueItems").map(|_| "No item twice.".to_owned()));
    said.extend(text("pattern").map(|pattern| format!("Matches the regular expression `{pattern}`.")));
    said.extend(text("format").map(|format| format!("Format: {format}.")));
    said.join(" ")
}

/// Whether a bound is not worth saying: 39 digits that only keep a float from being infinite.
pub(super) fn is_noise(bound: &Value) -> bool {
    is_bound_of_single(bound)
}

fn range(least: Option<String>, most: Option<String>, unit: &str) -> Option<String> {
    Some(match (least, most) {
        (Some(least), Some(most)) if least == most => format!("Exactly {least}{unit}."),
        (Some(least), Some(most)) => format!("From {least} to {most}{unit}."),
        (Some(least), None) => format!("At least {least}{unit}."),
        (None, Some(most)) => format!("At most {most}{unit}."),
        (None, None) => return None,
    })
}

/// A value as a model would write it, a text without its quotes.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `One of 1, 2, 3.`
pub(super) fn one_of(values: &[Value]) -> String {
    let values: Vec<String> = values.iter().map(Value::to_string).collect();
    format!("One of {}.", values.join(", "))
}

/// What sort of value a schema describes, for a sentence: `a whole number (from 0 to 255)`.
pub(super) fn kind(node: &Node) -> String {
    let kind = match &node.shape {
        Shape::Anything | Shape::Nothing | Shape::Reference(_) => "any value".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Boolean => "true or false".to_owned(),
        Shape::Integer => "a whole number".to_owned(),
        Shape::Number => "a number".to_owned(),
        Shape::Text => "a text".to_owned(),
        Shape::Choice(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" or "),
        Shape::List(list) if list.first.is_empty() => format!("a list, each item {}", kind(&list.rest)),
        Shape::List(list) => format!("a list of {}", list.first.iter().map(kind).collect::<Vec<_>>().join(", then ")),
        Shape::Object(object) => match (&object.additional, object.properties.is_empty()) {
            (Additional::Map(node), true) => format!("an object, each value {}", kind(node)),
            (_, true) => "an object".to_owned(),
            (_, false) => {
                let names: Vec<String> = object.properties.keys().map(|name| format!("`{name}`")).collect();
                format!("an object with {}", names.join(", "))
            }
        },
        Shape::Union(union) => union.branches.iter().map(kind).collect::<Vec<_>>().join(" or "),
    };
    let bounds = bounds(&node.bounds);
    let mut bounds = bounds.trim_end_matches('.').chars();
    let bounds: String = bounds.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(bounds).collect();
    let kind = if bounds.is_empty() { kind } else { format!("{kind} ({bounds})") };
    if node.nullable { format!("{kind} or null") } else { kind }
}

/// A description with a sentence added to its end.
pub(super) fn added(description: &str, sentence: &str) -> String {
    match (description.is_empty(), sentence.is_empty()) {
        (true, _) => sentence.to_owned(),
        (_, true) => description.to_owned(),
        // A list at the end stays a list.
        _ if description.lines().next_back().is_some_and(|line| line.starts_with("- ")) => {
            format!("{description}\n\n{sentence}")
        }
        _ if description.ends_with(['.', '!', '?', ':']) => format!("{description} {sentence}"),
        _ => format!("{description}. {sentence}"),
    }
}
