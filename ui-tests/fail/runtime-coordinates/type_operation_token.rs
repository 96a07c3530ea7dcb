use tool_core::*;

/// Looks a run up.
#[tool]
async fn look_up(subject: ToolOperationToken) -> String {
    format!("{subject:?}")
}

fn main() {}
