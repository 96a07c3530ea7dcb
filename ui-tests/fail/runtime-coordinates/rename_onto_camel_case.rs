use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(#[arg(rename = "threadId")] subject: String) -> String {
    subject
}

fn main() {}
