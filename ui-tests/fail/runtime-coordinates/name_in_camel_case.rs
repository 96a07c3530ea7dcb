use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(#[allow(non_snake_case)] runId: String) -> String {
    runId
}

fn main() {}
