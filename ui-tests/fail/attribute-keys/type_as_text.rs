use tool_core::tool;

/// Adds.
#[tool(type = "Adder")]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
