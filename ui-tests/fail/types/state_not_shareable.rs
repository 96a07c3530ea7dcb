use tool_core::tool;

use std::cell::Cell;

/// Adds.
#[tool]
fn add(#[state] cell: &Cell<u32>) -> u32 {
    cell.get()
}

fn main() {}
