#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Logs in.
#[tool]
fn log_in(#[schemars(secret)] password: String) -> u32 {
    0
}

fn main() {}
