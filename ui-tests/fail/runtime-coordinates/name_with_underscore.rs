use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(_run_id: String) -> String {
    String::new()
}

fn main() {}
