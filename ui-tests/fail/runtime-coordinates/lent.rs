use tool_core::*;

/// Looks a run up.
#[tool]
async fn look_up(subject: &RunId) -> String {
    subject.to_string()
}

fn main() {}
