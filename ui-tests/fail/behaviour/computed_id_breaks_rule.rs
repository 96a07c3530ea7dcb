use tool_core::tool;

const ID: &str = "cancel order";

/// Cancels.
#[tool(id = ID)]
fn cancel() -> u32 {
    0
}

fn main() {}
