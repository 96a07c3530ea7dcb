use tool_core::tool;

struct Size {
    wide: u32,
}

/// Adds.
#[tool]
fn add(a: u32) -> Size {
    Size { wide: a }
}

fn main() {}
