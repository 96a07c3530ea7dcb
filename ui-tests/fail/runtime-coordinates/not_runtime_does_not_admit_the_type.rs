use tool_core::*;

/// Looks a run up.
#[tool]
async fn look_up(#[arg(not_runtime)] run_id: RunId) -> String {
    run_id.to_string()
}

fn main() {}
