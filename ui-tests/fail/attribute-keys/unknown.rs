use tool_core::tool;

/// Adds.
#[tool(recovry = replay_safe)]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
