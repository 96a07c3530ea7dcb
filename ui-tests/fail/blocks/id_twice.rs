#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

struct Shop;

#[tool]
impl Shop {
    /// Cancels.
    #[tool(id = "cancel")]
    fn cancel_order(&self) {}

    /// Cancels.
    #[tool]
    fn cancel(&self) {}
}

fn main() {}
