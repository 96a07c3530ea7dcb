use tool_core::tool;

struct Broken;

/// Adds.
#[tool]
fn add(a: u32) -> Result<u32, Broken> {
    if a == 0 { Err(Broken) } else { Ok(a) }
}

fn main() {}
