//! What every export does to a schema: noise goes, and what a schema says in a roundabout way is said plainly.
//! The result allows the same values.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

use super::walk::{DEEPEST, Place, describe, description, each_below_mut, joined};

/// The schema without generator noise, keys sorted, enums of documented variants as one string `enum`.
pub(crate) fn tidied(schema: &Value) -> Value {
    let mut schema = schema.clone();
    schema.sort_all_objects(); // nothing that follows depends on serde_json's `preserve_order`
    tidy(&mut schema, ("$defs", None), 0);
    if let Some(root) = schema.as_object_mut() {
        root.remove("$id");
    }
    schema
}

fn tidy(schema: &mut Value, place: Place<'_>, depth: usize) {
    if let Value::Bool(allowed) = *schema {
        // Several readers want an object wherever a schema stands; these keywords alone are known to take a boolean.
        if !matches!(place.0, "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems" | "items")
            || allowed && place.0 == "items"
        {
            *schema = if allowed { json!({}) } else { json!({"not": {}}) };
        }
        return;
    }
    let Some(object) = schema.as_object_mut() else { return };
    if depth > DEEPEST {
        return; // no export reads on from here
    }
    object.remove("$schema");
    object.remove("$comment");
    if object.get("title").is_some_and(|title| is_generated(title, place)) {
        object.remove("title");
    }
    plain_format(object);
    fold_variants(object);
    each_below_mut(object, &mut |place, below| tidy(below, place, depth + 1));
}

/// A title at the root or of a definition is the name of a type; that of a property is usually its name again.
fn is_generated(title: &Value, (keyword, name): Place<'_>) -> bool {
    let letters =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    match (keyword, name, title.as_str()) {
        ("properties", Some(name), Some(title)) => letters(title) == letters(name),
        _ => true,
    }
}

/// Takes away the formats by which generators name Rust's and C's numbers, and says what they mean.
fn plain_format(object: &mut Map<String, Value>) {
    let Some(format) = object.get("format").and_then(Value::as_str) else { return };
    let unsigned = matches!(format, "uint" | "uint8" | "uint16" | "uint32" | "uint64" | "uint128");
    if unsigned && !object.contains_key("exclusiveMinimum") {
        object.entry("minimum").or_insert(json!(0));
    }
    let signed = matches!(object.get("format").and_then(Value::as_str), Some(format) if format.starts_with("int"));
    let float = matches!(object.get("format").and_then(Value::as_str), Some("float" | "double"));
    if unsigned || signed || float {
        object.remove("format");
    }
}

/// Makes one string `enum` of the branches of a union that each allow some texts and nothing else, and puts what they
/// say of themselves into the description.
fn fold_variants(object: &mut Map<String, Value>) {
    if object.get("type").is_some_and(|kind| kind != "string") {
        return;
    }
    for keyword in ["oneOf", "anyOf"] {
        let Some(Value::Array(branches)) = object.get_mut(keyword) else { continue };
        let texts = branches.iter().filter(|branch| branch.as_object().and_then(texts_of).is_some()).count();
        // One undocumented branch of texts beside others is in its simplest form.
        if texts == 0 || texts == 1 && branches.len() > 1 {
            continue;
        }
        let mut values = Vec::new();
        let mut seen = BTreeSet::new();
        let mut docs = Vec::new();
        let mut position = None;
        let mut rest = Vec::new();
        for branch in std::mem::take(branches) {
            match branch.as_object().and_then(|branch| Some((texts_of(branch)?, description(branch)))) {
                Some((texts, doc)) => {
                    position.get_or_insert(rest.len());
                    if !doc.is_empty() {
                        docs.push(variant_line(&texts, doc));
                    }
                    values.extend(texts.into_iter().filter(|text| seen.insert((*text).to_owned())).map(Value::from));
                }
                None => rest.push(branch),
            }
        }
        let mut folded =
            Map::from_iter([("type".to_owned(), json!("string")), ("enum".to_owned(), Value::Array(values))]);
        describe(&mut folded, &docs.join("\n"));
        if rest.is_empty() && !object.contains_key("enum") && !object.contains_key("const") {
            let text = joined(description(object), &docs.join("\n"));
            object.remove(keyword);
            object.extend(folded);
            describe(object, &text);
        } else {
            rest.insert(position.unwrap_or_default(), Value::Object(folded));
            object.insert(keyword.to_owned(), Value::Array(rest));
        }
    }
}

/// What a line of a list says of some values.
pub(super) fn variant_line(values: &[&str], doc: &str) -> String {
    let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
    format!("- {}: {}", values.join(", "), doc.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The texts that a schema allows, if it allows nothing else and says nothing that would be lost.
pub(super) fn texts_of(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    const KNOWN: [&str; 6] = ["const", "deprecated", "description", "enum", "title", "type"];
    if schema.get("type").is_some_and(|kind| kind != "string")
        || !schema.keys().all(|key| KNOWN.contains(&key.as_str()))
    {
        return None;
    }
    match (schema.get("const"), schema.get("enum")) {
        (Some(Value::String(text)), None) => Some(vec![text]),
        (None, Some(Value::Array(values))) => values.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_variants_become_one_enum_with_their_docs_in_the_description() {
        let schema = json!({
            "description": "How to sort.",
            "oneOf": [
                {"type": "string", "enum": ["none", "random"]},
                {"type": "string", "const": "newest", "description": "Newest\nfirst."},
            ],
        });
        assert_eq!(
            tidied(&schema),
            json!({
                "type": "string",
                "enum": ["none", "random", "newest"],
                "description": "How to sort.\n\n- `newest`: Newest first.",
            })
        );
    }

    #[test]
    fn unit_variants_beside_others_become_one_branch() {
        let schema = json!({"oneOf": [
            {"type": "string", "const": "all", "description": "All of them."},
            {"type": "object", "properties": {"some": {"type": "integer"}}, "required": ["some"]},
            {"type": "string", "const": "none"},
        ]});
        assert_eq!(
            tidied(&schema)["oneOf"],
            json!([
                {"type": "string", "enum": ["all", "none"], "description": "- `all`: All of them."},
                {"type": "object", "properties": {"some": {"type": "integer"}}, "required": ["some"]},
            ])
        );
    }

    #[test]
    fn noise_goes_and_properties_that_bear_its_names_stay() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Args",
            "type": "object",
            "properties": {
                "title": {"title": "Title", "type": "string", "format": "uuid"},
                "order_id": {"title": "Order Id", "type": "integer", "format": "uint32"},
                "$schema": {"title": "The dialect", "type": "number", "format": "double", "default": {"title": "kept"}},
                "anything": true,
            },
            "additionalProperties": false,
        });
        assert_eq!(
            tidied(&schema),
            json!({
                "type": "object",
                "properties": {
                    "title": {"type": "string", "format": "uuid"},
                    "order_id": {"type": "integer", "minimum": 0},
                    "$schema": {"title": "The dialect", "type": "number", "default": {"title": "kept"}},
                    "anything": {},
                },
                "additionalProperties": false,
            })
        );
    }
}
