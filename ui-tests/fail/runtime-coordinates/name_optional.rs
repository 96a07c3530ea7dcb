use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(run_id: Option<u64>) -> String {
    format!("{run_id:?}")
}

fn main() {}
