use tool_core::tool;

/// Adds.
#[tool(recovry = replay_safe, target = cloud, read_only, read_only, destructive)]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
