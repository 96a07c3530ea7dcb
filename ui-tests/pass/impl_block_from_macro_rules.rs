//! A block from `macro_rules!`, with names, types and texts from its arguments, and one that is not there.
#![deny(warnings)]

use std::sync::Arc;
use tool_core::{RawToolRegistry, tool};

struct Shop;

macro_rules! block {
    ($owner:ty, $tools:ident, $($name:ident($argument:ident: $ty:ty) -> $out:ty = $doc:literal, $read_only:expr;)*) => {
        #[tool(tools = $tools)]
        impl $owner {
            $(
                #[doc = $doc]
                #[tool(read_only = $read_only)]
                fn $name(&self, #[arg(description = $doc)] $argument: $ty) -> $out {
                    $argument
                }
            )*
        }
    };
}

block!(Shop, echo_tools,
    echo_text(text: String) -> String = "Echoes a text.", true;
    echo_number(number: u32) -> u32 = "Echoes a number.", false;
);

#[tool(tools = absent_tools)]
#[cfg(any())]
impl Shop {
    /// Not there.
    #[tool]
    fn absent(&self, missing: Missing) {}
}

fn main() {
    let registry = RawToolRegistry::try_new(Shop::echo_tools(Arc::new(Shop))).unwrap();
    let found: Vec<_> = registry
        .descriptors()
        .map(|descriptor| (descriptor.id(), descriptor.description(), descriptor.annotations().read_only))
        .collect();
    assert_eq!(found, [("echo_text", "Echoes a text.", Some(true)), ("echo_number", "Echoes a number.", Some(false))]);
}
