use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(mut run_id: String) -> String {
    run_id.push('!');
    run_id
}

fn main() {}
