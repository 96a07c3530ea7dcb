use tool_core::tool;

struct Shop;

#[tool]
impl Clone for Shop {
    fn clone(&self) -> Self {
        Self
    }
}

fn main() {}
