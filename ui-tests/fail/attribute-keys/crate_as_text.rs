use tool_core::tool;

/// Adds.
#[tool(crate = "tool_core")]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
