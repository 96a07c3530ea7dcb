use tool_core::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page<T> {
    of: T,
}

/// Looks a run up.
#[tool]
async fn look_up(subject: Page<RunId>) -> String {
    subject.of.to_string()
}

fn main() {}
