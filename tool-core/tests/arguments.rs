//! What a `#[tool]` function's generated argument struct takes from a model, and what it refuses.

use serde::Deserialize;
use serde_json::Value;
use tool_core::{RawToolRegistry, ToolCall, erase, tool};

#[derive(Deserialize, schemars::JsonSchema)]
struct Window {
    from: u32,
}

/// Searches.
#[tool(read_only)]
fn search(
    query: &str,
    #[arg(default = 10)] max_depth: u8,
    #[arg(rename = "sortBy")] sort_by: Option<String>,
    window: Option<Window>,
    extra: Option<Value>,
) -> String {
    format!("{query} {max_depth} {sort_by:?} {:?} {extra:?}", window.map(|window| window.from))
}

/// Takes nothing.
#[tool(read_only)]
fn ping() -> &'static str {
    "pong"
}

/// What the model is told, from text and from the same value.
async fn told(tool: &str, arguments: &str) -> String {
    let registry = RawToolRegistry::new([erase(Search), erase(Ping)]);
    let from_text = answer(&registry, ToolCall::new("c", tool, arguments)).await;
    // A value cannot hold a key twice, so that only text can be refused for it.
    if let Ok(value) = serde_json::from_str::<Value>(arguments)
        && !from_text.contains("more than once")
    {
        assert_eq!(answer(&registry, ToolCall::new("c", tool, value)).await, from_text);
    }
    from_text
}

async fn answer(registry: &RawToolRegistry, call: ToolCall) -> String {
    match registry.dispatch(&call).await {
        Ok(output) => output.text().into_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn arguments_are_decoded_by_their_wire_names() {
    for (arguments, text) in [
        (r#"{"query":"q"}"#, "q 10 None None None"),
        (r#"{"query":"q","max_depth":3,"sortBy":"date","window":{"from":1}}"#, "q 3 Some(\"date\") Some(1) None"),
        (r#"{"qu\u0065ry":"\u00e9"}"#, "é 10 None None None"),
        (r#" { "query" : "q" , "sortBy" : null , "window" : null , "extra" : null } "#, "q 10 None None None"),
        (r#"{"query":"","extra":[1]}"#, " 10 None None Some(Array [Number(1)])"),
    ] {
        assert_eq!(told("search", arguments).await, text, "{arguments}");
    }
}

#[tokio::test]
async fn what_does_not_fit_is_refused_by_its_place() {
    for (arguments, message) in [
        ("{}", "`query`: required, but missing"),
        ("", "`query`: required, but missing"),
        (
            r#"{"query":"q","depth":5}"#,
            concat!(
                "`depth`: unknown property \"depth\"; did you mean `max_depth`? ",
                "Known: `query`, `max_depth`, `sortBy`, `window`, `extra`"
            ),
        ),
        (
            r#"{"query":"q","sort_by":"date"}"#,
            concat!(
                "`sort_by`: unknown property \"sort_by\"; did you mean `sortBy`? ",
                "Known: `query`, `max_depth`, `sortBy`, `window`, `extra`"
            ),
        ),
        (r#"{"query":"q","query":"r"}"#, "`query`: given more than once"),
        (r#"{"query":null}"#, "`query`: expected a string, got null"),
        (r#"{"query":"q","max_depth":256}"#, "`max_depth`: expected an integer from 0 to 255, got the number 256"),
        (r#"{"query":"q","window":{}}"#, "`window.from`: required, but missing"),
        (r#"{"query":"q","window":7}"#, "`window`: expected an object, got the number 7"),
        (r#"["q"]"#, "expected a JSON object, got an array"),
        ("[]", "expected a JSON object, got an array"),
        (r#""q""#, "expected a JSON object, got a string"),
    ] {
        assert_eq!(told("search", arguments).await, format!("Invalid arguments: {message}"), "{arguments}");
    }
}

#[tokio::test]
async fn a_tool_without_arguments_takes_the_empty_object_in_every_form_and_nothing_else() {
    for arguments in ["", "  ", "null", "{}"] {
        assert_eq!(told("ping", arguments).await, "pong", "{arguments:?}");
    }
    assert_eq!(
        told("ping", r#"{"now":true}"#).await,
        "Invalid arguments: `now`: unknown property; there are no known ones"
    );
    assert_eq!(told("ping", "[]").await, "Invalid arguments: expected a JSON object, got an array");
}
