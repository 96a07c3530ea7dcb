//! `#[args]` takes the whole object as a type of the author's own: a struct, a tagged enum, a generic type, lent or not.
#![deny(warnings)]

use tool_core::{RawToolRegistry, ToolCall, erase, tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page<T> {
    of: T,
    number: u32,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

/// Measures.
#[tool(read_only)]
fn measure(#[args] shape: Shape) -> f64 {
    match shape {
        Shape::Circle { radius } => radius * 2.0,
        Shape::Square { side } => side,
    }
}

/// Turns.
#[tool(read_only, identity(operation = "turn", target = page.number))]
fn turn(#[args] page: &Page<Option<String>>, #[state] prefix: &String) -> String {
    format!("{prefix}{:?}{}", page.of, page.number)
}

/// Counts.
#[tool(read_only)]
async fn count(#[args] tree: Tree) -> usize {
    tree.name.len() + tree.children.len()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry =
        RawToolRegistry::try_new([erase(Measure), erase(Turn::new("p".to_owned())), erase(Count)]).unwrap();
    for (id, arguments, text) in [
        ("measure", r#"{"kind":"circle","radius":1.5}"#, "3.0"),
        ("turn", r#"{"of":"x","number":3}"#, "pSome(\"x\")3"),
        ("count", r#"{"name":"root","children":[{"name":"leaf","children":[]}]}"#, "5"),
    ] {
        assert_eq!(registry.dispatch(&ToolCall::new("c", id, arguments)).await.unwrap().text(), text);
    }
    for descriptor in registry.descriptors() {
        assert_eq!(descriptor.input_schema()["type"], "object", "{}", descriptor.id());
    }
}

/// Adds.
#[tool]
fn lent(number: &u32, text: &'_ str) -> u32 {
    *number + text.len() as u32
}
