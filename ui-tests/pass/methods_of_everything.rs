//! A trait of the author's for every type has methods of whatever names: the expansion calls none of them.
#![deny(warnings)]
#![allow(dead_code)]

use std::sync::Arc;
use tool_core::{RawToolRegistry, ToolCall, erase, tool};

macro_rules! for_everything {
    ($($method:ident)*) => {
        trait ByReference { $(fn $method(&self) {})* }
        impl<T: ?Sized> ByReference for T {}
        trait ByValue: Sized { $(fn $method(self) {})* }
        impl<T> ByValue for T {}
    };
}

for_everything! {
    kind to_json outcome end answer schema is_strict
    read or_absent whole describe root split assert_result success settle output render
    minimum maximum below min_length max_length pattern example deprecated
    push clone into new erase with_read_only with_open_world to_string as_str as_slice contains
}

struct Shop(u32);

/// Adds.
#[tool(
    read_only,
    open_world = false,
    recovery = idempotent,
    idempotency_key = a,
    concurrency = resources(write("order", a), read("user", b)),
    history(deduplicate_by = a, compact),
    identity(operation = "add", target = b, key = a)
)]
fn add(
    #[arg(default = 1, range(1..=100), example = 4)] a: u32,
    #[arg(length(1..=9), pattern = "^#", deprecated)] b: &str,
    #[state] shop: &Shop,
) -> Result<Option<u32>, String> {
    if b == "#" { Ok(Some(a + shop.0)) } else { Err(String::from(b)) }
}

/// Counts.
#[tool(blocking)]
fn count(#[args] numbers: std::collections::BTreeMap<String, u32>, #[state] shop: Arc<Shop>) -> usize {
    numbers.len() + shop.0 as usize
}

#[tool]
impl Shop {
    /// Says.
    #[tool]
    async fn say(&self, a: Option<String>) -> Option<String> {
        a
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let tools = Shop::tools(Arc::new(Shop(1)));
    let registry = RawToolRegistry::try_new(
        [erase(Add::new(Shop(1))), erase(Count::new(Arc::new(Shop(1))))].into_iter().chain(tools),
    )
    .unwrap();
    assert_eq!(registry.dispatch(&ToolCall::new("c", "add", r##"{"a":2,"b":"#"}"##)).await.unwrap().text(), "3");
    assert_eq!(registry.dispatch(&ToolCall::new("c", "count", r#"{"x":2}"#)).await.unwrap().text(), "2");
    assert_eq!(registry.dispatch(&ToolCall::new("c", "say", r#"{"a":"b"}"#)).await.unwrap().text(), "b");
}
