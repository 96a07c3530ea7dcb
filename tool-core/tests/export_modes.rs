//! What a strict export asks of a model, and whether the tool takes it as it comes.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tool_core::{
    ArgumentMode, ArgumentParser, Export, ExportFormat, RawToolRegistry, Rule, ToolArguments, ToolBehaviour, ToolCall,
    ToolDescriptor, ToolExecutor, erase, input_schema, tool,
};

fn descriptor<A: JsonSchema>(mode: ArgumentMode) -> ToolDescriptor {
    let descriptor = ToolDescriptor::new("modes", "modes", "Takes what it takes.", input_schema::<A>(), None);
    let mut behaviour = ToolBehaviour::default();
    behaviour.argument_mode = mode;
    descriptor.with_behaviour(behaviour)
}

fn exported<A: JsonSchema>(mode: ArgumentMode) -> Export {
    descriptor::<A>(mode).export(ExportFormat::OpenAiStrict)
}

fn takes<A: DeserializeOwned + JsonSchema>(mode: ArgumentMode, text: &str) -> bool {
    let parser = ArgumentParser::new(&input_schema::<A>()).unwrap().with_mode(mode);
    parser.parse::<A>(&ToolArguments::from(text)).is_ok()
}

fn why_not_strict(export: &Export) -> Vec<(&str, &str)> {
    let reasons = export.findings.iter().filter(|finding| finding.rule == Rule::NotStrict);
    reasons.map(|finding| (finding.path.as_str(), finding.message.as_str())).collect()
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Search {
    query: String,
    #[serde(default)]
    limit: u32,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Nullable {
    query: String,
    limit: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)] // only decoded
enum Shape {
    Circle { radius: f64 },
    Point,
}

#[test]
fn a_tool_that_takes_arguments_as_they_stand_is_not_promised_nulls() {
    let null = r#"{"query":"a","limit":null}"#;
    assert!(takes::<Search>(ArgumentMode::Lenient, null) && !takes::<Search>(ArgumentMode::Strict, null));
    assert!(exported::<Search>(ArgumentMode::Lenient).is_strict());
    let export = exported::<Search>(ArgumentMode::Strict);
    assert!(!export.is_strict());
    assert_eq!(export.parameters().unwrap()["required"], Value::from(vec!["query"]));
    let [("$.limit", why)] = why_not_strict(&export)[..] else { panic!("{:?}", export.findings) };
    assert!(why.contains("argument mode `Strict`"), "{why}");
    // A null of its own is taken as it stands.
    assert!(takes::<Nullable>(ArgumentMode::Strict, null));
    assert!(exported::<Nullable>(ArgumentMode::Strict).is_strict());
    assert_eq!(exported::<Nullable>(ArgumentMode::Strict).tool, exported::<Nullable>(ArgumentMode::Lenient).tool);
}

#[test]
fn the_nulls_of_other_forms_are_not_promised_either() {
    let null = r#"{"kind":"Point","radius":null}"#;
    assert!(takes::<Shape>(ArgumentMode::Lenient, null) && !takes::<Shape>(ArgumentMode::Strict, null));
    assert!(exported::<Shape>(ArgumentMode::Lenient).is_strict());
    assert_eq!(why_not_strict(&exported::<Shape>(ArgumentMode::Strict)).len(), 1);
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("maxProperties" = 1))]
#[allow(dead_code)] // only decoded
struct OneOfThem {
    id: Option<u32>,
    name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("maxProperties" = 2))]
#[allow(dead_code)] // only decoded
struct Both {
    id: Option<u32>,
    name: Option<String>,
}

#[test]
fn an_object_that_takes_fewer_properties_than_it_has_is_not_asked_for_all_of_them() {
    assert!(!takes::<OneOfThem>(ArgumentMode::Lenient, r#"{"id":1,"name":null}"#));
    let export = exported::<OneOfThem>(ArgumentMode::Lenient);
    let [("$", why)] = why_not_strict(&export)[..] else { panic!("{:?}", export.findings) };
    assert!(why.contains("takes 1 at once"), "{why}");
    assert!(exported::<Both>(ArgumentMode::Lenient).is_strict());
    assert!(takes::<Both>(ArgumentMode::Lenient, r#"{"id":1,"name":null}"#));
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value")]
#[allow(dead_code)] // only decoded
enum Setting {
    Limit(Option<u32>),
    Reset,
}

#[test]
fn a_null_that_one_form_requires_can_be_sent_where_the_forms_are_one_object() {
    let null = r#"{"kind":"Limit","value":null}"#;
    assert!(takes::<Setting>(ArgumentMode::Strict, null));
    let export = descriptor::<Setting>(ArgumentMode::Lenient).export(ExportFormat::Anthropic);
    let value = &export.tool["input_schema"]["properties"]["value"];
    assert_eq!(value["type"], json!(["integer", "null"]), "{value}");
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
enum Pace {
    Fast,
    Slow,
    At(u8),
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Run {
    name: String,
    #[serde(flatten)]
    pace: Pace,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
enum Change {
    Limit(Option<u8>),
    Note(Option<String>),
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
enum Clear {
    Limit(Option<u8>),
    Note(String),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only decoded
enum Named {
    Limited { name: String, limit: () },
    Free { name: String },
}

#[test]
fn forms_that_a_null_alone_would_tell_apart_are_not_exported_strictly() {
    assert!(takes::<Run>(ArgumentMode::Lenient, r#"{"name":"a","Fast":null}"#));
    assert!(!takes::<Run>(ArgumentMode::Lenient, r#"{"name":"a","Fast":null,"Slow":null,"At":null}"#));
    assert!(!takes::<Change>(ArgumentMode::Lenient, r#"{"Limit":null,"Note":null}"#));
    for (export, names) in [
        (exported::<Run>(ArgumentMode::Lenient), "null is what `Fast`, `Slow` may hold"),
        (exported::<Change>(ArgumentMode::Lenient), "null is what `Limit`, `Note` may hold"),
        (exported::<Named>(ArgumentMode::Lenient), "null is what `limit` may hold"),
    ] {
        let [("$", why)] = why_not_strict(&export)[..] else { panic!("{:?}", export.findings) };
        assert!(why.contains(names) && why.contains("a property of its own"), "{why}");
    }
}

#[test]
fn one_form_that_holds_a_null_is_told_by_the_nulls_of_the_others() {
    for text in [r#"{"Limit":null,"Note":null}"#, r#"{"Limit":1,"Note":null}"#, r#"{"Limit":null,"Note":"a"}"#] {
        assert!(takes::<Clear>(ArgumentMode::Lenient, text), "{text}");
    }
    assert!(exported::<Clear>(ArgumentMode::Lenient).is_strict());
    // A tag tells as well.
    assert!(takes::<Setting>(ArgumentMode::Lenient, r#"{"kind":"Reset","value":null}"#));
    assert!(exported::<Setting>(ArgumentMode::Lenient).is_strict());
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
enum Way {
    Still,
    At(u8),
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
enum Load {
    Empty,
    Of { kilos: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Moved {
    name: Option<String>,
    #[serde(flatten)]
    way: Way,
    #[serde(flatten)]
    load: Load,
}

#[test]
fn every_combination_of_two_flattened_enums_can_be_sent_strictly() {
    assert!(exported::<Moved>(ArgumentMode::Lenient).is_strict());
    for at in [json!(null), json!(3)] {
        for of in [json!(null), json!({"kilos": 1})] {
            let call = json!({"name": null, "Still": null, "At": at, "Empty": null, "Of": of});
            assert!(offers::<Moved>(ExportFormat::OpenAiStrict, &call), "{call}");
            assert!(takes::<Moved>(ArgumentMode::Lenient, &call.to_string()), "{call}");
        }
    }
}

/// Whether an export lets a model send this.
fn offers<A: JsonSchema>(format: ExportFormat, value: &Value) -> bool {
    let export = descriptor::<A>(ArgumentMode::Lenient).export(format);
    jsonschema::validator_for(export.parameters().unwrap()).unwrap().is_valid(value)
}

#[test]
fn a_strict_export_keeps_the_null_that_a_form_requires_and_no_other() {
    let (tagged, external) = (json!({"kind": "Limit", "value": null}), json!({"Limit": null}));
    assert!(!takes::<Setting>(ArgumentMode::Lenient, r#"{"kind":"Limit"}"#));
    for format in [ExportFormat::Anthropic, ExportFormat::AnthropicStrict] {
        assert!(offers::<Setting>(format, &tagged) && offers::<Change>(format, &external), "{format}");
    }
    let strict = descriptor::<Setting>(ArgumentMode::Lenient).export(ExportFormat::AnthropicStrict);
    assert!(strict.is_strict());
    // Where no form requires it, absence is the only way of leaving it out.
    assert!(offers::<Optional>(ExportFormat::AnthropicStrict, &json!({"kind": "Some"})));
    assert!(!offers::<Optional>(ExportFormat::AnthropicStrict, &json!({"kind": "Some", "limit": null})));
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)] // only decoded
enum Optional {
    Some { limit: Option<u32> },
    Point,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)] // only decoded
enum Labels {
    Named { a: u8 },
    Free(BTreeMap<String, u8>),
}

#[test]
fn forms_of_which_one_is_a_map_are_one_open_object() {
    let free = json!({"kind": "Free", "z": 1});
    assert!(takes::<Labels>(ArgumentMode::Lenient, &free.to_string()));
    for format in [ExportFormat::OpenAiStrict, ExportFormat::AnthropicStrict] {
        assert!(offers::<Labels>(format, &free), "{format}");
        let export = descriptor::<Labels>(ArgumentMode::Lenient).export(format);
        let [("$", why)] = why_not_strict(&export)[..] else { panic!("{:?}", export.findings) };
        assert!(why.contains("free properties"), "{why}");
        let told = export.parameters().unwrap()["description"].as_str().unwrap();
        assert!(told.ends_with("- `Free`: Takes further properties."), "{told}");
    }
}

/// Finds a text.
#[tool(id = "find", read_only)]
fn find(query: String, #[arg(default = 10)] limit: u32) -> String {
    format!("{query} {limit}")
}

#[tokio::test]
async fn a_registry_that_reads_strictly_offers_tools_that_do() {
    let lenient = RawToolRegistry::new([erase(Find)]);
    let kept = Arc::clone(lenient.descriptors().next().unwrap());
    // Also where it has been listed before.
    let strict = lenient.with_argument_mode(ArgumentMode::Strict);
    let offered = strict.descriptors().next().unwrap();
    assert_eq!(offered.behaviour().argument_mode, ArgumentMode::Strict);
    assert_eq!((offered.identity(), offered.input_schema()), (kept.identity(), kept.input_schema()));
    assert!(Arc::ptr_eq(offered, strict.descriptors().next().unwrap()), "it is made once");
    assert!(kept.export(ExportFormat::OpenAiStrict).is_strict());
    assert!(!offered.export(ExportFormat::OpenAiStrict).is_strict());
    let call = strict.invoke(&ToolCall::new("c", "find", r#"{"query":"a","limit":null}"#)).await;
    assert!(call.is_err(), "{call:?}");
    let again = strict.with_argument_mode(ArgumentMode::Lenient);
    assert!(Arc::ptr_eq(again.descriptors().next().unwrap(), &kept));
}
