use tool_core::tool;

/// Adds.
#[tool]
fn add(a: u32) -> impl std::fmt::Display {
    a
}

fn main() {}
