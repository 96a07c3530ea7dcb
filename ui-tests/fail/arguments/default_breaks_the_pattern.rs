#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Finds.
#[tool]
fn find(#[arg(default = "x", pattern = "^y$")] query: String) -> u32 {
    0
}

fn main() {}
