use tool_core::tool;

struct Store(u32);

/// Adds.
#[tool]
fn add(#[state] store: Store) -> u32 {
    store.0
}

fn main() {}
