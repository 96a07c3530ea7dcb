use tool_core::tool;

/// Adds.
#[tool]
fn add<'a>(a: &'a str) -> &'a str {
    a
}

fn main() {}
