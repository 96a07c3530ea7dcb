use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(operation_token: String) -> String {
    operation_token
}

fn main() {}
