use tool_core::tool;

/// Adds.
#[tool(id = "")]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
