//! What a parameter is asked beyond its type stands in the schema, also where serde's and schemars' words say it.
#![deny(warnings)]

use serde_json::json;
use std::collections::HashMap;
use tool_core::{Tool, ToolDescriptor, tool};

const MOST: u64 = 5_000_000_000;

fn half() -> f64 {
    0.5
}

/// Finds.
#[tool]
#[allow(clippy::too_many_arguments)]
fn find(
    #[arg(range(1..=100), default = 10, example = 20)] limit: u32,
    #[arg(range(-5..5))] offset: i64,
    #[arg(range(..=MOST))] big: u64,
    #[arg(range(3000000000..))] literal: u64,
    #[arg(range(0.5..=1.5))] ratio: Option<f64>,
    #[arg(length(1..=80), pattern = "^#W[0-9]+$", example = "#W1", deprecated)] order: &str,
    #[arg(length(..3))] tags: Vec<String>,
    #[arg(length(1..))] map: HashMap<String, u8>,
    #[serde(default = "half")]
    #[schemars(range(min = 0, max = 1), example = 0.25, description = "A share.")]
    share: f64,
    #[serde(default, rename = "sortBy")]
    #[schemars(length(equal = 3), regex(pattern = "^[a-z]+$"))]
    sort_by: String,
) -> usize {
    limit as usize + offset as usize + big as usize + literal as usize + ratio.map_or(0, |_| 1) + order.len() + tags.len()
        + map.len() + share as usize + sort_by.len()
}

fn main() {
    let schema = ToolDescriptor::for_tool::<Find>("local").input_schema().clone();
    for (name, expected) in [
        ("limit", json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "examples": [20]})),
        ("offset", json!({"type": "integer", "minimum": -5, "exclusiveMaximum": 5})),
        ("big", json!({"type": "integer", "minimum": 0, "maximum": MOST})),
        ("literal", json!({"type": "integer", "minimum": 3_000_000_000_u64, "maximum": u64::MAX})),
        ("ratio", json!({"type": ["number", "null"], "minimum": 0.5, "maximum": 1.5})),
        (
            "order",
            json!({"type": "string", "minLength": 1, "maxLength": 80, "pattern": "^#W[0-9]+$", "examples": ["#W1"],
                "deprecated": true}),
        ),
        ("tags", json!({"type": "array", "items": {"type": "string"}, "maxItems": 2})),
        (
            "map",
            json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 255},
                "minProperties": 1}),
        ),
        (
            "share",
            json!({"type": "number", "minimum": 0, "maximum": 1, "default": 0.5, "examples": [0.25],
                "description": "A share."}),
        ),
        ("sortBy", json!({"type": "string", "minLength": 3, "maxLength": 3, "pattern": "^[a-z]+$", "default": ""})),
    ] {
        assert_eq!(schema["properties"][name], expected, "{name}");
    }
    assert_eq!(Find::ID, "find");
}
