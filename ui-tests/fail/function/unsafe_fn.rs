use tool_core::tool;

/// Adds.
#[tool]
unsafe fn add(a: u32) -> u32 {
    a
}

fn main() {}
