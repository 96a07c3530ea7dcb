#![deny(deprecated)]
use tool_core::tool;

mod old {
    #![allow(deprecated, dead_code)]

    #[deprecated]
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub struct Size {
        pub width: u32,
    }
}

/// Measures.
#[tool]
fn measure(size: &old::Size) -> usize {
    size_of_val(size)
}

fn main() {
    let _ = tool_core::erase(Measure);
}
