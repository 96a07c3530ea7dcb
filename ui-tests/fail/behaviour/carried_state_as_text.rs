#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Cancels.
#[tool(carried_state = "open_orders")]
fn cancel(order_id: String) -> u32 {
    0
}

fn main() {}
