//! Names and texts may be computed where the compiler can.
#![deny(warnings)]

use tool_core::{Tool, tool};

const PREFIX: &str = "shop";

const fn pick(first: bool) -> &'static str {
    if first { "shop.first" } else { "shop.second" }
}

/// Adds.
#[tool(id = pick(true), title = PREFIX)]
fn add(#[arg(description = PREFIX)] a: u32) -> u32 {
    a
}

#[doc = include_str!("no_implicit_prelude.rs")]
#[tool(max_result_chars = PREFIX.len() * 10)]
fn included() {}

fn main() {
    assert_eq!((Add::ID, Add.title()), ("shop.first", Some("shop")));
    assert!(Included::DESCRIPTION.contains("The expansion names everything from its root."));
    assert_eq!(Included.max_result_chars(), Some(40));
}
