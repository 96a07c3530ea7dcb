use tool_core::tool;

///
#[tool]
fn add(a: u32) -> u32 {
    a
}

fn main() {}
