#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

async fn open_orders(orders: &Vec<u32>) -> usize {
    orders.len()
}

/// Cancels.
#[tool(carried_state = open_orders)]
fn cancel(order_id: String, #[state] orders: &Vec<u32>) -> u32 {
    0
}

fn main() {}
