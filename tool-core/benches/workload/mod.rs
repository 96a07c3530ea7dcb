//! One tool, written by `#[tool]` and by hand, and the floors beside which it is measured. The benches and the test of
//! the allocations share it, and none of them uses all of it.
#![allow(dead_code)]

pub(crate) mod floor;
pub(crate) mod listing;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tool_core::{RawTool, RawToolRegistry, Tool, ToolCall, ToolError, ToolOutput, erase, tool};

/// The tool that is called.
pub(crate) const ID: &str = "search_orders";
/// Arguments that are right.
pub(crate) const VALID: &str = r#"{"customer":"C-10422","limit":5,"tags":["late","gift"],"since":"2026-01-31"}"#;
/// Arguments without one that is required.
pub(crate) const MISSING: &str = r#"{"limit":5,"tags":["late","gift"],"since":"2026-01-31"}"#;
/// A number as a string.
pub(crate) const NUMBER_AS_STRING: &str =
    r#"{"customer":"C-10422","limit":"5","tags":["late","gift"],"since":"2026-01-31"}"#;
/// An array as its own text.
pub(crate) const TAGS_AS_STRING: &str =
    r#"{"customer":"C-10422","limit":5,"tags":"[\"late\",\"gift\"]","since":"2026-01-31"}"#;
/// How many tools a registry holds.
pub(crate) const SIZES: [usize; 4] = [1, 16, 256, 4096];

/// What the tool returns, however it is written.
#[derive(Serialize)]
pub(crate) struct Orders {
    ids: Vec<u64>,
    total: u64,
}

/// The tool's work: as little as an answer can cost.
pub(crate) fn search(customer: &str, limit: u32, tags: &[String], since: Option<&str>) -> Orders {
    let seed = (customer.len() + tags.len() + since.map_or(0, str::len)) as u64;
    let ids: Vec<u64> = (0..u64::from(limit)).map(|n| 70_000 + n * seed).collect();
    Orders { total: ids.len() as u64 + 37, ids }
}

/// Searches the orders of a customer.
#[tool(read_only, type = ByMacro)]
async fn search_orders(
    /// Customer id, as printed on the invoice.
    customer: String,
    /// How many orders to return.
    #[arg(default = 10)]
    limit: u32,
    /// Only orders with all of these.
    tags: Vec<String>,
    /// Only orders since this day.
    since: Option<String>,
) -> Orders {
    search(&customer, limit, &tags, since.as_deref())
}

/// The arguments by serde's derive.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Customer id, as printed on the invoice.
    customer: String,
    /// How many orders to return.
    #[serde(default = "ten")]
    limit: u32,
    /// Only orders with all of these.
    tags: Vec<String>,
    /// Only orders since this day.
    since: Option<String>,
}

fn ten() -> u32 {
    10
}

impl Args {
    fn search(&self) -> Orders {
        search(&self.customer, self.limit, &self.tags, self.since.as_deref())
    }
}

pub(crate) struct ByHand;

#[async_trait]
impl Tool for ByHand {
    type Args = Args;
    type Output = Orders;
    const ID: &'static str = ID;
    const DESCRIPTION: &'static str = "Searches the orders of a customer.";

    async fn call(&self, args: Args) -> Result<Orders, ToolError> {
        Ok(args.search())
    }
}

/// A tool that only takes up its place.
pub(crate) struct Filler(pub(crate) String);

#[async_trait]
impl RawTool for Filler {
    fn id(&self) -> &str {
        &self.0
    }

    async fn invoke(&self, _call: ToolCall) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::ok("nothing"))
    }
}

/// The ids of `count` fillers.
pub(crate) fn filler_ids(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|n| format!("look_up_{n:04}"))
}

/// How the tool is written.
#[derive(Clone, Copy)]
pub(crate) enum Author {
    Macro,
    Hand,
}

/// A registry of `size` tools, of which one is the tool.
pub(crate) fn registry(author: Author, size: usize) -> RawToolRegistry {
    let tool = match author {
        Author::Macro => erase(ByMacro),
        Author::Hand => erase(ByHand),
    };
    let fillers = filler_ids(size - 1).map(|id| Arc::new(Filler(id)) as Arc<dyn RawTool>);
    RawToolRegistry::new(fillers.chain([tool]))
}

/// A registry of nothing but fillers.
pub(crate) fn registry_of_fillers(ids: Vec<String>) -> RawToolRegistry {
    RawToolRegistry::new(ids.into_iter().map(|id| Arc::new(Filler(id)) as Arc<dyn RawTool>))
}

pub(crate) fn call(arguments: &str) -> ToolCall {
    ToolCall::new("call_1", ID, arguments)
}

pub(crate) fn call_with_value() -> ToolCall {
    ToolCall::new("call_1", ID, value())
}

pub(crate) fn value() -> Value {
    serde_json::from_str(VALID).expect("JSON")
}

/// Arguments with `count` tags, `limit` as it is given.
pub(crate) fn many_tags(count: usize, limit: &str) -> String {
    let tags: Vec<String> = (0..count).map(|n| format!("\"tag-{n}\"")).collect();
    format!(r#"{{"customer":"C-10422","limit":{limit},"tags":[{}]}}"#, tags.join(","))
}

/// What a future comes to that never waits.
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the tool waits"),
    }
}
