use tool_core::tool;

/// Adds.
#[tool]
fn añadir(a: u32) -> u32 {
    a
}

fn main() {}
