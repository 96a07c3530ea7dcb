use tool_core::tool;

struct Size {
    wide: u32,
}

/// Adds.
#[tool]
fn add(a: Size, b: Option<Size>) -> u32 {
    a.wide + b.map_or(0, |b| b.wide)
}

fn main() {}
