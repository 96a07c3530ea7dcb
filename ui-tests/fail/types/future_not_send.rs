use tool_core::tool;

use std::rc::Rc;

/// Adds.
#[tool]
async fn add(a: u32) -> u32 {
    let shared = Rc::new(a);
    std::future::ready(()).await;
    *shared
}

fn main() {}
