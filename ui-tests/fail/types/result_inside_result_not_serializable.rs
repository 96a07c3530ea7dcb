use tool_core::tool;

struct Size {
    wide: u32,
}

/// Adds.
#[tool]
fn add(a: u32) -> Result<Size, String> {
    Ok(Size { wide: a })
}

fn main() {}
