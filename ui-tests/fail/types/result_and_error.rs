use tool_core::tool;

struct Size;
struct Broken;

/// Adds.
#[tool]
fn add(a: u32) -> Result<Size, Broken> {
    if a == 0 { Err(Broken) } else { Ok(Size) }
}

fn main() {}
