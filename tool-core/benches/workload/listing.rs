//! Tools that differ in their ids alone, with schemas, for listing.

use async_trait::async_trait;
use std::sync::Arc;

use super::{Args, Orders};
use tool_core::{RawTool, RawToolRegistry, Tool, ToolError, erase};

/// How many there are.
pub(crate) const LISTED: usize = 16;

struct Numbered<const N: usize>;

impl<const N: usize> Numbered<N> {
    #[allow(clippy::cast_possible_truncation)] // below 16
    const NAME: &'static [u8] = &[b't', b'o', b'o', b'l', b'_', b'a' + N as u8];
}

#[async_trait]
impl<const N: usize> Tool for Numbered<N> {
    type Args = Args;
    type Output = Orders;
    const ID: &'static str = match std::str::from_utf8(Self::NAME) {
        Ok(name) => name,
        Err(_) => "",
    };
    const DESCRIPTION: &'static str = "Searches the orders of a customer.";

    async fn call(&self, args: Args) -> Result<Orders, ToolError> {
        Ok(args.search())
    }
}

macro_rules! numbered {
    ($($n:literal)*) => { vec![$(erase(Numbered::<$n>)),*] };
}

pub(crate) fn registry() -> RawToolRegistry {
    let tools: Vec<Arc<dyn RawTool>> = numbered!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    assert_eq!(tools.len(), LISTED);
    RawToolRegistry::new(tools)
}

/// The list as who serves it takes it: one allocation, whatever is listed.
pub(crate) fn list(registry: &RawToolRegistry) -> usize {
    let mut list = Vec::with_capacity(registry.len());
    list.extend(registry.descriptors());
    list.len()
}

/// The least that a first listing costs: a schema for each tool.
pub(crate) fn schemas() {
    for _ in 0..LISTED {
        std::hint::black_box(tool_core::input_schema::<Args>());
    }
}
