#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

struct Shop;

#[tool]
impl Shop {
    fn cancel(&self) {}
}

fn main() {}
