#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Adds.
#[tool]
fn add(#[cfg_attr(all(), arg(default = 3))] a: u32) -> u32 {
    0
}

fn main() {}
