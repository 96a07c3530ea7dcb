//! Generated code adds no warning of its own, whatever the author's function is allowed.
#![deny(warnings, missing_docs, unused_qualifications, unreachable_pub)]
#![allow(clippy::all)]

use tool_core::tool;

mod old {
    #![allow(deprecated)]

    /// Old.
    #[deprecated]
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub(super) struct Old {
        pub(super) x: u32,
    }
}

/// Documented.
#[allow(deprecated, non_snake_case)]
#[tool(type = OldTool)]
#[deprecated]
fn old(orderId: u32, old: old::Old, #[arg(default = Some(5))] _note: Option<u32>, #[arg(default)] d: f64) -> f64 {
    f64::from(orderId + old.x) + d
}

/// Documented.
#[tool]
async fn args(__args: u32, #[context] context: &tool_core::ToolContext, returned: u32) -> u32 {
    let _ = context;
    __args + returned
}

fn main() {
    let _ = (tool_core::erase(OldTool), tool_core::erase(Args));
}
