use tool_core::tool;

/// Finds.
#[tool]
fn find() -> ! {
    loop {}
}

fn main() {}
