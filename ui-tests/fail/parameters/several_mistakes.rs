#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Adds.
#[tool]
fn add((a, b): (u32, u32), #[arg(dafault = 1)] c: u32, run_id: String, d: &u32) -> u32 {
    0
}

fn main() {}
