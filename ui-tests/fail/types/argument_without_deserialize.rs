use tool_core::tool;

#[derive(schemars::JsonSchema)]
struct Size {
    wide: u32,
}

/// Adds.
#[tool]
fn add(a: Size) -> u32 {
    a.wide
}

fn main() {}
