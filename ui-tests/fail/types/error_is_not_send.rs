use tool_core::tool;

/// Finds.
#[tool]
fn find() -> Result<u32, Box<dyn std::error::Error>> {
    Ok(1)
}

fn main() {}
