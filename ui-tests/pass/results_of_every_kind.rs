//! What a function may return.

use std::borrow::Cow;
use tool_core::*;

#[derive(serde::Serialize)]
pub struct Sum {
    total: u32,
}

pub struct Words(String);

/// A struct.
#[tool]
fn object() -> Sum {
    Sum { total: 3 }
}

/// Nothing.
#[tool]
fn nothing() {}

/// Nothing, or an error.
#[tool]
async fn nothing_or_error() -> Result<(), String> {
    Ok(())
}

/// A text.
#[tool]
fn text() -> String {
    "two \"words\"".into()
}

/// A static text.
#[tool]
fn static_text() -> &'static str {
    ""
}

/// A text of the state.
#[tool]
fn borrowed(#[state] words: &Words) -> &str {
    &words.0
}

/// A text of the state, perhaps.
#[tool]
async fn borrowed_async(#[state] words: &Words) -> Result<Cow<'_, str>, String> {
    Ok(Cow::Borrowed(&words.0))
}

/// A list.
#[tool]
fn list() -> Vec<u8> {
    vec![1, 2]
}

/// Perhaps.
#[tool]
fn perhaps() -> Option<u8> {
    None
}

/// A whole output.
#[tool]
fn output() -> ToolOutput {
    ToolOutput::error("no").with_state(StateCommand::remove("seen"))
}

/// A block, or an error.
#[tool]
fn block() -> Result<ContentBlock, String> {
    Ok(ContentBlock::image("AAE=", "image/png"))
}

/// Blocks.
#[tool]
fn blocks() -> Vec<ContentBlock> {
    vec![ContentBlock::text("a"), ContentBlock::text("b")]
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = RawToolRegistry::new([
        erase(Object),
        erase(Nothing),
        erase(NothingOrError),
        erase(Text),
        erase(StaticText),
        erase(Borrowed::new(Words("w".into()))),
        erase(BorrowedAsync::new(Words("w".into()))),
        erase(List),
        erase(Perhaps),
        erase(Output),
        erase(Block),
        erase(Blocks),
    ]);
    for (id, text) in [
        ("object", r#"{"total":3}"#),
        ("nothing", "Done."),
        ("nothing_or_error", "Done."),
        ("text", "two \"words\""),
        ("static_text", ""),
        ("borrowed", "w"),
        ("borrowed_async", "w"),
        ("list", "[1,2]"),
        ("perhaps", "null"),
        ("output", "no"),
        ("block", ""),
        ("blocks", "a\nb"),
    ] {
        let output = registry.dispatch(&ToolCall::new("call_9", id, "")).await.unwrap();
        assert_eq!(output.text(), text, "{id}");
        assert_eq!(output.call_id, "call_9", "{id}");
        assert_eq!(output.is_error, id == "output", "{id}");
        let has_value = !["nothing", "nothing_or_error", "output", "block", "blocks"].contains(&id);
        assert_eq!(output.structured_content().is_some(), has_value, "{id}");
    }
}
