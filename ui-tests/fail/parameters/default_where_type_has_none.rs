#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Size {
    wide: u32,
}

/// Adds.
#[tool]
fn add(#[arg(default)] a: Size) -> u32 {
    a.wide
}

fn main() {}
