use tool_core::tool;

/// Adds.
#[tool]
struct Add;

fn main() {}
