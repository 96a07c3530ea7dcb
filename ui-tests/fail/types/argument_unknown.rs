use tool_core::tool;

/// Adds.
#[tool]
fn add(a: Sise) -> u32 {
    todo!()
}

fn main() {}
