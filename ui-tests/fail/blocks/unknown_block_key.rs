#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

struct Shop;

#[tool(router = cancel)]
impl Shop {
    /// Cancels.
    #[tool]
    fn cancel(&self) {}
}

fn main() {}
