use tool_core::tool;

#[derive(Default)]
struct Size {
    wide: u32,
}

/// Adds.
#[tool]
fn add(#[arg(default)] a: Size) -> u32 {
    a.wide
}

fn main() {}
