#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Logs in.
#[tool(secrets("passwrod", "pass_word.hash"))]
fn log_in(user: String, #[arg(rename = "passWord")] pass_word: String) -> u32 {
    0
}

fn main() {}
