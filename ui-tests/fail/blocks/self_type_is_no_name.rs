use tool_core::tool;

#[tool]
impl dyn std::fmt::Debug {
    /// Cancels.
    #[tool]
    fn cancel(&self) {}
}

fn main() {}
