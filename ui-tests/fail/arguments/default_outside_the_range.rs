#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Finds.
#[tool]
fn find(#[arg(default = 500, range(1..=100))] query: u32) -> u32 {
    0
}

fn main() {}
