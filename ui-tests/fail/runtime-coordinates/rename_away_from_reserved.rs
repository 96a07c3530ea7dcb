use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(#[arg(rename = "subject")] run_id: String) -> String {
    run_id
}

fn main() {}
