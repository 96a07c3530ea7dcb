//! The export for MCP (2026-07-28): any 2020-12 keyword, an object at the root.

use serde_json::{Map, Value, json};

use super::finding::{Notes, Rule};
use super::tidy::tidied;
use crate::annotations::ToolAnnotations;
use crate::descriptor::ToolDescriptor;

pub(super) fn entry(descriptor: &ToolDescriptor, name: &str, notes: &mut Notes<'_>) -> Value {
    let mut schema = tidied(descriptor.input_schema());
    match schema.as_object_mut() {
        // A reference as the root says nothing of its type by itself, and neither does a union: the type stands beside.
        Some(root) if root.get("type") == Some(&json!("object")) => {}
        Some(root)
            if !root.contains_key("type") && ["properties", "$ref", "allOf"].iter().any(|k| root.contains_key(*k)) =>
        {
            root.insert("type".to_owned(), json!("object"));
        }
        _ => {
            notes.add(
                "$",
                Rule::RootNotObject,
                "the arguments are not an object; put them into the fields of a struct",
            );
            schema = json!({"type": "object"});
        }
    }
    let mut entry = Map::from_iter([
        ("name".to_owned(), json!(name)),
        ("description".to_owned(), json!(descriptor.description())),
        ("inputSchema".to_owned(), schema),
    ]);
    entry.extend(descriptor.title().map(|title| ("title".to_owned(), json!(title))));
    entry.extend(descriptor.output_schema().map(|schema| ("outputSchema".to_owned(), tidied(schema))));
    let hints = hints(descriptor.annotations());
    if !hints.is_empty() {
        entry.insert("annotations".to_owned(), Value::Object(hints));
    }
    Value::Object(entry)
}

fn hints(annotations: &ToolAnnotations) -> Map<String, Value> {
    [
        ("readOnlyHint", annotations.read_only),
        ("destructiveHint", annotations.destructive),
        ("openWorldHint", annotations.open_world),
    ]
    .into_iter()
    .filter_map(|(hint, stated)| Some((hint.to_owned(), json!(stated?))))
    .collect()
}
