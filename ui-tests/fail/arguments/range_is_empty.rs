#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Finds.
#[tool]
fn find(#[arg(range(100..=1))] query: u32) -> u32 {
    0
}

fn main() {}
