#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Adds.
#[tool]
fn add(#[arg(not_runtime = true)] run_id: u32) -> u32 {
    0
}

fn main() {}
