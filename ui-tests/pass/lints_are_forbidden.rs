//! A crate that forbids lints takes every kind of tool: an `allow` in generated code would be an error there.
#![forbid(
    unsafe_code,
    unused,
    warnings,
    deprecated,
    future_incompatible,
    nonstandard_style,
    rust_2018_idioms,
    private_bounds,
    private_interfaces,
    let_underscore_drop,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    single_use_lifetimes,
    trivial_casts,
    unreachable_pub,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use tool_core::{ToolContext, tool};

/// What the tools share.
#[derive(Debug, Clone, Copy)]
pub struct Shop(u32);

/// Adds.
#[tool(read_only, title = "Add", target = sandbox, open_world = false)]
pub async fn add(
    #[arg(default = 1, example = 3)] number: u32,
    text: Option<String>,
    lent: &[Vec<Option<Box<BTreeMap<String, u32>>>>],
    #[arg(default)] _ignored: bool,
    #[arg(default = "x")] converted: String,
    #[state] shop: &Shop,
    #[state] other: Arc<Shop>,
    #[context] cx: &ToolContext,
) -> Result<u32, String> {
    drop((text, lent, converted, cx));
    Ok(number + shop.0 + other.0)
}

async fn lines(shop: &Shop) -> Option<String> {
    Some(shop.0.to_string())
}

/// Says all that a tool can say of itself. The expressions need not name every argument.
#[tool(
    recovery = idempotent,
    idempotency_key = order,
    concurrency = resources(write("order", order), read("user", order)),
    history(deduplicate_by = order, compact, pin),
    identity(operation = "cancel", target = order, key = order),
    timeout = "1s",
    max_result_chars = 100,
    egress = none,
    strict,
    carried_state = lines,
    secrets("order")
)]
fn cancel(#[arg(length(1..=9), pattern = "^#")] order: &str, other: u8, #[state] shop: &Shop) -> Option<u32> {
    order.is_empty().then_some(shop.0 + u32::from(other))
}

/// Blocks.
#[tool(blocking)]
pub(crate) fn block(#[arg(range(1..=9), deprecated)] number: u32, #[state] shop: Arc<Shop>) -> u32 {
    number + shop.0
}

/// Nothing.
#[tool(type = Nothing)]
fn none() {}

/// Whole.
#[tool(idempotency_key = "one", recovery = idempotent)]
pub(crate) fn whole(#[args] query: &BTreeMap<String, u32>) -> usize {
    query.len()
}

#[tool]
impl Shop {
    /// Cancels an order.
    #[tool(destructive)]
    pub async fn cancel(&self, order_id: &str) -> Result<String, String> {
        Err(format!("{order_id}: not found"))
    }
}

/// In a macro of the author's, whose tokens count as the author's.
macro_rules! made {
    ($visibility:vis $name:ident($argument:ident: $ty:ty) $owner:ident) => {
        /// Made.
        #[tool]
        $visibility fn $name($argument: $ty, number: u32, #[state] shop: &$crate::Shop) -> $ty {
            $argument + <$ty>::from(number + shop.0)
        }

        /// Made.
        #[derive(Debug, Clone, Copy)]
        $visibility struct $owner;

        #[tool]
        impl $owner {
            /// Made.
            #[tool]
            $visibility fn $name(&self, $argument: $ty) -> $ty {
                $argument
            }
        }
    };
    ($name:ident) => {
        /// Made.
        #[tool]
        pub fn $name(text: String, list: Vec<u8>) -> usize {
            text.len() + list.len()
        }
    };
}
made!(pub echo(number_of: u64) Public);
made!(echo_here(number_of: u64) Private);
made!(length);

fn main() {
    let shop = Arc::new(Shop(1));
    drop(tool_core::RawToolRegistry::new([
        tool_core::erase(Add::new(Shop(1), Arc::clone(&shop))),
        tool_core::erase(Cancel::new(Shop(1))),
        tool_core::erase(Block::new(Arc::clone(&shop))),
        tool_core::erase(Nothing),
        tool_core::erase(Whole),
        tool_core::erase(Echo::new(Shop(1))),
        tool_core::erase(EchoHere::new(Shop(1))),
        tool_core::erase(Length),
    ]));
    drop((Shop::tools(shop), Public::tools(Arc::new(Public)), Private::tools(Arc::new(Private))));
}
