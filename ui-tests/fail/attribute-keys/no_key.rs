use tool_core::tool;

/// Adds.
#[tool("add")]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
