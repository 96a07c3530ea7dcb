#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

struct Query;

/// Finds.
#[tool]
fn find(#[args] query: Query) -> u32 {
    0
}

fn main() {}
