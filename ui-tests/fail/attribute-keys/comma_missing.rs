use tool_core::tool;

/// Adds.
#[tool(read_only destructive)]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
