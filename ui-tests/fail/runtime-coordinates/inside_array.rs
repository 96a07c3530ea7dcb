use tool_core::*;

/// Looks a run up.
#[tool]
async fn look_up(subject: [ThreadId; 2]) -> String {
    format!("{subject:?}")
}

fn main() {}
