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

async fn lines(log: &Log) -> ::std::option::Option<::std::string::String> {
    ::std::option::Option::Some(::std::string::ToString::to_string(&log.0))
}

/// Says all that a tool can say of itself.
#[::tool_core::tool(
    recovery = idempotent,
    idempotency_key = order,
    concurrency = resources(write("order", order), read("user", order)),
    history(deduplicate_by = order, compact, pin),
    identity(operation = "cancel", target = order, key = order),
    timeout = "1s",
    egress = none,
    strict,
    carried_state = lines,
    secrets("order")
)]
fn cancel(#[arg(length(1..=9), pattern = "^#", example = "#1")] order: &str, #[state] log: &Log) -> u32 {
    let _ = order;
    log.0
}

/// Blocks.
#[::tool_core::tool(blocking)]
fn block(#[arg(range(1..=9), deprecated)] a: u32, #[state] log: ::std::sync::Arc<Log>) -> u32 {
    a + log.0
}

/// Nothing.
#[::tool_core::tool]
fn nothing() {}

fn main() {
    let _ = ::tool_core::RawToolRegistry::new([
        ::tool_core::erase(Add::new(Log(1))),
        ::tool_core::erase(Cancel::new(Log(1))),
        ::tool_core::erase(Block::new(::std::sync::Arc::new(Log(1)))),
        ::tool_core::erase(Nothing),
    ]);
}
