use tool_core::tool;

/// Adds.
#[tool(target = cloud)]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
