use tool_core::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    number: u32,
}

/// Cancels.
#[tool(recovery = idempotent, idempotency_key = order)]
fn cancel(order: Order) -> u32 {
    order.number
}

fn main() {
    let _ = tool_core::erase(Cancel);
}
