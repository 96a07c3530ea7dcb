use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(call_id: String) -> String {
    call_id
}

fn main() {}
