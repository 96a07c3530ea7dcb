#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Finds.
#[tool]
fn find( query: Box<dyn std::fmt::Debug>) -> u32 {
    0
}

fn main() {}
