use tool_core::tool;

trait Shop {
    /// Adds.
    #[tool]
    fn add(a: u32) -> u32;
}

fn main() {}
