use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(r#workspace: String) -> String {
    r#workspace
}

fn main() {}
