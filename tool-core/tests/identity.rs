//! The content identity is the same on every machine, in every build, and with every feature of `serde_json`.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{Tool, ToolDescriptor, tool};

#[derive(Deserialize, JsonSchema)]
struct Window {
    /// Seconds.
    width: f64,
    tags: Vec<String>,
}

/// Searches a customer's orders, “newest first”.
#[tool(read_only)]
fn search_orders(
    /// Customer id.
    customer: String,
    #[arg(default = 10)] limit: u32,
    #[arg(default = 0.5)] ratio: f64,
    since: Option<u64>,
    window: Window,
) -> String {
    format!("{customer}{limit}{ratio}{since:?}{}{:?}", window.width, window.tags)
}

mod changed {
    use tool_core::tool;

    /// Searches a customer's orders, “newest first”.
    #[tool(read_only)]
    pub(crate) fn search_orders(
        /// Customer id.
        customer: String,
        #[arg(default = 11)] limit: u32,
    ) -> String {
        format!("{customer}{limit}")
    }
}

#[test]
fn the_identity_of_a_known_tool_is_pinned() {
    let descriptor = ToolDescriptor::for_tool::<SearchOrders>("local");
    assert_eq!(descriptor.id(), SearchOrders::ID);
    // A changed value here means that every snapshot which pins such a tool refuses it: never without a reason.
    assert_eq!(descriptor.identity().to_string(), "0abd511f92c77890d94d48c5f7dc2d678d56d55c2bd4539f134f7f8972378423");
}

#[test]
fn a_changed_argument_or_prefix_changes_the_identity() {
    let identity = ToolDescriptor::for_tool::<SearchOrders>("local").identity();
    assert_ne!(ToolDescriptor::for_tool::<changed::SearchOrders>("local").identity(), identity);
    assert_ne!(ToolDescriptor::for_tool::<SearchOrders>("elsewhere").identity(), identity);
}

#[test]
fn the_schema_reads_the_same_in_every_build() {
    let schema = ToolDescriptor::for_tool::<SearchOrders>("local").input_schema().to_string();
    assert_eq!(
        schema,
        concat!(
            r#"{"additionalProperties":false,"properties":{"customer":{"description":"Customer id.","#,
            r#""type":"string"},"limit":{"default":10,"maximum":4294967295,"minimum":0,"type":"integer"},"#,
            r#""ratio":{"default":0.5,"type":"number"},"since":{"maximum":18446744073709551615,"minimum":0,"#,
            r#""type":["integer","null"]},"window":{"additionalProperties":false,"properties":{"tags":{"items":{"type":"string"},"type":"array"},"#,
            r#""width":{"description":"Seconds.","type":"number"}},"required":["width","tags"],"type":"object"}},"#,
            r#""required":["customer","window"],"type":"object"}"#,
        )
    );
}
