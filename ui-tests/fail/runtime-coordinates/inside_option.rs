use tool_core::*;

/// Looks a run up.
#[tool]
async fn look_up(subject: Option<RunId>) -> String {
    format!("{subject:?}")
}

fn main() {}
