use tool_core::tool;

struct Add;

/// Adds.
#[tool]
impl Add {}

fn main() {}
