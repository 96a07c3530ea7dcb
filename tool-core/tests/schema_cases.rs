//! The cases from the field on schemas, by their numbers (S1 to S10).

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use tool_core::{
    ArgumentParser, Export, ExportFormat, RawToolRegistry, RegistryProblem, Rule, Tool, ToolDescriptor, ToolError,
    async_trait, erase, input_schema, tool,
};

fn described<A: JsonSchema>() -> ToolDescriptor {
    ToolDescriptor::new("test", "case", "A case from the field.", input_schema::<A>(), None)
}

fn exports<A: JsonSchema>() -> impl Iterator<Item = (ExportFormat, Export)> {
    let descriptor = described::<A>();
    ExportFormat::ALL.into_iter().map(move |format| (format, descriptor.export(format)))
}

/// The exported schema of one argument.
fn property<A: JsonSchema>(format: ExportFormat, name: &str) -> Value {
    let export = described::<A>().export(format);
    export.parameters().map(|schema| schema["properties"][name].clone()).unwrap_or_default()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only the schema is looked at
struct Numbers {
    small: u32,
    index: usize,
    ratio: f64,
}

#[test]
fn s1_no_export_has_a_format_of_rust_and_the_bounds_stay() {
    for (format, export) in exports::<Numbers>() {
        let text = export.tool.to_string();
        assert!(!text.contains("format") && !text.contains("double"), "{format}: {text}");
        let small = property::<Numbers>(format, "small");
        if format == ExportFormat::AnthropicStrict {
            assert_eq!(small, json!({"type": "integer", "description": "From 0 to 4294967295."}));
        } else {
            assert_eq!(small, json!({"type": "integer", "minimum": 0, "maximum": u32::MAX}), "{format}");
        }
    }
    // The same in a schema from elsewhere.
    let foreign = json!({"type": "object", "properties": {"n": {"type": "integer", "format": "uint32"}}});
    let export = ToolDescriptor::new("test", "case", "A case.", foreign, None).export(ExportFormat::Mcp);
    assert_eq!(export.tool["inputSchema"]["properties"]["n"], json!({"type": "integer", "minimum": 0}));
}

/// A person.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only the schema is looked at
struct Person {
    /// As written on the door.
    name: String,
    /// Who reports to them.
    reports: Vec<Person>,
}

/// How urgent it is.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code)] // only the schema is looked at
enum Urgency {
    /// Within the hour.
    High,
    /// Some day.
    Low,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only the schema is looked at
struct Letter {
    /// Who gets it.
    to: Person,
    /// When it has to be there.
    urgency: Urgency,
}

/// Calls the visitor with each object of the JSON.
fn each_object(value: &Value, visit: &mut dyn FnMut(&serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            visit(object);
            object.values().for_each(|value| each_object(value, visit));
        }
        Value::Array(list) => list.iter().for_each(|value| each_object(value, visit)),
        _ => {}
    }
}

#[test]
fn s2_descriptions_and_constraints_of_documented_types_both_reach_the_model() {
    for (format, export) in exports::<Letter>() {
        let to = property::<Letter>(format, "to").to_string();
        assert!(to.contains("Who gets it."), "{format}: {to}");
        let text = export.tool.to_string();
        assert!(text.contains("As written on the door."), "{format}: {text}");
        let urgency = property::<Letter>(format, "urgency");
        assert_eq!(urgency["enum"], json!(["high", "low"]), "{format}");
        assert!(urgency["description"].as_str().is_some_and(|text| text.starts_with("When it has to be there.")));
        if export.is_strict() || format == ExportFormat::GeminiJsonSchema {
            each_object(&export.tool, &mut |object| {
                assert!(!object.contains_key("$ref") || object.len() == 1, "{format}: {object:?}");
            });
        }
    }
    assert!(described::<Letter>().export(ExportFormat::OpenAiStrict).is_strict());
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only the schema is looked at
struct Team {
    people: Vec<Person>,
}

#[test]
fn s3_what_is_referred_to_is_written_out_for_a_provider_without_references() {
    let people = property::<Team>(ExportFormat::Gemini, "people");
    assert_eq!(people["items"]["type"], "object");
    assert_eq!(people["items"]["properties"]["name"]["type"], "string");
    // Where the type comes back to itself, it is a plain object, and that is found.
    assert_eq!(people["items"]["properties"]["reports"]["items"]["type"], "object");
    let export = described::<Team>().export(ExportFormat::Gemini);
    assert!(!export.tool.to_string().contains("$ref"));
    assert!(export.findings.iter().any(|finding| finding.rule == Rule::RecursionCut), "{:?}", export.findings);
    // Also in a schema that came with references.
    let foreign = json!({
        "type": "object",
        "properties": {"people": {"type": "array", "items": {"$ref": "#/definitions/P"}}},
        "definitions": {"P": {"type": "object", "properties": {"name": {"type": "string"}}}},
    });
    let export = ToolDescriptor::new("test", "case", "A case.", foreign, None).export(ExportFormat::Gemini);
    let items = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    assert_eq!(export.parameters().map(|schema| &schema["properties"]["people"]["items"]), Some(&items));
}

/// Takes nothing.
#[tool]
fn nothing() -> String {
    String::new()
}

#[test]
fn s4_a_tool_without_arguments() {
    for descriptor in [described::<()>(), ToolDescriptor::for_tool::<Nothing>("test")] {
        for format in ExportFormat::ALL {
            let export = descriptor.export(format);
            let expected = match format {
                ExportFormat::Gemini | ExportFormat::GeminiJsonSchema => None,
                // The official helper wants `required` written.
                ExportFormat::OpenAiStrict | ExportFormat::OpenAiResponsesStrict => {
                    Some(json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false}))
                }
                _ => Some(json!({"type": "object", "properties": {}, "additionalProperties": false})),
            };
            assert_eq!(export.parameters(), expected.as_ref(), "{format}");
            assert!(export.findings.is_empty(), "{:?}", export.findings);
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Unfiltered {}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct HoldsUnfiltered {
    filter: Unfiltered,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
enum Order {
    Stop {},
    Go { to: String },
}

#[test]
fn s4_a_nested_struct_without_fields_takes_nothing_either() {
    fn read<A: DeserializeOwned + JsonSchema>(text: &str) -> Result<A, ToolError> {
        ArgumentParser::new(&input_schema::<A>()).unwrap().parse::<A>(&text.into()).map(|parsed| parsed.args)
    }
    assert!(read::<HoldsUnfiltered>(r#"{"filter":{}}"#).is_ok() && read::<Order>(r#"{"Stop":{}}"#).is_ok());
    let refused = read::<HoldsUnfiltered>(r#"{"filter":{"min":5}}"#).unwrap_err().to_string();
    assert!(refused.contains("`filter.min`: unknown property"), "{refused}");
    assert!(read::<Order>(r#"{"Stop":{"now":true}}"#).is_err());
    assert!(described::<Order>().export(ExportFormat::OpenAiStrict).is_strict());
}

macro_rules! by_hand {
    ($name:ident, $args:ty) => {
        struct $name;

        #[async_trait]
        impl Tool for $name {
            type Args = $args;
            type Output = String;
            const ID: &'static str = stringify!($name);
            const DESCRIPTION: &'static str = "Written by hand.";

            async fn call(&self, _: $args) -> Result<String, ToolError> {
                Ok(String::new())
            }
        }
    };
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only the schema is looked at
enum NumberOrPoint {
    Number(u8),
    Point { x: f64 },
}

/// What to do.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
#[allow(dead_code)] // only the schema is looked at
enum Action {
    /// Puts it somewhere.
    Move {
        /// Where to.
        place: String,
    },
    /// Does away with it.
    Delete { force: Option<bool> },
}

by_hand!(Untagged, NumberOrPoint);
by_hand!(List, Vec<u8>);
by_hand!(Text, String);
by_hand!(Anything, Value);
by_hand!(Acts, Action);

#[test]
fn s5_a_root_that_is_no_object_is_refused_and_a_tagged_enum_is_one_object() {
    let registry = RawToolRegistry::new([erase(Untagged), erase(List), erase(Text), erase(Anything), erase(Acts)]);
    let refused: Vec<String> = registry
        .problems()
        .into_iter()
        .map(|problem| match problem {
            RegistryProblem::NonObjectArguments { tool_id } => tool_id,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(refused, ["Untagged", "List", "Text", "Anything"]);
    for (format, export) in exports::<String>() {
        assert!(export.findings.iter().any(|finding| finding.rule == Rule::RootNotObject), "{format}");
    }
    for (format, export) in exports::<Action>().filter(|(format, _)| *format != ExportFormat::Mcp) {
        let schema = export.parameters().cloned().unwrap_or_default();
        assert_eq!(schema["type"], "object", "{format}");
        assert!(schema.get("oneOf").is_none() && schema.get("anyOf").is_none(), "{format}: {schema}");
        assert_eq!(schema["properties"]["action"]["enum"], json!(["move", "delete"]), "{format}");
        let told = schema["description"].as_str().unwrap_or_default();
        assert!(told.contains("- `move`: Puts it somewhere. Takes `place`."), "{told}");
        let place = schema["properties"]["place"]["description"].as_str().unwrap_or_default();
        assert_eq!(place, "Where to. Only where `action` is `move`, and required there.");
        let needed = schema["required"].as_array().cloned().unwrap_or_default();
        assert!(
            needed.contains(&json!("action"))
                && (export.tool["function"]["strict"] == true
                    || needed.len() == 1
                    || format == ExportFormat::OpenAiResponsesStrict)
        );
        assert!(export.findings.iter().any(|finding| finding.rule == Rule::RootUnionMerged), "{format}");
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only the schema is looked at
struct Parcel {
    urgency: Urgency,
    maybe: Option<Urgency>,
}

#[test]
fn s6_documented_unit_variants_are_one_string_enum() {
    let told = "How urgent it is.\n\n- `high`: Within the hour.\n- `low`: Some day.";
    for format in ExportFormat::ALL {
        let urgency = property::<Parcel>(format, "urgency");
        assert_eq!(urgency, json!({"type": "string", "enum": ["high", "low"], "description": told}), "{format}");
        let maybe = property::<Parcel>(format, "maybe").to_string();
        assert!(maybe.contains("Within the hour.") && !maybe.contains("const") && !maybe.contains("oneOf"), "{maybe}");
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only the schema is looked at
struct Counts {
    counts: HashMap<String, u64>,
}

#[test]
fn s7_a_map_is_exported_non_strict_with_the_reason() {
    for format in [ExportFormat::OpenAiStrict, ExportFormat::OpenAiResponsesStrict, ExportFormat::AnthropicStrict] {
        let export = described::<Counts>().export(format);
        assert!(!export.is_strict());
        let reasons: Vec<_> = export.findings.iter().map(|finding| (finding.rule, finding.path.as_str())).collect();
        assert_eq!(reasons, [(Rule::NotStrict, "$.counts")], "{format}");
        let counts = property::<Counts>(format, "counts");
        assert_eq!(counts["additionalProperties"]["type"], "integer", "{format}: {counts}");
    }
    // A map by itself, and one beside named properties.
    for root in [
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        json!({"type": "object", "additionalProperties": true}),
    ] {
        let export =
            ToolDescriptor::new("test", "case", "A case.", root.clone(), None).export(ExportFormat::OpenAiStrict);
        assert!(!export.is_strict(), "{root}");
        assert_eq!(export.parameters().map(|schema| &schema["additionalProperties"]), root.get("additionalProperties"));
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only the schema is looked at
struct Query {
    q: String,
    lim: Option<u32>,
    #[serde(default)]
    k: u32,
}

#[test]
fn s8_openai_strict_requires_all_and_lets_the_optional_be_null() {
    let export = described::<Query>().export(ExportFormat::OpenAiStrict);
    let schema = export.parameters().cloned().unwrap_or_default();
    assert!(export.is_strict());
    assert_eq!(schema["required"], json!(["k", "lim", "q"]));
    assert_eq!(schema["properties"]["q"]["type"], "string");
    assert_eq!(schema["properties"]["lim"]["type"], json!(["integer", "null"]));
    assert_eq!(schema["properties"]["k"]["type"], json!(["integer", "null"]));
    assert!(schema["properties"]["k"]["description"].as_str().is_some_and(|told| told.contains("Default: 0.")));
}

#[test]
fn s9_no_export_has_a_dialect_or_a_generated_title() {
    let generated = schemars::schema_for!(Letter).to_value();
    assert!(generated.to_string().contains("$schema"));
    let pydantic = json!({
        "$schema": "x", "title": "Args", "type": "object",
        "properties": {"order_id": {"title": "Order Id", "type": "string"}, "title": {"title": "Title", "type": "string"}},
    });
    for schema in [generated, pydantic] {
        let descriptor = ToolDescriptor::new("test", "case", "A case.", schema, None);
        for format in ExportFormat::ALL {
            each_object(&descriptor.export(format).tool, &mut |object| {
                assert!(
                    !object.contains_key("$schema") && !object.get("title").is_some_and(Value::is_string),
                    "{object:?}"
                );
            });
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only the schema is looked at
struct Tags {
    tags: Option<Vec<String>>,
}

#[test]
fn s10_an_optional_list() {
    let tags = |format| property::<Tags>(format, "tags");
    let plain = json!({"type": "array", "items": {"type": "string"}});
    let null = json!({"type": ["array", "null"], "items": {"type": "string"}});
    assert_eq!(tags(ExportFormat::Gemini), json!({"type": "array", "items": {"type": "string"}, "nullable": true}));
    assert_eq!(tags(ExportFormat::Mcp), null);
    assert_eq!(tags(ExportFormat::OpenAiStrict), null);
    for format in [ExportFormat::Anthropic, ExportFormat::AnthropicStrict] {
        assert_eq!(tags(format), plain);
        let export = described::<Tags>().export(format);
        assert!(export.parameters().is_some_and(|schema| schema.get("required").is_none()), "{format}");
    }
}
