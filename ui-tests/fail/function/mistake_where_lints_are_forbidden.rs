#![forbid(unused, warnings, missing_docs, nonstandard_style, unused_qualifications)]
//! Documented.
use tool_core::tool;

/// Documented.
#[tool(recovry = replay_safe)]
pub fn add(a: u32, #[state] other: &u32) -> u32 {
    a + other
}

fn main() {
    let _ = tool_core::erase(Add::new(1));
}
