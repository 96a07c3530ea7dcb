#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Finds.
#[tool]
fn find(#[arg(example = -1, range(0..))] query: i32) -> u32 {
    0
}

fn main() {}
