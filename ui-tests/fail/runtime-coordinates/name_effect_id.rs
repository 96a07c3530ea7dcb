use tool_core::tool;

/// Looks a run up.
#[tool]
async fn look_up(effect_id: String) -> String {
    effect_id
}

fn main() {}
