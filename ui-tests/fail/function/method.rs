use tool_core::tool;

struct Shop;

impl Shop {
    /// Adds.
    #[tool]
    fn add(&self, a: u32) -> u32 {
        a
    }
}

fn main() {}
