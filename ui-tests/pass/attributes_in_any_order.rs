//! The doc comment survives other attributes, and the function keeps them.
#![deny(warnings)]

use tool_core::{Tool, erase, tool};

/// First
#[allow(clippy::needless_pass_by_value)]
/// and second.
#[tool(read_only)]
#[must_use]
#[cfg_attr(all(), allow(clippy::all))]
/// Third.
#[inline]
fn documented(
    /// One
    #[allow(unused_mut)]
    /// two.
    mut text: String,
) -> String {
    text
}

#[doc = concat!("Comp", "uted.")]
#[tool(title = concat!("A ", "title"))]
fn computed() {}

/** A block
  * comment. */
#[tool]
fn block() {}

const ABOUT: &str = "From a constant.";

#[tool(id = "const.id", description = ABOUT, type = Chosen)]
fn constant(#[arg(description = concat!("of ", "an argument"))] a: u32) -> u32 {
    a
}

fn main() {
    assert_eq!(Documented::DESCRIPTION, "First\nand second.\nThird.");
    assert_eq!(Computed::DESCRIPTION, "Computed.");
    assert_eq!(Computed.title(), Some("A title"));
    assert_eq!(Block::DESCRIPTION, "A block\ncomment.");
    assert_eq!((Chosen::ID, Chosen::DESCRIPTION), ("const.id", "From a constant."));
    let _: ChosenArgs = ChosenArgs { a: 1 };
    let schema = erase(Documented).descriptor().unwrap().input_schema().clone();
    assert_eq!(schema["properties"]["text"]["description"], "One\ntwo.");
    let schema = erase(Chosen).descriptor().unwrap().input_schema().clone();
    assert_eq!(schema["properties"]["a"]["description"], "of an argument");
}
