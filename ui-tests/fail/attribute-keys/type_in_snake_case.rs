#![deny(non_camel_case_types)]
use tool_core::tool;

/// Adds.
#[tool(type = add_tool)]
fn add(a: u32, #[state] other: &u32) -> u32 {
    a + other
}

fn main() {
    let _ = tool_core::erase(add_tool::new(1));
}
