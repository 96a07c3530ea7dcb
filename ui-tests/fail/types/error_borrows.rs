use tool_core::tool;

struct Words(String);

/// Adds.
#[tool]
fn add(#[state] words: &Words) -> Result<u32, &str> {
    Err(&words.0)
}

fn main() {}
