//! `initialize` and `tools/list`.

mod support;

use rmcp::ServerHandler;
use rmcp::model::PaginatedRequestParams;
use rmcp::service::ServiceError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use support::{Client, answering, client_of, described, descriptor, hidden, in_time, modern_client_of, refused};
use tool_core::{
    RawTool, RawToolRegistry, Tool, ToolAnnotations, ToolDescriptor, ToolError, ToolOutput, ToolRecoveryCapability,
    async_trait, erase,
};
use tool_mcp::{ServeError, ToolServer};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct FindArgs {
    /// What to look for.
    query: String,
    limit: Option<u8>,
}

struct Find;

#[async_trait]
impl Tool for Find {
    type Args = FindArgs;
    type Output = Value;
    const ID: &'static str = "find";
    const DESCRIPTION: &'static str = "Finds things.";

    fn output_schema() -> Option<Value> {
        Some(json!({"type": "object", "properties": {"found": {"type": "integer"}}}))
    }

    fn title(&self) -> Option<&str> {
        Some("Find things")
    }

    fn annotations(&self) -> ToolAnnotations {
        ToolAnnotations::new().with_read_only(true)
    }

    async fn call(&self, _args: FindArgs) -> Result<Value, ToolError> {
        Ok(json!({"found": 0}))
    }
}

async fn listed(client: &Client) -> Value {
    serde_json::to_value(in_time(client.list_tools(None)).await.unwrap().tools).unwrap()
}

fn names(listed: &Value) -> Vec<&str> {
    listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_tool_is_listed_with_all_that_its_descriptor_says() {
    let client = client_of([erase(Find)]).await;
    let expected = json!([{
        "name": "find",
        "title": "Find things",
        "description": "Finds things.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for."},
                "limit": {"type": ["integer", "null"], "minimum": 0, "maximum": 255},
            },
            "required": ["query"],
            "additionalProperties": false,
        },
        "outputSchema": {"type": "object", "properties": {"found": {"type": "integer"}}},
        "annotations": {"readOnlyHint": true, "destructiveHint": false},
    }]);
    assert_eq!(listed(&client).await, expected);
}

#[tokio::test]
async fn annotations_are_what_the_tool_states_and_two_inferences() {
    use ToolRecoveryCapability::{DurableRequest, Idempotent, NonRecoverable, ReplaySafe};
    let none = ToolAnnotations::new();
    let cases = [
        (none.clone(), NonRecoverable, Value::Null),
        (none.clone(), Idempotent, Value::Null),
        (none.clone(), DurableRequest, Value::Null),
        (none.clone(), ReplaySafe, json!({"idempotentHint": true})),
        (none.clone().with_read_only(true), NonRecoverable, json!({"readOnlyHint": true, "destructiveHint": false})),
        (none.clone().with_read_only(false), NonRecoverable, json!({"readOnlyHint": false})),
        (none.clone().with_destructive(true), NonRecoverable, json!({"destructiveHint": true})),
        (none.clone().with_destructive(false), ReplaySafe, json!({"destructiveHint": false, "idempotentHint": true})),
        (none.clone().with_open_world(false), NonRecoverable, json!({"openWorldHint": false})),
        (
            none.with_read_only(true).with_destructive(true).with_open_world(true),
            NonRecoverable,
            json!({"readOnlyHint": true, "destructiveHint": true, "openWorldHint": true}),
        ),
    ];
    let tools = cases.iter().enumerate().map(|(position, (annotations, capability, _))| {
        let descriptor = descriptor(&format!("tool_{position}"))
            .with_annotations(annotations.clone())
            .with_recovery_capability(*capability);
        described(descriptor, |_| std::future::ready(Ok(ToolOutput::ok(""))))
    });
    let listed = listed(&client_of(tools).await).await;
    for (position, (annotations, capability, expected)) in cases.iter().enumerate() {
        assert_eq!(&listed[position]["annotations"], expected, "{annotations:?}, {capability:?}");
    }
}

#[tokio::test]
async fn tools_are_listed_in_their_order_and_what_they_leave_out_is_left_out() {
    let ok = || Ok(ToolOutput::ok("ok"));
    let client = client_of([answering("b", ok()), answering("a", ok()), answering("c", ok())]).await;
    let listed = listed(&client).await;
    assert_eq!(names(&listed), ["b", "a", "c"]);
    assert_eq!(listed[0], json!({"name": "b", "description": "Does b.", "inputSchema": {"type": "object"}}));
}

#[tokio::test]
async fn both_generations_of_the_protocol_list_the_same() {
    let before = listed(&client_of([erase(Find)]).await).await;
    assert_eq!(listed(&modern_client_of([erase(Find)]).await).await, before);
}

#[tokio::test]
async fn a_tool_without_a_descriptor_is_neither_listed_nor_called() {
    let client = client_of([hidden("secret"), answering("public", Ok(ToolOutput::ok("")))]).await;
    assert_eq!(names(&listed(&client).await), ["public"]);
    let error = refused(&client, "secret").await;
    assert_eq!((error.code.0, &*error.message), (-32602, "Unknown tool: secret"));
}

#[tokio::test]
async fn a_cursor_that_the_server_never_gave_is_refused() {
    let client = client_of([erase(Find)]).await;
    let page = PaginatedRequestParams::default().with_cursor(Some("2".to_owned()));
    match in_time(client.list_tools(Some(page))).await {
        Err(ServiceError::McpError(error)) => {
            assert_eq!((error.code.0, &*error.message), (-32602, "Unknown cursor: all tools are on the first page"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_registry_with_problems_is_refused_with_all_of_them() {
    let ok = || Ok(ToolOutput::ok(""));
    let list = tool_core::ToolDescriptor::new("test", "list", "Lists.", json!({"type": "array"}), None);
    let tools: [Arc<dyn RawTool>; 4] = [
        answering("search", ok()),
        answering("search", ok()),
        described(list, |_| std::future::ready(Ok(ToolOutput::ok("")))),
        answering("fine", ok()),
    ];
    let error = ToolServer::try_new(RawToolRegistry::new(tools)).unwrap_err();
    assert!(matches!(&error, ServeError::Registry(problems) if problems.len() == 2), "{error:?}");
    assert_eq!(
        error.to_string(),
        "the tools cannot be served:\n\
         tool id \"search\" was registered more than once; give each tool an id of its own\n\
         the arguments of tool \"list\" are not a JSON object; put them into the fields of a struct"
    );
}

#[test]
fn a_transport_can_look_a_tool_up() {
    let server = ToolServer::try_new(RawToolRegistry::new([erase(Find)])).unwrap();
    assert_eq!(server.get_tool("find").unwrap().title.as_deref(), Some("Find things"));
    assert!(server.get_tool("search").is_none());
}

#[test]
fn a_server_says_what_it_was_given() {
    let server = ToolServer::try_new(Arc::new(RawToolRegistry::default())).unwrap();
    let own = server.get_info();
    assert_eq!((&*own.server_info.name, own.instructions), ("tool-mcp", None));
    assert!(own.capabilities.tools.is_some());

    let given = server.with_name("shop").with_version("2.1").with_instructions("Look first.").get_info();
    assert_eq!((&*given.server_info.name, &*given.server_info.version), ("shop", "2.1"));
    assert_eq!(given.instructions.as_deref(), Some("Look first."));
}

#[tokio::test]
async fn an_output_schema_that_is_no_object_is_for_clients_that_take_any_value() {
    let tools = || {
        let of = |id: &str, schema: Value| {
            let descriptor = ToolDescriptor::new("test", id, "Counts.", json!({"type": "object"}), Some(schema));
            described(descriptor, |_| std::future::ready(tool_core::render_tool_output(&json!([1]))))
        };
        [of("list", json!({"type": "array"})), of("object", json!({"type": "object"}))]
    };
    let before = listed(&client_of(tools()).await).await;
    assert_eq!((before[0].get("outputSchema"), &before[1]["outputSchema"]), (None, &json!({"type": "object"})));
    let since = listed(&modern_client_of(tools()).await).await;
    assert_eq!(
        (&since[0]["outputSchema"], &since[1]["outputSchema"]),
        (&json!({"type": "array"}), &json!({"type": "object"}))
    );
}
