//! No message, no debug text, no listing shows the value of a secret.

mod secrets_support;

use proptest::prelude::*;
use secrets_support::{Args, Open};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tool_core::{
    ArgumentMode, ArgumentParser, RawToolRegistry, RegistryProblem, Tool, ToolArguments, ToolCall, ToolDescriptor,
    ToolError, async_trait, erase, input_schema, redact, tool,
};

const MARKER: &str = "hunter2";

/// Arguments with the marker as a secret or a part of one, each wrong in a way of its own.
fn wrong() -> Vec<String> {
    let written = [
        // Constraints and types.
        json!({"user": "a", "pin": "hunter2"}),
        json!({"user": "a", "pin": ["hunter2"]}),
        json!({"user": "a", "pin": {"hunter2": "hunter2"}}),
        json!({"user": "a", "login": {"user": "u", "password": {"hunter2": 1}}}),
        json!({"user": "a", "login": {"user": 5, "password": "hunter2"}}),
        json!({"user": "a", "login": "hunter2"}),
        json!({"user": "a", "login": ["hunter2"]}),
        json!({"user": "a", "items": [{"pin": "1"}, {"pin": "hunter2", "count": -1}]}),
        json!({"user": "a", "items": {"pin": "hunter2"}}),
        json!({"user": "a", "items": "hunter2"}),
        json!({"user": "a", "code": "hunter2"}),
        json!({"user": "a", "mode": "hunter2"}),
        json!({"user": "a", "exact": {"hunter2": "hunter2"}}),
        json!({"user": "a", "exact": ["hunter2"]}),
        json!({"user": "a", "exact": "hunter2"}),
        json!({"user": "a", "tokens": {"hunter2": "x", "b": -1}}),
        json!({"user": "a", "tokens": {"hunter2": "3"}, "code": -1}),
        json!({"user": "a", "tokens": {"hunter2": "3"}}), // repaired, where it may be
        // Unions.
        json!({"user": "a", "method": {"kind": "hunter2"}}),
        json!({"user": "a", "method": {"kind": "card", "number": "x", "hunter": 1}, "pin": "hunter2"}),
        json!({"user": "a", "method": {"kind": ["hunter2"]}}),
        json!({"user": "a", "method": "hunter2"}),
        json!({"user": "a", "either": "hunter2"}),
        json!({"user": "a", "either": {"number": "hunter2"}}),
        // Recursion.
        json!({"user": "a", "tree": {"children": [{"key": "1"}, {"children": [{"key": "hunter2"}]}]}}),
        json!({"user": "a", "tree": {"children": ["{\"key\": \"hunter2\""]}}),
        // A decoder's own words.
        json!({"user": "a", "own": "hunter2"}),
        json!({"user": "a", "exact": 5, "pin": "1", "mode": "fast"}),
        // A key that is nearly the secret's.
        json!({"user": "a", "Pin": "hunter2"}),
        json!({"user": "a", "pim": "hunter2", "code": 10}),
        json!({"user": "a", "login": {"user": "u", "passwrd": "hunter2"}}),
        json!({"user": "a", "login_password": "hunter2"}),
        json!({"user": "a", "extra": {"pin": "hunter2"}}),
        json!({"user": "a", "extra": "{\"pin\": \"hunter2\""}),
        // The arguments in something else.
        json!({"arguments": {"user": "a", "pin": "hunter2"}}),
        json!([{"user": "a", "pin": "hunter2"}]),
        json!("hunter2"),
        json!(r#"{"user": "a", "pin": "hunter2"}"#),
        json!(r#"{"user": "a", "pin": "hunter2""#),
        json!({"user": "a", "login": r#"{"user": "u", "password": "hunter2", "x": 1}"#}),
        json!({"user": "a", "login": r#"{"user": "u", "password": "hunter2""#}),
        json!({"user": "a", "login": "\"{\\\"user\\\": 5, \\\"password\\\": \\\"hunter2\\\"}\""}),
        json!({"user": "a", "items": r#"[{"pin": "hunter2"}, {"pin": 5}]"#}),
        json!({"user": "a", "items": r#"[{"pin": "hunter2"}, {"pin": "#}),
    ];
    let mut texts: Vec<String> = written.iter().map(Value::to_string).collect();
    texts.extend(
        [
            "hunter2",
            "pin=hunter2",
            r#"{"user": "a", "pin": "hunter2", "pin": "hunter2"}"#,
            r#"{"user": "a", "pin": "hunter2"#,
            r#"{"user": "a", "pin": hunter2}"#,
            r#"{"user": "a", "pin": "hunter2"}}"#,
            r#"{"user": "a", "pin": "hunter2\q"}"#,
            r#"{"user": "a", "tokens": {"hunter2": 1, "hunter2": 2}}"#,
            r#"{"user": "a", "tokens": {"hunter2": 1e999}}"#,
            "<pin>hunter2</pin>",
            "truehunter2",
        ]
        .map(str::to_owned),
    );
    texts
}

/// The ways in which arguments are given to the boundary.
fn given(text: &str) -> Vec<ToolArguments> {
    let value = serde_json::from_str::<Value>(text).ok().map(ToolArguments::from);
    let both = [Some(ToolArguments::from(text)), value];
    let modes = |arguments: ToolArguments| {
        [ArgumentMode::Lenient, ArgumentMode::Strict].map(|mode| arguments.clone().with_mode(mode))
    };
    both.into_iter().flatten().flat_map(modes).collect()
}

fn parser() -> ArgumentParser {
    ArgumentParser::new(&input_schema::<Args>()).unwrap().with_secrets(Open::SECRETS)
}

/// What a refusal says, in every form; nothing where the arguments were taken.
fn said(parser: &ArgumentParser, arguments: &ToolArguments) -> String {
    let direct = parser.parse::<Args>(arguments);
    let prepared = parser.parse_prepared::<Args>(arguments, Ok);
    let words = |repairs: Vec<_>, error: Option<ToolError>| {
        format!("{repairs:?} {error:?} {}", error.as_ref().map_or_else(String::new, ToString::to_string))
    };
    [direct, prepared]
        .into_iter()
        .map(|parsed| match parsed {
            Ok(parsed) => words(parsed.repairs, None),
            Err(error) => words(Vec::new(), Some(error)),
        })
        .collect()
}

#[tokio::test]
async fn no_refusal_and_no_listing_shows_a_secret() {
    let parser = parser();
    let registry = RawToolRegistry::try_new([erase(Open)]).unwrap();
    let descriptor = Arc::clone(registry.descriptors().next().unwrap());
    for text in wrong() {
        let mut refused = 0;
        for arguments in given(&text) {
            let said = said(&parser, &arguments);
            assert!(!said.contains("hunter2") && !said.contains("hunter\\2"), "{text}\n{said}");
            refused += usize::from(said.contains("Invalid arguments"));
            let call = ToolCall::new("call_1", "open", arguments.clone());
            let invoked = registry.dispatch(&call).await;
            assert!(!format!("{invoked:?} {call:?}").contains(MARKER), "{text}\n{invoked:?}");
            for shown in [descriptor.redact(&arguments), redact(&arguments, Open::SECRETS)] {
                let is_misspelt = text.contains("pim") || text.contains("passwrd");
                assert!(is_misspelt || !shown.to_string().contains(MARKER), "{text}\n{shown}");
            }
            assert!(!descriptor.redact(&arguments).to_string().contains(MARKER), "{text}");
        }
        let may_fit = text.contains("\\\"pin\\\": \\\"hunter2\\\"");
        assert!(refused > 0 || may_fit, "{text} is meant to be refused");
    }
}

#[test]
fn a_refusal_still_says_what_to_correct() {
    let parser = parser();
    for (arguments, message) in [
        (
            json!({"user": "a", "items": [{"pin": "hunter2"}]}),
            "`items[0].pin`: expected a string of at most 4 characters, got a string (not shown)",
        ),
        (
            json!({"user": "a", "mode": "hunter2"}),
            "`mode`: expected one of `fast`, `hunter`, `null`, got a string (not shown)",
        ),
        (
            json!({"code": true, "user": 5}), // in the order of its keys, whatever `preserve_order` is
            "`code`: expected an integer from 0 to 9 or null, got a boolean (not shown); \
             `user`: expected a string, got the number 5",
        ),
        (
            json!({"user": "a", "login": {"password": 6, "user": 5}}),
            "`login.password`: expected a string, got a number (not shown); \
             `login.user`: expected a string, got the number 5",
        ),
        (
            json!({"user": "a", "login": {"user": "u", "passwrd": "hunter2"}}),
            "`login.passwrd`: unknown property \"passwrd\"; did you mean `password`? Known: `password`, `user`; \
             `login.password`: required, but missing",
        ),
        (
            json!({"user": "a", "tokens": {"hunter2": "x"}}),
            "`tokens`: expected an integer from 0 to 4294967295, got a string (not shown)",
        ),
        (
            json!({"user": "a", "own": "hunter2"}),
            "`own`: the tool does not accept this value; why is not shown, since there may be a secret in it",
        ),
        (
            json!({"user": "a", "extra": {"b": "x"}}),
            "`extra.b`: expected an integer from 0 to 4294967295, got the string \"x\"",
        ),
        (json!("hunter2"), "expected a JSON object, got a string"),
    ] {
        let error = parser.parse::<Args>(&ToolArguments::from(arguments.clone())).err().unwrap().to_string();
        assert_eq!(error.strip_prefix("Invalid arguments: ").unwrap(), message, "{arguments}");
    }
}

/// A tool without secrets is told what it was told before.
#[test]
fn a_tool_without_secrets_is_quoted_as_ever() {
    let parser = ArgumentParser::new(&input_schema::<Args>()).unwrap();
    let error = parser.parse::<Args>(&ToolArguments::from(r#"{"user": "a", "own": "hunter2"}"#)).err().unwrap();
    assert_eq!(error.to_string(), "Invalid arguments: `own`: hunter2 is no date");
}

/// The path, the written arguments, and what a listing shows of them.
#[test]
fn a_listing_shows_everything_but_the_secrets() {
    let descriptor = ToolDescriptor::for_tool::<Open>("local");
    for (text, shown) in [
        (r#"{"user": "a", "pin": "1"}"#, json!({"user": "a", "pin": "[redacted]"})),
        (
            r#"{"user": "a", "pin": {"x": [1]}, "code": null}"#,
            json!({"user": "a", "pin": "[redacted]", "code": "[redacted]"}),
        ),
        (r#"{"login": {"user": "u", "password": "p"}}"#, json!({"login": {"user": "u", "password": "[redacted]"}})),
        (
            r#"{"items": [{"pin": "1", "count": 2}, {"Pin": 3}]}"#,
            json!({"items": [{"pin": "[redacted]", "count": 2}, {"Pin": "[redacted]"}]}),
        ),
        (
            r#"{"items": {"pin": "1", "pim": "1", "count": 2}}"#,
            json!({"items": {"pin": "[redacted]", "pim": "[redacted]", "count": 2}}),
        ),
        (
            r#"{"login": "{\"user\": \"u\", \"password\": \"p\"}"}"#,
            json!({"login": {"user": "u", "password": "[redacted]"}}),
        ),
        (
            r#"{"tree": {"children": [{"key": "k", "children": []}]}}"#,
            json!({"tree": {"children": [{"key": "[redacted]", "children": []}]}}),
        ),
        (
            r#"{"user": "{[\"", "extra": {"x": 1, "pin": 2}}"#,
            json!({"user": "{[\"", "extra": {"x": 1, "pin": "[redacted]"}}),
        ),
        (r#"{"method": {"kind": "cash", "coins": 3}}"#, json!({"method": {"kind": "[redacted]", "coins": 3}})),
        (r#""{\"user\": \"a\", \"pin\": \"1\"}""#, json!({"user": "a", "pin": "[redacted]"})),
        (r#"[{"user": "a", "pin": "1"}]"#, json!([{"user": "a", "pin": "[redacted]"}])),
        (r#"{"arguments": {"pin": "1"}}"#, json!({"arguments": "[redacted]"})),
        (r#"{"user": "a", "pin": "1"#, json!("[unreadable arguments: 23 bytes]")),
        ("4711", json!("[redacted]")),
        ("null", Value::Null),
        (" ", json!({})),
    ] {
        assert_eq!(descriptor.redact(&ToolArguments::from(text)), shown, "{text}");
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            assert_eq!(descriptor.redact(&ToolArguments::from(value)), shown, "{text}");
        }
    }
    let bytes = ToolArguments::from(b"{\"pin\": \"1\xff\"}".as_slice());
    assert_eq!(descriptor.redact(&bytes), "[unreadable arguments: 13 bytes]");
    let without = ToolDescriptor::new("local", "open", "Opens.", input_schema::<Args>(), None);
    assert_eq!(
        without.redact(&ToolArguments::from(r#"{"pin": "1", "x": "{\"y\": 1}"}"#)),
        json!({"pin": "1", "x": "{\"y\": 1}"})
    );
}

#[test]
fn a_listing_takes_any_depth_and_any_size() {
    let descriptor = ToolDescriptor::for_tool::<Open>("local");
    let deep = (0..5_000).fold(json!("hunter2"), |inner, _| Value::Array(vec![inner]));
    assert!(!descriptor.redact(&ToolArguments::from(deep)).to_string().contains(MARKER));
    let deep_text = format!("{}\"hunter2\"{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(descriptor.redact(&ToolArguments::from(deep_text)), "[unreadable arguments: 200009 bytes]");
    let mut nested = json!({"pin": "hunter2"}).to_string();
    for _ in 0..12 {
        nested = Value::from(nested).to_string();
    }
    assert_eq!(descriptor.redact(&ToolArguments::from(nested)), json!({"pin": "[redacted]"}));
    let members: Map<String, Value> = (0..50_000).map(|at| (format!("k{at}"), json!("[\"x\", \"hunter2\""))).collect();
    let started = std::time::Instant::now();
    let shown = descriptor.redact(&ToolArguments::from(Value::Object(members)));
    assert!(!shown.to_string().contains(MARKER));
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

/// Logs in.
#[tool]
fn log_in(
    user: String,
    #[arg(secret, rename = "passWord", length(8..))] password: String,
    #[arg(secret = false)] remember: Option<bool>,
) -> String {
    format!("{user}{password}{remember:?}")
}

#[test]
fn the_macro_names_secrets_as_the_wire_does_and_the_model_sees_nothing_of_it() {
    assert_eq!(LogIn::SECRETS, ["passWord"]);
    let tool = erase(LogIn);
    assert_eq!(tool.secrets(), ["passWord"]);
    let descriptor = tool.descriptor().unwrap();
    assert_eq!(descriptor.secrets(), ["passWord"]);
    assert!(!descriptor.input_schema().to_string().contains("secret"));
    let without = ToolDescriptor::new(
        descriptor.prefix(),
        descriptor.id(),
        descriptor.description(),
        descriptor.input_schema().clone(),
        descriptor.output_schema().cloned(),
    );
    assert_eq!(descriptor.identity(), without.identity());
    let written = serde_json::to_value(&*descriptor).unwrap();
    assert_eq!(written["secrets"], json!(["passWord"]));
    assert_eq!(serde_json::to_value(&without).unwrap().get("secrets"), None);
}

/// A tool of the same arguments, with one secret that is none of them.
struct Misspelt;

#[async_trait]
impl Tool for Misspelt {
    type Args = Args;
    type Output = String;
    const ID: &'static str = "misspelt";
    const DESCRIPTION: &'static str = "Opens.";
    const SECRETS: &'static [&'static str] = &["pin", "login.passwrod", "tree.children.key"];

    async fn call(&self, _: Args) -> Result<String, ToolError> {
        Ok("open".to_owned())
    }
}

#[test]
fn a_secret_that_is_no_argument_closes_the_tool() {
    let registry = RawToolRegistry::new([erase(Misspelt), erase(Open)]);
    let problem = RegistryProblem::UnknownSecret { tool_id: "misspelt".into(), path: "login.passwrod".into() };
    assert_eq!(registry.problems(), std::slice::from_ref(&problem));
    assert_eq!(
        problem.to_string(),
        "secret `login.passwrod` of tool \"misspelt\" is none of its arguments, so that a misspelt one would be shown; \
         list the paths of properties as the schema has them (`login.password`), and of a map the whole property"
    );
    assert!(registry.get("misspelt").is_none() && registry.get("open").is_some());
}

/// Any JSON, with the marker in its strings and keys.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!(MARKER),
        json!("x hunter2 y"),
        json!(r#"{"pin": "hunter2", "password": "hunter2"}"#),
        json!(r#"{"password": "hunter2"#),
        json!("[\"hunter2\"]"),
        json!("\"hunter2\""),
        json!(1),
        json!(true),
        Value::Null,
    ]);
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop::sample::select(vec![
            "hunter2", "user", "pin", "password", "key", "children", "kind", "number", "x", "Password", "cash", "card",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|members| members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

/// JSON without the marker, of much the same shape.
fn harmless() -> impl Strategy<Value = Value> {
    anything().prop_map(|value| serde_json::from_str(&value.to_string().replace(MARKER, "other")).unwrap())
}

/// Arguments with anything at the paths of secrets, and the marker nowhere else.
fn arguments() -> impl Strategy<Value = Value> {
    let secret = |name: &'static str| anything().prop_map(move |value| vec![(name, value)]);
    let names = prop::sample::select(vec!["pin", "Pin", "code", "mode", "exact", "either", "tokens", "own"]);
    let member = prop_oneof![
        (names, anything()).prop_map(|(name, value)| (name, value)),
        (secret("password"), harmless()).prop_map(|(secret, user)| ("login", object(secret, "user", user))),
        (secret("pin"), harmless()).prop_map(|(secret, count)| ("items", json!([object(secret, "count", count)]))),
        (secret("number"), harmless()).prop_map(|(secret, other)| ("method", object(secret, "x", other))),
        (secret("key"), harmless())
            .prop_map(|(secret, children)| { ("tree", json!({"children": [object(secret, "children", children)]})) }),
        // Encoded, and cut off.
        (secret("password"), 0_usize..60).prop_map(|(secret, cut)| {
            let mut text = object(secret, "user", json!("u")).to_string();
            text.truncate(cut);
            ("login", text.into())
        }),
        harmless().prop_map(|value| ("user", value)),
        harmless().prop_map(|value| ("extra", value)),
    ];
    prop::collection::vec(member, 1..5)
        .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn object(secret: Vec<(&'static str, Value)>, name: &str, value: Value) -> Value {
    let mut object: Map<String, Value> = secret.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    object.insert(name.to_owned(), value);
    object.into()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_secret_is_never_shown(value in arguments(), encode: bool, cut in prop::option::of(0_usize..200)) {
        thread_local! {
            static PARSER: ArgumentParser = parser();
            static DESCRIPTOR: ToolDescriptor = ToolDescriptor::for_tool::<Open>("local");
        }
        let mut text = value.to_string();
        if encode {
            text = Value::from(text).to_string();
        }
        if let Some(cut) = cut {
            text.truncate(cut);
        }
        for arguments in given(&text) {
            let said = PARSER.with(|parser| said(parser, &arguments));
            prop_assert!(!said.contains(MARKER), "{}\n{}", text, said);
            let shown = DESCRIPTOR.with(|descriptor| descriptor.redact(&arguments));
            prop_assert!(!shown.to_string().contains(MARKER), "{}\n{}", text, shown);
            let shown = redact(&arguments, Open::SECRETS);
            prop_assert!(!shown.to_string().contains(MARKER), "{}\n{}", text, shown);
        }
    }
}
