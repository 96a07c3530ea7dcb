//! Methods of one value are tools; they share it, and come in the order of the source.
#![deny(warnings)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tool_core::{RawToolRegistry, Tool, ToolCall, ToolContext, tool};

pub struct Shop {
    sold: AtomicU32,
}

#[tool]
impl Shop {
    const LIMIT: u32 = 10;

    /// Not a tool.
    pub fn new() -> Self {
        Self { sold: AtomicU32::new(0) }
    }

    /// Sells.
    #[tool(id = "shop.sell", recovery = non_recoverable)]
    pub async fn sell(
        &self,
        /// How many.
        #[arg(default = 1)]
        number: u32,
        #[context] cx: &ToolContext,
    ) -> Result<u32, String> {
        assert!(!cx.is_cancelled());
        self.check(number)?;
        Ok(self.sold.fetch_add(number, Ordering::SeqCst) + number)
    }

    fn check(&self, number: u32) -> Result<(), String> {
        if number > Self::LIMIT { Err(format!("at most {}", Self::LIMIT)) } else { Ok(()) }
    }

    /// Tells.
    #[tool(read_only)]
    pub fn sold(&self) -> u32 {
        self.sold.load(Ordering::SeqCst)
    }

    /// Not there.
    #[tool]
    #[cfg(any())]
    pub fn absent(&self, missing: Missing) {}

    /// Private.
    #[tool]
    fn reset(&self, note: &str) -> String {
        self.sold.store(0, Ordering::SeqCst);
        note.to_owned()
    }
}

/// A second block has a name of its own.
#[tool(tools = admin_tools)]
impl Shop {
    /// Blocks.
    #[tool(blocking, type = CloseShop)]
    fn close(&self) -> u32 {
        self.sold()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let shop = Arc::new(Shop::new());
    let mut registry = RawToolRegistry::try_new(Shop::tools(Arc::clone(&shop))).unwrap();
    let ids: Vec<&str> = registry.descriptors().map(|descriptor| descriptor.id()).collect();
    assert_eq!(ids, ["shop.sell", "sold", "reset"]);
    for tool in Shop::admin_tools(Arc::clone(&shop)) {
        registry.insert(tool);
    }
    for (id, arguments, text) in [
        ("shop.sell", r#"{"number":3}"#, "3"),
        ("shop.sell", "{}", "4"),
        ("shop.sell", r#"{"number":11}"#, "at most 10"),
        ("sold", "", "4"),
        ("close", "", "4"),
        ("reset", r#"{"note":"done"}"#, "done"),
        ("sold", "", "0"),
    ] {
        assert_eq!(registry.dispatch(&ToolCall::new("c", id, arguments)).await.unwrap().text(), text);
    }
    assert_eq!(shop.sell(2, &ToolContext::detached()).await, Ok(2));
    assert_eq!((ShopSell::ID, CloseShop::ID), ("shop.sell", "close"));
    assert_eq!(ShopSold::new(shop).title(), None);
}
