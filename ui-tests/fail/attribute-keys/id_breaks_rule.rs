use tool_core::tool;

/// Adds.
#[tool(id = "add numbers")]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
