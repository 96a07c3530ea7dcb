//! What `#[tool]` is a convenience for: the same contract, written by hand. `cargo run -p examples --bin greet_by_hand`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{RawToolRegistry, Tool, ToolCall, ToolError, async_trait, erase};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GreetArgs {
    /// The person's first name.
    name: String,
}

#[derive(Serialize)]
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

#[tokio::main]
async fn main() -> Result<(), ToolError> {
    let registry = RawToolRegistry::new([erase(Greet)]);
    for descriptor in registry.descriptors() {
        println!("{}: {}\n{:#}", descriptor.id(), descriptor.description(), descriptor.input_schema());
    }
    for arguments in [r#"{"name": "Ada"}"#, r#"{"nme": "Ada"}"#] {
        let call = ToolCall::new("call_1", "greet", arguments);
        match registry.dispatch(&call).await {
            Ok(output) => println!("{arguments} -> {}", output.text()),
            Err(error) => println!("{arguments} -> {error}"),
        }
    }
    Ok(())
}
