use tool_core::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Size<'a> {
    name: &'a str,
}

/// Adds.
#[tool]
fn add(a: Size<'_>) -> u32 {
    a.name.len() as u32
}

fn main() {}
