use tool_core::*;

/// Looks a run up.
#[tool]
async fn look_up(subject: Box<RunId>) -> String {
    format!("{subject:?}")
}

fn main() {}
