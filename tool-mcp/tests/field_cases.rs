//! Cases from the field that concern this crate; R2 is in `containment.rs`, R5 in `listing.rs`.

mod support;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use support::{LineClient, call, client_of, refused, wire};
use tool_core::{Tool, ToolError, async_trait, erase};

#[derive(Deserialize, JsonSchema)]
struct LookUpArgs {
    order: String,
}

struct LookUp;

#[async_trait]
impl Tool for LookUp {
    type Args = LookUpArgs;
    type Output = String;
    const ID: &'static str = "look_up";
    const DESCRIPTION: &'static str = "Looks an order up.";

    async fn call(&self, args: LookUpArgs) -> Result<String, ToolError> {
        Ok(args.order)
    }
}

#[tokio::test]
async fn r1_a_missing_field_is_a_result_and_an_unknown_tool_a_json_rpc_error() {
    let client = client_of([erase(LookUp)]).await;
    let result = call(&client, "look_up", json!({})).await;
    assert_eq!(result.is_error, Some(true));
    let text = &result.content[0].as_text().unwrap().text;
    assert!(text.starts_with("Invalid arguments: ") && text.contains("`order`"), "{text}");

    let error = refused(&client, "look_down").await;
    assert_eq!((error.code.0, &*error.message), (-32602, "Unknown tool: look_down"));

    let fine = json!({"content": [{"type": "text", "text": "7"}], "isError": false});
    assert_eq!(wire(&call(&client, "look_up", json!({"order": "7"})).await), fine);
}

#[tokio::test]
async fn a9_a_line_that_is_no_message_leaves_the_connection_alive() {
    let mut client = LineClient::of([erase(LookUp)]).await;
    let call = |order: &[u8]| {
        let head = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look_up","arguments":{"order":"#;
        [head.as_slice(), order, b"}}}\n"].concat()
    };
    let nested = [vec![b'['; 128], vec![b']'; 128]].concat();
    // The SDK gives no answer to a line that it cannot read, which has no id that it could name.
    for order in [br#""\ud800""#.as_slice(), b"\"\xff\"", &nested, b"\""] {
        client.send(&call(order)).await;
    }
    client.send(&call(br#""7""#)).await;
    assert_eq!(client.receive().await["result"]["content"][0]["text"], "7");
}
