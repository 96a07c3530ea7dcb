use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(workspace_id: String) -> String {
    workspace_id
}

fn main() {}
