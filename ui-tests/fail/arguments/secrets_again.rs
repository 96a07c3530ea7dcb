#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Logs in.
#[tool(secrets("password"))]
fn log_in(#[arg(secret)] password: String) -> u32 {
    0
}

fn main() {}
