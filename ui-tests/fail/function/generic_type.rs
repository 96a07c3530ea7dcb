use tool_core::tool;

/// Adds.
#[tool]
fn add<T>(a: u32) -> u32 {
    a
}

fn main() {}
