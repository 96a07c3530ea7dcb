use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(operation_id: String) -> String {
    operation_id
}

fn main() {}
