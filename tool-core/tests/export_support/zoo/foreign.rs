//! Schemas that did not come from a Rust type.

use serde_json::{Value, json};
use tool_core::ToolDescriptor;

/// Schemas of other generators, and of other days.
pub fn foreign() -> Vec<ToolDescriptor> {
    let tool = |id: &str, schema: Value| ToolDescriptor::new("elsewhere", id, format!("The tool {id}."), schema, None);
    vec![
        tool("bare", json!({"type": "object"})),
        tool(
            "pydantic",
            json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                "title": "CreateArguments",
                "type": "object",
                "properties": {
                    "title": {"title": "Title", "type": "string"},
                    "due_date": {"title": "Due Date", "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": null},
                    "owner": {"allOf": [{"$ref": "#/definitions/User"}], "description": "Who does it."},
                    "watchers": {"title": "Watchers", "type": "array", "items": {"$ref": "#/definitions/User"}, "default": []},
                },
                "required": ["title", "owner"],
                "definitions": {"User": {
                    "title": "User", "type": "object",
                    "properties": {"name": {"title": "Name", "type": "string"}, "age": {"title": "Age", "type": "integer"}},
                    "required": ["name"],
                }},
            }),
        ),
        tool(
            "root_ref",
            json!({
                "$ref": "#/$defs/Filter",
                "$defs": {"Filter": {
                    "type": "object",
                    "properties": {"field": {"type": "string"}, "and": {"type": "array", "items": {"$ref": "#"}}},
                    "required": ["field"],
                }},
            }),
        ),
        tool(
            "conditional",
            json!({
                "type": "object",
                "properties": {"mode": {"type": "string", "enum": ["a", "b"]}, "depth": {"type": "integer", "not": {"const": 3}}},
                "if": {"properties": {"mode": {"const": "a"}}},
                "then": {"required": ["depth"]},
                "patternProperties": {"^x-": {"type": "string"}},
            }),
        ),
        tool(
            "dangling",
            json!({"type": "object", "properties": {"other": {"$ref": "https://example.com/other.json"}}}),
        ),
        tool("not.an/object", json!({"type": "string"})),
        tool(
            "9 lives & a very long name indeed, longer than any provider takes for the name of a tool: sixty-four",
            json!({
                "type": "object", "properties": {"n": {"type": ["integer", "string", "null"], "minimum": 1}}, "required": ["n"],
            }),
        ),
        ToolDescriptor::new(
            "elsewhere",
            "long_description",
            "Says much. ".repeat(120),
            json!({
                "type": "object", "properties": {}, "additionalProperties": false,
            }),
            None,
        ),
    ]
}
