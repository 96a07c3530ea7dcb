//! The macro is a convenience: a tool written by hand needs the same few items and no more.
#![deny(warnings)]

use tool_core::{RawToolRegistry, Tool, ToolCall, ToolError, async_trait, erase};

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct GreetArgs {
    name: String,
}

#[derive(serde::Serialize)]
struct Greeting {
    greeting: String,
}

struct Greet;

#[async_trait]
impl Tool for Greet {
    type Args = GreetArgs;
    type Output = Greeting;
    const ID: &'static str = "greet";
    const DESCRIPTION: &'static str = "Greets a person by name.";

    async fn call(&self, args: GreetArgs) -> Result<Greeting, ToolError> {
        Ok(Greeting { greeting: format!("Hello, {}!", args.name) })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = RawToolRegistry::new([erase(Greet)]);
    let output = registry.dispatch(&ToolCall::new("c", "greet", r#"{"name":"Ada"}"#)).await.unwrap();
    assert_eq!(output.text(), r#"{"greeting":"Hello, Ada!"}"#);
}
