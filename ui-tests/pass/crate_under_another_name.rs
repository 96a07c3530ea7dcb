//! tool-core renamed, and re-exported by another crate's module.

extern crate tool_core as renamed;

mod framework {
    pub mod inner {
        pub use ::tool_core as tools;
    }
}

/// Adds.
#[renamed::tool(crate = ::renamed)]
fn add(a: u32, #[state] b: &u32, #[context] _cx: &renamed::ToolContext) -> u32 {
    a + b
}

/// Adds.
#[framework::inner::tools::tool(crate = crate::framework::inner::tools)]
fn add_again(a: &str, #[state] b: &u32) -> String {
    format!("{a}{b}")
}

/// Adds.
#[framework::inner::tools::tool(crate = framework::inner::tools)]
fn add_relative(#[arg(default = 1)] a: u32) -> u32 {
    a
}

fn main() {
    let _ = renamed::RawToolRegistry::new([
        renamed::erase(Add::new(1)),
        renamed::erase(AddAgain::new(2)),
        renamed::erase(AddRelative),
    ]);
}
