//! The smallest tool: one function, one call. `cargo run -p examples --bin hello`

use tool_core::{RawToolRegistry, ToolCall, ToolError, erase, tool};

/// Greets a person by name.
#[tool(read_only)]
async fn greet(
    /// The person's first name.
    name: String,
) -> String {
    format!("Hello, {name}!")
}

#[tokio::main]
async fn main() -> Result<(), ToolError> {
    let registry = RawToolRegistry::new([erase(Greet)]);
    let call = ToolCall::new("call_1", "greet", r#"{"name": "Ada"}"#);
    println!("{}", registry.dispatch(&call).await?.text());
    Ok(())
}
