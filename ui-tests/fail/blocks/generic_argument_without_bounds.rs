#![allow(unused_variables)] // the body does not matter here

use tool_core::tool;

struct Shop<S>(S);

#[tool]
impl<S> Shop<S> {
    /// Puts.
    #[tool]
    fn put(&self, item: S) {}
}

fn main() {}
