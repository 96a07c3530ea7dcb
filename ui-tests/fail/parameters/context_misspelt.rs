#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Adds.
#[tool]
fn add(#[contxt] a: &tool_core::ToolContext) -> u32 {
    0
}

fn main() {}
