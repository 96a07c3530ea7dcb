use serde_json::Value;
use tool_core::{ToolError, tool};

fn tidy(arguments: &Value) -> Result<Value, ToolError> {
    Ok(arguments.clone())
}

/// Cancels.
#[tool(prepare = tidy)]
fn cancel(number: u32) -> u32 {
    number
}

fn main() {
    let _ = tool_core::erase(Cancel);
}
