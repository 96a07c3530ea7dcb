//! Walking JSON Schemas as values: what every export needs, whatever it makes of them.

use serde_json::{Map, Value};

/// How deep a schema is followed. What is deeper is treated as free-form: no provider takes a tenth of it.
pub(crate) const DEEPEST: usize = 100;

pub(crate) use crate::subschemas::{Place, each_below, each_below_mut};

/// The path of a schema below one at `path`, in terms of the arguments that it describes.
pub(crate) fn below(path: &str, (keyword, name): Place<'_>) -> String {
    match (keyword, name) {
        ("properties", Some(name)) => property_path(path, name),
        ("$defs" | "definitions", Some(name)) => format!("$defs.{name}"),
        ("items" | "prefixItems" | "contains" | "additionalItems" | "unevaluatedItems", _) => format!("{path}[*]"),
        ("additionalProperties" | "patternProperties" | "unevaluatedProperties", _) => format!("{path}.*"),
        _ => path.to_owned(),
    }
}

/// The path of a property.
pub(crate) fn property_path(path: &str, name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain { format!("{path}.{name}") } else { format!("{path}[{}]", Value::from(name)) }
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
