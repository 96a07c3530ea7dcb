use tool_core::tool;

struct Store(u32);

/// Adds.
#[tool]
fn add(a: std::sync::Arc<Store>) -> u32 {
    a.0
}

fn main() {}
