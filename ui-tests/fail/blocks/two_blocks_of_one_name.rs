use tool_core::tool;

struct Shop;

#[tool]
impl Shop {
    /// Cancels.
    #[tool]
    fn cancel(&self) {}
}

#[tool]
impl Shop {
    /// Pays.
    #[tool]
    fn pay(&self) {}
}

fn main() {}
