//! What may be left out is decided by the type, under whatever name, or by a default; schema and decoder agree.

use tool_core::{RawToolRegistry, ToolCall, erase, tool};

type Maybe = Option<String>;

/// Not the option that serde knows.
#[derive(Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Choice {
    #[default]
    None,
    Some,
}

/// Shows.
#[tool]
fn show(
    maybe: Maybe,
    boxed: Box<Option<u8>>,
    choice: Choice,
    #[arg(default)] of_type: Choice,
    #[arg(default = 7)] number: u8,
    #[arg(default = "EUR")] text: String,
    #[arg(default = Some(2))] option: Option<u8>,
    #[arg(default = "lent")] lent: &str,
) -> String {
    format!("{maybe:?} {boxed:?} {choice:?} {of_type:?} {number} {text} {option:?} {lent}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = RawToolRegistry::new([erase(Show)]);
    let schema = registry.descriptors().next().unwrap().input_schema().clone();
    assert_eq!(schema["required"], serde_json::json!(["choice"]));
    assert_eq!(schema["properties"]["number"]["default"], 7);
    assert_eq!(schema["properties"]["text"]["default"], "EUR");
    assert_eq!(schema["properties"]["of_type"].get("default"), None); // `Choice` is not `Serialize`
    let output = registry.dispatch(&ToolCall::new("c", "show", r#"{"choice":"some"}"#)).await.unwrap();
    assert_eq!(output.text(), "None None Some None 7 EUR Some(2) lent");
    let error = registry.dispatch(&ToolCall::new("c", "show", "{}")).await.unwrap_err();
    assert_eq!(error.to_string(), "Invalid arguments: `choice`: required, but missing");
}
