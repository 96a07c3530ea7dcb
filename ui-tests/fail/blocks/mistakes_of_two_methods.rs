#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

struct Shop;

#[tool]
impl Shop {
    #[tool]
    fn cancel(&self, run_id: String) {}

    /// Pays.
    #[tool(recovry = replay_safe)]
    fn pay(&self) {}
}

fn main() {}
