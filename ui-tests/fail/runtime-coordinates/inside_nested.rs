use tool_core::*;

/// Looks a run up.
#[tool]
async fn look_up(subject: Option<Vec<Box<WorkspaceId>>>) -> String {
    format!("{subject:?}")
}

fn main() {}
