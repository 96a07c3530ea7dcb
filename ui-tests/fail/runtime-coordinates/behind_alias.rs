use tool_core::*;

type Subject = RunId;

/// Looks a run up.
#[tool]
async fn look_up(subject: Subject) -> String {
    subject.to_string()
}

fn main() {}
