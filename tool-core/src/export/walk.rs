//! Walking JSON Schemas as values: what every export needs, whatever it makes of them.

use serde_json::{Map, Value};
use std::borrow::Cow;

/// How deep a schema is followed. What is deeper is treated as free-form: no provider takes a tenth of it.
pub(crate) const DEEPEST: usize = 100;

pub(crate) use crate::subschemas::{Place, each_below, each_below_mut};

/// How long a path may be, and a name in it. Every finding has a path, so that a long name would count at all that is
/// below it.
const LONGEST_PATH: usize = 240;
const LONGEST_NAME: usize = 80;

/// The path of a schema below one at `path`, in terms of the arguments that it describes.
pub(crate) fn below(path: &str, (keyword, name): Place<'_>) -> String {
    if path.len() > LONGEST_PATH {
        return path.to_owned();
    }
    match (keyword, name) {
        ("properties", Some(name)) => property_path(path, name),
        ("$defs" | "definitions", Some(name)) => format!("$defs.{}", beginning(name)),
        ("items" | "prefixItems" | "contains" | "additionalItems" | "unevaluatedItems", _) => format!("{path}[*]"),
        ("additionalProperties" | "patternProperties" | "unevaluatedProperties", _) => format!("{path}.*"),
        _ => path.to_owned(),
    }
}

/// The path of a property.
pub(crate) fn property_path(path: &str, name: &str) -> String {
    if path.len() > LONGEST_PATH {
        return if path.ends_with('…') { path.to_owned() } else { format!("{path}.…") };
    }
    let shown = beginning(name);
    let name = &*shown;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain { format!("{path}.{name}") } else { format!("{path}[{}]", Value::from(name)) }
}

/// A name, cut if it is long.
fn beginning(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]).into(),
        None => name.into(),
    }
}

/// How much there is to copy, in values of up to 32 bytes, counted no further than `limit`.
pub(super) fn weight(value: &Value, limit: usize) -> usize {
    let mut weight = 1;
    match value {
        Value::String(text) => weight += text.len() / 32,
        Value::Array(list) => {
            for value in list {
                if weight >= limit {
                    break;
                }
                weight += self::weight(value, limit - weight);
            }
        }
        Value::Object(map) => {
            for (name, value) in map {
                if weight >= limit {
                    break;
                }
                weight += name.len() / 32 + self::weight(value, limit - weight);
            }
        }
        _ => {}
    }
    weight
}

/// What `$ref` points to within its document; nothing for another document, or an anchor.
pub(super) fn resolve<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    document.pointer(&percent_decoded(pointer)?)
}

/// A URI fragment as text.
fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The description of a schema; empty where it has none.
pub(crate) fn description(schema: &Map<String, Value>) -> &str {
    schema.get("description").and_then(Value::as_str).map(str::trim).unwrap_or_default()
}

/// Two descriptions as one, the outer one first; one that says what the other says is left out.
pub(super) fn joined(outer: &str, inner: &str) -> String {
    if outer.contains(inner) {
        outer.to_owned()
    } else if inner.contains(outer) {
        inner.to_owned()
    } else {
        format!("{outer}\n\n{inner}")
    }
}

/// Writes a description, or none where it is empty.
pub(super) fn describe(schema: &mut Map<String, Value>, description: &str) {
    if description.is_empty() {
        schema.remove("description");
    } else {
        schema.insert("description".to_owned(), description.into());
    }
}

/// Whether the schema describes an object, by its `type` or, where it has none, by its keywords.
pub(super) fn is_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(kind) => kind == "object",
        None => schema.contains_key("properties"),
    }
}
