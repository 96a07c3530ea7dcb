//! Walking JSON Schemas as values: what every export needs, whatever it makes of them.

use serde_json::{Map, Value};

/// How deep a schema is followed. What is deeper is treated as free-form: no provider takes a tenth of it.
pub(crate) const DEEPEST: usize = 100;

/// Keywords whose value is one schema.
const ONE: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas. (`items` too, before 2020-12.)
const LIST: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords whose value maps names to schemas.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Where a schema stands below its parent: the keyword, and within `properties` and its like the name.
pub(crate) type Place<'a> = (&'a str, Option<&'a str>);

/// Visits the schemas directly below, but not what only looks like one (a `default`, an `enum` value).
pub(super) fn each_below_mut(schema: &mut Map<String, Value>, visit: &mut dyn FnMut(Place<'_>, &mut Value)) {
    for (keyword, value) in schema.iter_mut() {
        let keyword = keyword.as_str();
        match value {
            Value::Object(map) if NAMED.contains(&keyword) => {
                map.iter_mut().for_each(|(name, value)| visit((keyword, Some(name)), value));
            }
            Value::Array(list) if LIST.contains(&keyword) => {
                for value in list.iter_mut() {
                    visit((keyword, None), value);
                }
            }
            Value::Object(_) | Value::Bool(_) if ONE.contains(&keyword) => visit((keyword, None), value),
            _ => {}
        }
    }
}

/// [`each_below_mut`], to look only.
pub(crate) fn each_below<'a>(schema: &'a Map<String, Value>, visit: &mut dyn FnMut(Place<'a>, &'a Value)) {
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        match value {
            Value::Object(map) if NAMED.contains(&keyword) => {
                map.iter().for_each(|(name, value)| visit((keyword, Some(name)), value));
            }
            Value::Array(list) if LIST.contains(&keyword) => {
                for value in list {
                    visit((keyword, None), value);
                }
            }
            Value::Object(_) | Value::Bool(_) if ONE.contains(&keyword) => visit((keyword, None), value),
            _ => {}
        }
    }
}

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
