#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

/// Cancels.
#[tool(identity(operation = "cancel", kind = order_id))]
fn cancel(order_id: String) -> u32 {
    0
}

fn main() {}
