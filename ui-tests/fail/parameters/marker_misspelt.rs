#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

struct Store;

/// Adds.
#[tool]
fn add(#[sate] a: &Store) -> u32 {
    0
}

fn main() {}
