use tool_core::tool;

/// Cancels.
#[tool(concurrency = resources(write("order", numbers)))]
fn cancel(numbers: Vec<u32>) -> usize {
    numbers.len()
}

fn main() {
    let _ = tool_core::erase(Cancel);
}
