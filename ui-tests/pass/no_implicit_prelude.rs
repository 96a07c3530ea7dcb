#![no_implicit_prelude]
//! The expansion names everything from its root.

struct Log(u32);

/// Adds.
#[::tool_core::tool(read_only, title = "Add", target = sandbox, open_world = false)]
async fn add(
    /// Number.
    #[arg(default = 1)]
    a: u32,
    b: ::std::option::Option<::std::string::String>,
    c: &str,
    #[state] log: &Log,
    #[context] cx: &::tool_core::ToolContext,
) -> ::std::result::Result<u32, ::std::string::String> {
    let _ = (b, c, cx);
    ::std::result::Result::Ok(a + log.0)
}

/// Nothing.
#[::tool_core::tool]
fn nothing() {}

fn main() {
    let _ = ::tool_core::RawToolRegistry::new([::tool_core::erase(Add::new(Log(1))), ::tool_core::erase(Nothing)]);
}
