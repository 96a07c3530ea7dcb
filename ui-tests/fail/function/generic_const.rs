use tool_core::tool;

/// Adds.
#[tool]
fn add<const N: u32>(a: u32) -> u32 {
    a + N
}

fn main() {}
