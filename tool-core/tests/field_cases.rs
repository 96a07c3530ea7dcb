//! The cases from the field that concern arguments, each by its number; `arguments_*.rs` hold more of each kind.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{ArgumentMode, ArgumentParser, RepairRule, ToolArguments, input_schema};

fn parser<A: JsonSchema>(mode: ArgumentMode) -> ArgumentParser {
    let schema = input_schema::<A>();
    ArgumentParser::new(&schema).unwrap().with_mode(mode)
}

fn read<A: DeserializeOwned + JsonSchema>(
    mode: ArgumentMode,
    arguments: impl Into<ToolArguments>,
) -> Result<A, String> {
    let refused = |error: tool_core::ToolError| error.to_string().replacen("Invalid arguments: ", "", 1);
    parser::<A>(mode).parse::<A>(&arguments.into()).map(|parsed| parsed.args).map_err(refused)
}

fn lenient<A: DeserializeOwned + JsonSchema>(arguments: &str) -> Result<A, String> {
    read(ArgumentMode::Lenient, arguments)
}

fn strict<A: DeserializeOwned + JsonSchema>(arguments: &str) -> Result<A, String> {
    read(ArgumentMode::Strict, arguments)
}

/// The same in both modes.
fn both<A: DeserializeOwned + JsonSchema + PartialEq + std::fmt::Debug>(arguments: &str) -> Result<A, String> {
    let lenient = lenient(arguments);
    assert_eq!(lenient, strict(arguments), "{arguments}");
    lenient
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Query {
    q: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Order {
    order: String,
}

#[test]
fn a1_no_arguments_in_every_form() {
    for none in ["null", "", "  ", "\n\t ", "{}", " null ", "\r\n{ }\n"] {
        assert_eq!(both::<Query>(none), Ok(Query { q: None }), "{none:?}");
        assert_eq!(both::<Order>(none).unwrap_err(), "`order`: required, but missing", "{none:?}");
        assert_eq!(both::<Option<Query>>(none), Ok(Some(Query { q: None })), "{none:?}");
    }
    for none in ["null", "", "  ", "{}"] {
        assert_eq!(both::<()>(none), Ok(()), "{none:?}");
        assert_eq!(both::<Option<Order>>(none), Ok(None), "{none:?}");
    }
    for value in [Value::Null, serde_json::json!({})] {
        assert_eq!(read::<Query>(ArgumentMode::Strict, value.clone()), Ok(Query { q: None }));
        assert_eq!(read::<()>(ArgumentMode::Strict, value.clone()), Ok(()));
        assert_eq!(read::<Option<Order>>(ArgumentMode::Strict, value), Ok(None));
    }
    assert_eq!(both::<()>(r#"{"a":1}"#).unwrap_err(), "`a`: unknown property; there are no known ones");
}

fn encoded(text: &str) -> String {
    Value::from(text).to_string()
}

#[test]
fn a2_arguments_encoded_twice() {
    let order = || Ok(Order { order: "7".to_owned() });
    let once = encoded(r#"{"order":"7"}"#);
    let twice = encoded(&once);
    assert_eq!(lenient(&once), order());
    assert_eq!(lenient(&twice), order());
    assert_eq!(lenient(&encoded(" \n{\"order\":\"7\"} ")), order());
    assert_eq!(read(ArgumentMode::Lenient, Value::from(r#"{"order":"7"}"#)), order());
    let refused = "expected a JSON object, got a string";
    for text in [
        encoded(&twice),
        encoded("[1]"),
        encoded("5"),
        encoded("null"),
        encoded(""),
        encoded("order 7"),
        encoded(r#"{"order":"7""#),
    ] {
        assert_eq!(lenient::<Order>(&text).unwrap_err(), refused, "{text}");
    }
    assert_eq!(strict::<Order>(&once).unwrap_err(), refused);
    assert_eq!(
        lenient::<Order>(&encoded(r#"{"order":7}"#)).unwrap_err(),
        "`order`: expected a string, got the number 7"
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Coded {
    depth: u32,
    code: String,
}

#[test]
fn a3_numbers_as_strings() {
    let args = r#"{"depth":"3","code":"007"}"#;
    assert_eq!(lenient(args), Ok(Coded { depth: 3, code: "007".to_owned() }));
    let range = "expected an integer from 0 to 4294967295, got the string";
    assert_eq!(strict::<Coded>(args).unwrap_err(), format!("`depth`: {range} \"3\""));
    for wrong in ["3x", "", " 3", "3 ", "+3", "03", "0x3", "3_000", "3,0", "٣", "NaN", "--3", "true", "null"] {
        let args = format!(r#"{{"depth":"{wrong}","code":""}}"#);
        assert_eq!(both::<Coded>(&args).unwrap_err(), format!("`depth`: {range} \"{wrong}\""));
    }
    assert_eq!(both::<Coded>(r#"{"depth":3,"code":7}"#).unwrap_err(), "`code`: expected a string, got the number 7");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Signed {
    n: i64,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Unsigned {
    n: u32,
}

#[test]
fn a4_integral_floats() {
    for (number, n) in [
        ("3.0", 3),
        ("1e3", 1000),
        ("-1.0", -1),
        ("-0.0", 0),
        ("-0", 0),
        ("1.5e1", 15),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("-9223372036854775808.0", i64::MIN),
    ] {
        assert_eq!(both(&format!(r#"{{"n":{number}}}"#)), Ok(Signed { n }), "{number}");
    }
    for wrong in ["3.5", "1e-1", "9223372036854775808.0", "1e19", "1e300", "1e400"] {
        assert!(both::<Signed>(&format!(r#"{{"n":{wrong}}}"#)).unwrap_err().starts_with("`n`: expected an integer"));
    }
    assert_eq!(
        both::<Unsigned>(r#"{"n":-1.0}"#).unwrap_err(),
        "`n`: expected an integer from 0 to 4294967295, got the number -1.0"
    );
    assert_eq!(both(r#"{"n":4294967295.0}"#), Ok(Unsigned { n: u32::MAX }));
    let value: Value = serde_json::from_str(r#"{"n":3.0}"#).unwrap();
    assert_eq!(read(ArgumentMode::Strict, value), Ok(Signed { n: 3 }));
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Limited {
    #[serde(default)]
    limit: u32,
    note: Option<String>,
}

#[test]
fn a5_null_on_a_defaulted_field() {
    let nothing = || Ok(Limited { limit: 0, note: None });
    assert_eq!(lenient(r#"{"limit":null}"#), nothing());
    assert_eq!(lenient(r#"{"limit":null,"note":null}"#), nothing());
    assert_eq!(both(r#"{"note":null}"#), nothing());
    assert_eq!(both(r#"{"note":"null"}"#), Ok(Limited { limit: 0, note: Some("null".to_owned()) }));
    assert!(strict::<Limited>(r#"{"limit":null}"#).unwrap_err().ends_with("got null"));
    assert!(both::<Order>(r#"{"order":null}"#).unwrap_err().ends_with("got null"));
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Deep {
    #[serde(default)]
    max_depth: u32,
    #[serde(default)]
    within: Within,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Within {
    width: Option<u32>,
}

#[test]
fn a6_unknown_properties() {
    assert_eq!(
        both::<Deep>(r#"{"depth":5}"#).unwrap_err(),
        "`depth`: unknown property \"depth\"; did you mean `max_depth`? Known: `max_depth`, `within`"
    );
    assert_eq!(
        both::<Deep>(r#"{"within":{"wide":5}}"#).unwrap_err(),
        "`within.wide`: unknown property \"wide\". Known: `width`"
    );
    let schema = input_schema::<Deep>();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["within"]["additionalProperties"], false);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Payment {
    amount: u32,
    #[serde(default)]
    free: Value,
    #[serde(flatten)]
    rest: Rest,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Rest {
    #[serde(default)]
    tags: std::collections::HashMap<String, u32>,
}

#[test]
fn a7_duplicate_keys() {
    for (text, path) in [
        (r#"{"amount":1,"amount":100}"#, "amount"),
        (r#"{"amount":1,"\u0061mount":1}"#, "amount"),
        (r#"{"amount":1,"tags":{"a":1,"a":1}}"#, "tags.a"),
        (r#"{"amount":1,"tags":{},"tags":{}}"#, "tags"),
        (r#"{"amount":1,"free":[{"b":{"c":1,"d":2,"c":3}}]}"#, "free[0].b.c"),
    ] {
        let message = format!("`{path}`: given more than once");
        assert_eq!(both::<Payment>(text).unwrap_err(), message);
        assert_eq!(lenient::<Payment>(&encoded(text)).unwrap_err(), message);
    }
}

#[test]
fn a8_no_list_of_arguments() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Outer {
        inner: Order,
    }
    for (text, got) in [("[\"x\"]", "an array"), ("[]", "an array"), ("5", "a number"), ("true", "a boolean")] {
        let message = format!("expected a JSON object, got {got}");
        assert_eq!(both::<Order>(text).unwrap_err(), message);
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(read::<Order>(ArgumentMode::Lenient, value).unwrap_err(), message);
    }
    assert_eq!(both::<Outer>(r#"{"inner":["x"]}"#).unwrap_err(), "`inner`: expected an object, got an array");
}

#[test]
fn a9_hostile_text() {
    for deep in [128, 100_000] {
        let deep = format!(r#"{{"q":{}"#, "[".repeat(deep));
        assert!(both::<Query>(&deep).is_err());
        assert!(both::<Value>(&deep).is_err());
        assert!(both::<Payment>(&deep.replace('q', "free")).is_err());
    }
    let closed = format!(r#"{{"amount":1,"free":{}{}}}"#, "[".repeat(64), "]".repeat(64));
    assert_eq!(both::<Payment>(&closed).unwrap_err(), "nested too deeply: at most 64 levels are read");
    for surrogate in [r#"{"q":"\ud800"}"#, r#"{"q":"\udc00x"}"#, r#"{"q":"\ud800\u0041"}"#, r#"{"\ud800":1}"#] {
        assert!(both::<Query>(surrogate).unwrap_err().starts_with("not valid JSON: "), "{surrogate}");
    }
    assert!(read::<Query>(ArgumentMode::Lenient, b"{\"q\":\"\xff\"}".as_slice()).unwrap_err().contains("UTF-8"));
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Ranged {
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

#[test]
fn a10_ranges() {
    for wrong in ["0", "101", "0.0", "1e3", "-1"] {
        assert_eq!(
            both::<Ranged>(&format!(r#"{{"limit":{wrong}}}"#)).unwrap_err(),
            format!("`limit`: expected an integer from 1 to 100, got the number {wrong}")
        );
    }
    for right in [1, 100] {
        assert_eq!(both(&format!(r#"{{"limit":{right}}}"#)), Ok(Ranged { limit: right }));
    }
    let parsed =
        parser::<Ranged>(ArgumentMode::Lenient).parse::<Ranged>(&ToolArguments::from(r#"{"limit":"50"}"#)).unwrap();
    assert_eq!((parsed.args.limit, parsed.repairs[0].rule), (50, RepairRule::NumberFromString));
}
