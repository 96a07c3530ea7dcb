#![allow(unused_variables)] // the body does not matter here

use tool_core::*;

/// Adds.
#[tool]
fn add(#[context] a: &ToolContext, #[context] b: &ToolContext) -> u32 {
    0
}

fn main() {}
