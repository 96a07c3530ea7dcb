#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

struct Shop;

#[tool]
impl Shop {
    /// Cancels.
    #[tool]
    fn cancel(order: String) {}
}

fn main() {}
