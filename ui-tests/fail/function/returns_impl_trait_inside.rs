use tool_core::tool;

/// Adds.
#[tool]
fn add(a: u32) -> Result<Vec<impl std::fmt::Display>, String> {
    Ok(vec![a])
}

fn main() {}
