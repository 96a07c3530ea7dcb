//! Images and sounds from their bytes.
#![deny(warnings)]

use tool_core::{ContentBlock, erase, testing, tool};

/// Draws.
#[tool(read_only)]
fn draw() -> Vec<ContentBlock> {
    vec![ContentBlock::text("a dot"), ContentBlock::image_bytes([1, 2, 3], "image/png")]
}

/// Sounds.
#[tool(read_only)]
fn sound() -> Result<ContentBlock, String> {
    Ok(ContentBlock::audio_bytes(b"abcd", "audio/wav"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let drawn = testing::call(Draw, "").await.unwrap();
    assert_eq!(drawn.content, [ContentBlock::text("a dot"), ContentBlock::image("AQID", "image/png")]);
    let heard = testing::call(Sound, "").await.unwrap();
    assert_eq!(heard.content, [ContentBlock::audio("YWJjZA==", "audio/wav")]);
    assert!(erase(Draw).descriptor().unwrap().output_schema().is_none());
}
