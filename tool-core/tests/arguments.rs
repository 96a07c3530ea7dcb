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
                "Known: `extra`, `max_depth`, `query`, `sortBy`, `window`"
            ),
        ),
        (
            r#"{"query":"q","sort_by":"date"}"#,
            concat!(
                "`sort_by`: unknown property \"sort_by\"; did you mean `sortBy`? ",
                "Known: `extra`, `max_depth`, `query`, `sortBy`, `window`"
            ),
        ),
        (r#"{"query":"q","query":"r"}"#, "`query`: given more than once"),
        (r#"{"query":null}"#, "`query`: expected a string, got null"),
        (r#"{"query":"q","max_depth":256}"#, "`max_depth`: expected an integer from 0 to 255, got the number 256"),
        (r#"{"query":"q","window":{}}"#, "`window.from`: required, but missing"),
        (r#"{"query":"q","window":7}"#, "`window`: expected an object or null, got the number 7"),
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

/// Orders.
#[tool]
fn order(
    #[arg(range(1..=100))] limit: u32,
    #[arg(range(0..=255))] byte: u64,
    #[arg(range(-0.5..1.5))] ratio: Option<f64>,
    #[arg(length(2..=3))] code: &str,
    #[arg(pattern = "^#W[0-9]+$")] number: Option<String>,
    #[arg(length(..2), default)] tags: Vec<String>,
    #[state] started: &std::sync::atomic::AtomicU32,
) -> String {
    started.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    format!("{limit} {byte} {ratio:?} {code} {number:?} {tags:?}")
}

#[tokio::test]
async fn a10_constraints_are_enforced_before_the_body_starts() {
    let started = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let registry = RawToolRegistry::try_new([erase(Order::new(std::sync::Arc::clone(&started)))]).unwrap();
    let refused = [
        (r#"{"limit":0,"byte":0,"code":"ab"}"#, "`limit`: expected an integer from 1 to 100, got the number 0"),
        (r#"{"limit":101,"byte":0,"code":"ab"}"#, "`limit`: expected an integer from 1 to 100, got the number 101"),
        (r#"{"limit":1,"byte":256,"code":"ab"}"#, "`byte`: expected an integer from 0 to 255, got the number 256"),
        (r#"{"limit":1,"byte":0,"code":"a"}"#, "`code`: expected a string of 2 to 3 characters, got 1"),
    ];
    for (arguments, message) in refused {
        let call = ToolCall::new("c", "order", arguments);
        assert_eq!(answer(&registry, call).await, format!("Invalid arguments: {message}"), "{arguments}");
    }
    for arguments in [
        r#"{"limit":1,"byte":0,"code":"abcd"}"#,
        r#"{"limit":1,"byte":0,"code":"ab","ratio":1.5}"#,
        r#"{"limit":1,"byte":0,"code":"ab","ratio":-0.6}"#,
        r#"{"limit":1,"byte":0,"code":"ab","number":"W1"}"#,
        r#"{"limit":1,"byte":0,"code":"ab","tags":["a","b"]}"#,
    ] {
        let told = answer(&registry, ToolCall::new("c", "order", arguments)).await;
        assert!(told.starts_with("Invalid arguments: "), "{arguments}: {told}");
    }
    assert_eq!(started.load(std::sync::atomic::Ordering::SeqCst), 0, "the body was entered");
    let right = r##"{"limit":100,"byte":255,"code":"äöü","ratio":null,"number":"#W1","tags":["a"]}"##;
    let told = answer(&registry, ToolCall::new("c", "order", right)).await;
    assert_eq!(told, "100 255 None äöü Some(\"#W1\") [\"a\"]");
}

#[tokio::test]
async fn repairs_are_recorded_on_the_output() {
    let registry = RawToolRegistry::new([erase(Search)]);
    let call = ToolCall::new("c", "search", r#"{"query":"007","max_depth":"3","sortBy":null}"#);
    let output = registry.dispatch(&call).await.unwrap();
    assert_eq!(output.text(), "007 3 None None None");
    let repairs: Vec<(&str, &str)> =
        output.repairs.iter().map(|repair| (repair.path.as_str(), repair.rule.as_str())).collect();
    assert_eq!(repairs, [("max_depth", "number_from_string")]);
    let right = registry.dispatch(&ToolCall::new("c", "search", r#"{"query":"q"}"#)).await.unwrap();
    assert_eq!(right.repairs, []);
}
