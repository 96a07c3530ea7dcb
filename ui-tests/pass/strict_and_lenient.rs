//! Lenient unless the tool says `strict`: what the schema makes unambiguous is repaired, or refused.
#![deny(warnings)]

use tool_core::{testing, tool};

/// Counts.
#[tool]
fn lenient(depth: u32, code: &str, flag: Option<bool>) -> String {
    format!("{depth} {code} {flag:?}")
}

/// Counts.
#[tool(strict)]
fn strict(depth: u32, code: &str, flag: Option<bool>) -> String {
    format!("{depth} {code} {flag:?}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let sloppy = r#"{"depth":"3","code":"007","flag":"true"}"#;
    assert_eq!(testing::told(Lenient, sloppy).await, "3 007 Some(true)");
    let refused = testing::told(Strict, sloppy).await;
    assert!(refused.starts_with("Invalid arguments: `depth`: expected an integer"), "{refused}");
    assert!(refused.contains("`flag`"), "all faults at once: {refused}");
    let integral = r#"{"depth":3.0,"code":"007"}"#;
    assert_eq!(testing::told(Lenient, integral).await, "3 007 None");
    assert_eq!(testing::told(Strict, integral).await, "3 007 None");
}
