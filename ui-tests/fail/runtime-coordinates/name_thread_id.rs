use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(thread_id: String) -> String {
    thread_id
}

fn main() {}
