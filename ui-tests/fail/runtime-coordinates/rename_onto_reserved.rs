use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(#[arg(rename = "run_id")] subject: String) -> String {
    subject
}

fn main() {}
