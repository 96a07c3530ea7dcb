use tool_core::tool;

/// Adds.
#[tool]
fn self_(a: u32) -> u32 {
    a
}

fn main() {}
