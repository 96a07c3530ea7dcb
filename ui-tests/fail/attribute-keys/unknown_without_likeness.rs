use tool_core::tool;

/// Adds.
#[tool(colour = blue)]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
