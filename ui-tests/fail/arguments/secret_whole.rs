#![allow(unused_variables)] // the body does not matter here

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::tool;

#[derive(Deserialize, JsonSchema)]
struct Login {
    user: String,
    password: String,
}

/// Logs in.
#[tool]
fn log_in(#[arg(secret)] #[args] login: Login) -> u32 {
    0
}

fn main() {}
