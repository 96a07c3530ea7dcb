use tool_core::*;

/// Looks a run up.
#[tool]
async fn look_up(subject: ToolOperationContext) -> String {
    format!("{subject:?}")
}

fn main() {}
