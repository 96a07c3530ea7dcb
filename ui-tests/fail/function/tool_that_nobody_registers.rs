#![deny(dead_code)]
use tool_core::tool;

/// Adds.
#[tool]
fn add(a: u32, b: u32) -> u32 {
    a + b
}

fn main() {}
