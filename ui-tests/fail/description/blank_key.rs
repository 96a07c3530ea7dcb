use tool_core::tool;

/// Adds.
#[tool(description = " ")]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
