use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(workspace: String) -> String {
    workspace
}

fn main() {}
