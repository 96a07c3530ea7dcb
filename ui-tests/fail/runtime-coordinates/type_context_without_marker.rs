use tool_core::*;

/// Looks a run up.
#[tool]
async fn look_up(subject: ToolContext) -> String {
    format!("{subject:?}")
}

fn main() {}
