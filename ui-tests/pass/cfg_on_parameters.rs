//! A parameter under `#[cfg]` is there for the model exactly when it is there for the function.
#![deny(warnings)]

use tool_core::{erase, tool};

/// Adds.
#[tool]
fn add(
    a: u32,
    #[cfg(any())]
    #[arg(default = missing())]
    b: Missing,
    #[cfg(not(any()))] c: u32,
    #[cfg(any())]
    #[state]
    d: &Missing,
    #[cfg(not(any()))]
    #[state]
    e: &u32,
    #[cfg(any())]
    #[context]
    f: &Missing,
    #[cfg(any())] c: String,
) -> u32 {
    a + c + e
}

fn main() {
    let schema = erase(Add::new(1)).descriptor().unwrap().input_schema().clone();
    assert_eq!(schema["required"], serde_json::json!(["a", "c"]));
    assert_eq!(schema["properties"].as_object().unwrap().len(), 2);
}
