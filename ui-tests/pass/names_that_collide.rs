//! Raw identifiers, parameters named like the function or like names of the expansion, keywords on the wire.
#![deny(warnings)]

use tool_core::{RawToolRegistry, ToolCall, ToolContext, erase, tool};

/// Moves.
#[tool]
fn r#move(r#type: String, r#move: u32, #[state] returned: &u32, #[state] value: &u32) -> String {
    format!("{type}{move}{returned}{value}", r#type = r#type, r#move = r#move)
}

/// Collides.
#[tool]
async fn collide(
    collide: u32,
    args: u32,
    map: u32,
    name: u32,
    fields: u32,
    generator: u32,
    deserializer: u32,
    #[context] context: &ToolContext,
) -> u32 {
    let _ = context;
    collide + args + map + name + fields + generator + deserializer
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = RawToolRegistry::new([erase(Move::new(3, 4)), erase(Collide)]);
    let output = registry.dispatch(&ToolCall::new("c", "move", r#"{"type":"t","move":2}"#)).await.unwrap();
    assert_eq!(output.text(), "t234");
    let all = r#"{"collide":1,"args":1,"map":1,"name":1,"fields":1,"generator":1,"deserializer":1}"#;
    assert_eq!(registry.dispatch(&ToolCall::new("c", "collide", all)).await.unwrap().text(), "7");
}
