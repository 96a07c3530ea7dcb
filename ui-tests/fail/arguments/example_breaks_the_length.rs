#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Finds.
#[tool]
fn find(#[arg(example = "abc", length(..3))] query: &str) -> u32 {
    0
}

fn main() {}
