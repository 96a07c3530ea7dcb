//! The schemas directly below a schema.

use serde_json::{Map, Value};

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
const NAMED: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Where a schema stands below its parent: the keyword, and within `properties` and its like the name.
pub(crate) type Place<'a> = (&'a str, Option<&'a str>);

/// Visits the schemas directly below, but not what only looks like one (a `default`, an `enum` value).
pub(crate) fn each_below_mut(schema: &mut Map<String, Value>, visit: &mut dyn FnMut(Place<'_>, &mut Value)) {
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
