//! Nested structs and enums of the author's own, shared by several tools.
#![deny(warnings)]

use std::collections::BTreeMap;
use tool_core::{RawToolRegistry, ToolCall, erase, tool};

#[derive(Clone, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    /// Metres.
    Metre,
    /// Feet.
    Foot,
}

#[derive(Clone, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Length {
    value: f64,
    #[serde(default = "metre")]
    unit: Unit,
}

fn metre() -> Unit {
    Unit::Metre
}

/// Doubles.
#[tool(read_only)]
fn double(length: Length) -> Length {
    Length { value: length.value * 2.0, unit: length.unit }
}

/// Counts.
#[tool(read_only)]
fn count(by_name: BTreeMap<String, Length>, also: Option<Vec<Unit>>) -> usize {
    by_name.len() + also.map_or(0, |also| also.len())
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = RawToolRegistry::try_new([erase(Double), erase(Count)]).unwrap();
    for (id, arguments, text) in [
        ("double", r#"{"length":{"value":1.5}}"#, r#"{"value":3.0,"unit":"metre"}"#),
        ("count", r#"{"by_name":{"a":{"value":1,"unit":"foot"}},"also":["metre"]}"#, "2"),
    ] {
        assert_eq!(registry.dispatch(&ToolCall::new("c", id, arguments)).await.unwrap().text(), text);
    }
    let refused = registry.dispatch(&ToolCall::new("c", "double", r#"{"length":{"value":1,"unti":"foot"}}"#)).await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "Invalid arguments: `length.unti`: unknown property \"unti\"; did you mean `unit`? Known: `unit`, `value`"
    );
}
