//! The exports for Gemini: `parameters` and `parametersJsonSchema`.

use serde_json::{Map, Value, json};

use super::dialect::{GEMINI, GEMINI_JSON_SCHEMA};
use super::finding::Notes;
use super::model::{Document, Shape};
use super::read::read;
use super::render::render;
use super::root::object_root;
use super::tidy::tidied;
use crate::descriptor::ToolDescriptor;

/// A function declaration. A request holds all of them in one tool, since the API takes one with functions.
pub(super) fn declaration(descriptor: &ToolDescriptor, name: &str, json_schema: bool, notes: &mut Notes<'_>) -> Value {
    let mut entry =
        Map::from_iter([("name".to_owned(), json!(name)), ("description".to_owned(), json!(descriptor.description()))]);
    let mut schema = tidied(descriptor.input_schema());
    object_root(&mut schema, notes);
    let document = read(&schema);
    if takes_arguments(&document) {
        let (keyword, dialect) =
            if json_schema { ("parametersJsonSchema", &GEMINI_JSON_SCHEMA) } else { ("parameters", &GEMINI) };
        // A dialect that is not strict says what it can.
        let schema = render(&document, dialect, notes).unwrap_or_else(|_| json!({"type": "object"}));
        entry.insert(keyword.to_owned(), schema);
    }
    Value::Object(entry)
}

/// The API refuses an object without properties: a tool without arguments has no parameters.
fn takes_arguments(document: &Document) -> bool {
    match &document.root.shape {
        Shape::Object(object) => {
            !object.properties.is_empty()
                || matches!(object.additional, super::model::Additional::Map(_) | super::model::Additional::Open)
        }
        _ => true,
    }
}
