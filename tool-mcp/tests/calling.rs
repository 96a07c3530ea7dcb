//! `tools/call`: results, failures and refusals.

mod support;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{
    LineClient, answering, call, client_of, described, in_time, modern_client_of, refused, request, tool, wire,
};
use tool_core::{
    ContentBlock, StateCommand, Tool, ToolDescriptor, ToolError, ToolOutput, async_trait, erase, render_tool_output,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GreetArgs {
    name: String,
}

#[derive(Serialize)]
struct Greeting {
    greeting: String,
}

/// Counts how often its body is entered.
#[derive(Default)]
struct Greet(Arc<AtomicUsize>);

#[async_trait]
impl Tool for Greet {
    type Args = GreetArgs;
    type Output = Greeting;
    const ID: &'static str = "greet";
    const DESCRIPTION: &'static str = "Greets a person by name.";

    async fn call(&self, args: GreetArgs) -> Result<Greeting, ToolError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Greeting { greeting: format!("Hello, {}!", args.name) })
    }
}

#[tokio::test]
async fn an_object_is_answered_as_text_and_as_structured_content() {
    let client = client_of([erase(Greet::default())]).await;
    let result = call(&client, "greet", json!({"name": "Ada"})).await;
    let expected = json!({
        "content": [{"type": "text", "text": "{\"greeting\":\"Hello, Ada!\"}"}],
        "structuredContent": {"greeting": "Hello, Ada!"},
        "isError": false,
    });
    assert_eq!(wire(&result), expected);
}

#[tokio::test]
async fn blocks_keep_their_order_and_staged_state_stays_behind() {
    let output = ToolOutput::ok_blocks([ContentBlock::text("one"), ContentBlock::text("two")])
        .with_state(StateCommand::set("seen", json!(true)));
    let client = client_of([answering("two", Ok(output))]).await;
    let expected = json!({
        "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
        "isError": false,
    });
    assert_eq!(wire(&call(&client, "two", json!({})).await), expected);
}

#[tokio::test]
async fn a_value_that_is_no_object_is_structured_content_from_2026_07_28_on() {
    let tools = || [answering("count", Ok(ToolOutput::ok("three").with_structured_content(json!(3))))];
    let before = call(&client_of(tools()).await, "count", json!({})).await;
    assert_eq!(wire(&before), json!({"content": [{"type": "text", "text": "three"}], "isError": false}));

    let since = call(&modern_client_of(tools()).await, "count", json!({})).await;
    assert_eq!(since.structured_content, Some(json!(3)));
    assert_eq!(since.content.len(), 1);
}

#[tokio::test]
async fn a_failure_is_a_result_in_the_tools_own_words() {
    let client = client_of([answering("pay", Err(ToolError::failed("no such account")))]).await;
    let expected = json!({"content": [{"type": "text", "text": "no such account"}], "isError": true});
    assert_eq!(wire(&call(&client, "pay", json!({})).await), expected);
}

#[tokio::test]
async fn a_failure_is_not_held_against_the_schema_of_the_successes() {
    let failure = || ToolOutput::error("no").with_structured_content(json!({"code": 7}));
    let schema = Some(json!({"type": "object", "required": ["total"]}));
    let with_schema = ToolDescriptor::new("test", "schema", "Sums.", json!({"type": "object"}), schema);
    let client = client_of([
        described(with_schema, move |_| std::future::ready(Ok(failure()))),
        answering("free", Ok(failure())),
    ])
    .await;
    assert_eq!(call(&client, "schema", json!({})).await.structured_content, None);
    assert_eq!(call(&client, "free", json!({})).await.structured_content, Some(json!({"code": 7})));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_a_result_that_names_the_field_and_the_body_is_not_entered() {
    let greet = Greet::default();
    let entered = Arc::clone(&greet.0);
    let client = client_of([erase(greet)]).await;
    for (arguments, field) in [(json!({"name": 7}), "`name`"), (json!({"name": "Ada", "nam": 1}), "`nam`")] {
        let result = call(&client, "greet", arguments).await;
        assert_eq!(result.is_error, Some(true));
        let text = &result.content[0].as_text().unwrap().text;
        assert!(text.starts_with("Invalid arguments: ") && text.contains(field), "{text}");
    }
    assert_eq!(entered.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_call_that_broke_down_is_a_result_without_the_operators_words() {
    let client = client_of([
        answering("full", Err(ToolError::unavailable("queue pw=hunter2"))),
        answering("lost", Err(ToolError::execution("socket pw=hunter2"))),
    ])
    .await;
    for (name, text) in [
        ("full", "The tool is unavailable at the moment. Nothing was done; the call may be tried again."),
        (
            "lost",
            "The tool failed, and its outcome is unknown: its effect may have happened. Do not repeat the call before \
             you have checked.",
        ),
    ] {
        let expected = json!({"content": [{"type": "text", "text": text}], "isError": true});
        assert_eq!(wire(&call(&client, name, json!({})).await), expected);
    }
}

#[tokio::test]
async fn a_name_that_is_not_offered_is_invalid_params() {
    let client = client_of([erase(Greet::default())]).await;
    for name in ["Greet", ""] {
        let error = refused(&client, name).await;
        assert_eq!((error.code.0, error.message.to_string()), (-32602, format!("Unknown tool: {name}")));
        assert_eq!(error.data, None);
    }
}

#[tokio::test]
async fn a_tool_that_disowns_its_own_name_is_unknown_and_one_that_misses_another_has_failed() {
    let client = client_of([
        answering("gone", Err(ToolError::unknown("gone", "the server behind it dropped it"))),
        answering("relay", Err(ToolError::unknown("inner", "no such tool"))),
    ])
    .await;
    let error = refused(&client, "gone").await;
    assert_eq!((error.code.0, &*error.message), (-32602, "Unknown tool: gone"));
    let expected = json!({"content": [{"type": "text", "text": "There is no tool named \"inner\"."}], "isError": true});
    assert_eq!(wire(&call(&client, "relay", json!({})).await), expected);
}

#[tokio::test]
async fn a_call_without_arguments_has_the_empty_object() {
    let echo =
        tool("echo", |call| async move { render_tool_output(&tool_core::parse_tool_args::<Value>(&call.arguments)?) });
    let client = client_of([echo]).await;
    let bare = rmcp::model::CallToolRequestParams::new("echo");
    let result = in_time(client.call_tool(bare)).await.unwrap();
    assert_eq!(result.content[0].as_text().unwrap().text, "{}");
}

#[tokio::test]
async fn the_call_id_is_the_requests_id() {
    let who = || tool("who", |call| async move { Ok(ToolOutput::ok(&*call.call_id)) });
    let mut client = LineClient::of([who()]).await;
    for (id, text) in [(json!(41), "41"), (json!("call-7"), "call-7")] {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "who"}});
        let answer = client.ask(&request).await;
        assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&id, &json!(text)));
    }
}

#[tokio::test]
async fn params_of_the_wrong_shape_are_invalid_params_and_the_connection_lives_on() {
    let mut client = LineClient::of([erase(Greet::default())]).await;
    let ask = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let wrong = "Invalid params of tools/call: `name` is a string, and `arguments`, where given, a JSON object";
    for (method, params, code, message) in [
        ("tools/call", json!({"name": "greet", "arguments": ["s3cret"]}), -32602, wrong),
        ("tools/call", json!({"name": "greet", "arguments": "{\"name\":\"s3cret\"}"}), -32602, wrong),
        ("tools/call", json!({"arguments": {}}), -32602, wrong),
        ("tools/delete", json!({}), -32601, "tools/delete"),
    ] {
        let answer = client.ask(&ask(method, params)).await;
        assert_eq!(answer["error"], json!({"code": code, "message": message}));
    }
    let answer = client.ask(&ask("tools/call", json!({"name": "greet", "arguments": {"name": "Ada"}}))).await;
    assert_eq!(answer["result"]["structuredContent"], json!({"greeting": "Hello, Ada!"}));
}

#[tokio::test]
async fn many_clients_share_one_registry() {
    let shared = Arc::new(support::registry([erase(Greet::default())]));
    let server = tool_mcp::ToolServer::try_new(shared).unwrap();
    for name in ["Ada", "Bo"] {
        let (near, far) = tokio::io::duplex(4096);
        let serving = server.clone();
        tokio::spawn(async move { rmcp::serve_server(serving, far).await.unwrap().waiting().await });
        let client = rmcp::serve_client((), near).await.unwrap();
        let result = in_time(client.call_tool(request("greet", &json!({"name": name})))).await.unwrap();
        assert_eq!(result.structured_content, Some(json!({"greeting": format!("Hello, {name}!")})));
    }
}

#[tokio::test]
async fn a_bare_text_is_structured_content_only_where_a_schema_describes_it() {
    let tools = || {
        let text = || std::future::ready(tool_core::render_tool_output("heard"));
        let schema = Some(json!({"type": "string"}));
        let with_schema = ToolDescriptor::new("test", "schema", "Hears.", json!({"type": "object"}), schema);
        [described(with_schema, move |_| text()), answering("free", tool_core::render_tool_output("heard"))]
    };
    let since = modern_client_of(tools()).await;
    assert_eq!(call(&since, "schema", json!({})).await.structured_content, Some(json!("heard")));
    assert_eq!(call(&since, "free", json!({})).await.structured_content, None);
    let before = client_of(tools()).await;
    assert_eq!(call(&before, "schema", json!({})).await.structured_content, None);
}
