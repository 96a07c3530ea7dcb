#![allow(unused_variables)] // the body does not matter here

use tool_core::{ToolContext, tool};

/// Logs in.
#[tool]
fn log_in(user: String, #[context] #[arg(secret)] cx: &ToolContext) -> u32 {
    0
}

fn main() {}
