use tool_core::*;

type Subject = Option<RunId>;

/// Looks a run up.
#[tool]
async fn look_up(subject: Subject) -> String {
    format!("{subject:?}")
}

fn main() {}
