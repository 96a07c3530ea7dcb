//! Faults found by an attack on the argument boundary and the exports: each test is named for its fault, says what is
//! right, and fails until it is mended. Scratch: to be taken apart into the tests of what mends it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use tool_core::{
    AllowAll, ArgumentMode, ArgumentParser, CallStatus, ExportFormat, Outcome, RawToolRegistry, Rule, RunId, RunScope,
    ThreadId, Tool, ToolArguments, ToolCall, ToolContext, ToolDescriptor, ToolError, ToolExecutor, ToolRuntime,
    WorkspaceId, async_trait, erase, input_schema, lint, tool,
};

/// A tool that answers what it got.
macro_rules! echo {
    ($name:ident: $args:ty) => {
        struct $name;
        #[async_trait]
        impl Tool for $name {
            type Args = $args;
            type Output = String;
            const ID: &'static str = "echo";
            const DESCRIPTION: &'static str = "Says what it got.";

            async fn call(&self, args: $args) -> Result<String, ToolError> {
                Ok(format!("{args:?}"))
            }
        }
    };
}

fn read<A: DeserializeOwned + JsonSchema + Debug>(arguments: impl Into<ToolArguments>) -> Result<String, String> {
    let parser = ArgumentParser::new(&input_schema::<A>()).map_err(|error| error.to_string())?;
    let parsed = parser.parse::<A>(&arguments.into()).map_err(|error| error.to_string())?;
    Ok(format!("{:?}", parsed.args))
}

fn descriptor<A: JsonSchema>() -> ToolDescriptor {
    ToolDescriptor::new("attack", "echo", "Says what it got.", input_schema::<A>(), None)
}

/// Whether the export lets a model send this, or owns up to being non-strict.
fn sayable<A: JsonSchema>(format: ExportFormat, value: &Value) -> bool {
    let export = descriptor::<A>().export(format);
    let schema = export.parameters().unwrap();
    !export.is_strict() || jsonschema::validator_for(schema).unwrap().is_valid(value)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
struct One<T> {
    p: T,
}

// ---- 1: a wrong value reaches a body

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only shown
enum Floats {
    Single(f32),
    Double(f64),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
struct Whole {
    #[serde(default)]
    n: u64,
    #[serde(default)]
    i: i64,
}

/// 2^63 is exact as a float; what is read are the digits that `Display` makes of it, 9.223372036854776e18.
#[test]
fn an_integral_float_of_a_value_is_rounded_to_seventeen_digits() {
    let from_text = read::<Whole>(r#"{"n":9223372036854775808.0}"#);
    assert_eq!(from_text, Ok("Whole { n: 9223372036854775808, i: 0 }".to_owned()));
    assert_eq!(read::<Whole>(json!({"n": 9_223_372_036_854_775_808.0})), from_text);
    assert!(read::<Whole>(json!({"i": -9_223_372_036_854_775_808.0})).is_ok());
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
struct Bounded {
    #[schemars(range(min = -5), extend("exclusiveMinimum" = 3))]
    x: u8,
}

/// `bound` looks at one of the two bounds, finds it wider than the type, and takes away the other one, too.
#[test]
fn a_bound_that_is_wider_than_the_type_takes_a_narrower_one_with_it() {
    let got = read::<Bounded>(r#"{"x":2}"#);
    assert!(got.is_err(), "{got:?}");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "op")]
#[allow(dead_code)] // only shown
enum Expression {
    Leaf { v: u8 },
    Not { of: Box<Expression> },
}

/// Asks for an expression.
#[tool]
fn ask(#[context] cx: &ToolContext) -> Outcome<String> {
    match cx.answer() {
        Some(answer) => Outcome::Output(answer.to_string()),
        None => Outcome::Suspend { reason: "?".into(), input_schema: input_schema::<Expression>() },
    }
}

/// The root of a recursive type is `$ref: "#"` below itself; `of_value` wraps the schema and copies `$defs` alone, so that
/// `#` is the wrapper.
#[tokio::test]
async fn an_answer_of_a_recursive_type_is_read_along_the_wrong_root() {
    let runtime = ToolRuntime::builder(RawToolRegistry::new([erase(Ask)])).gate(AllowAll).build().unwrap();
    let scope = RunScope::new(WorkspaceId::new("w"), ThreadId::new("t"), RunId::new("r"));
    let report = runtime.run(scope).await.unwrap().step(0, vec![ToolCall::new("c", "ask", "{}")]).await;
    let CallStatus::Waiting { ticket, .. } = &report.calls[0].status else { panic!("{report:?}") };
    let wrong = json!({"op": "Not", "of": {"answer": {"op": "Leaf", "v": 1}}});
    let right = json!({"op": "Not", "of": {"op": "Leaf", "v": 1}});
    let wrong = runtime.resume(ticket, wrong).await.map(|report| report.output.text().into_owned());
    assert!(wrong.is_err(), "accepted: {wrong:?}");
    assert!(runtime.resume(ticket, right).await.is_ok());
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
struct Tree {
    v: u8,
    #[schemars(extend("examples" = [[{"v": 1, "kids": []}]]))]
    kids: Vec<Tree>,
}

/// The same, in the lint.
#[test]
fn an_example_of_a_recursive_type_is_said_to_be_refused() {
    assert!(read::<Tree>(r#"{"v":1,"kids":[{"v":1,"kids":[]}]}"#).is_ok());
    let found: Vec<_> = lint([descriptor::<Tree>()]).into_iter().filter(|f| f.rule == Rule::ValueRefused).collect();
    assert!(found.is_empty(), "{found:#?}");
}

// ---- 2: what is right cannot be said, or is refused

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
enum Mode {
    Fast,
    Slow,
    At(u8),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
struct FlatMode {
    x: u8,
    #[serde(flatten)]
    mode: Mode,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
enum Change {
    Limit(Option<u8>),
    Note(Option<String>),
}

/// A provider that has every property sent has `Fast` and `Slow` sent, both null: nothing tells which one is meant, and the
/// boundary refuses it ("leave out the others", which the model cannot).
#[test]
fn openai_strict_has_forms_that_are_told_by_a_null_alone() {
    for (format, schema) in
        [("flattened units", descriptor::<FlatMode>()), ("nullable contents", descriptor::<Change>())]
    {
        let export = schema.export(ExportFormat::OpenAiStrict);
        assert!(!export.is_strict(), "{format}: {}", export.tool);
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
#[allow(dead_code)] // only shown
enum Adjacent {
    A(u8),
    Maybe(Option<u8>),
    Nothing,
}

/// `strictly` merges the forms first and then takes the null out of what not every form requires, also where a form
/// requires the property and means something by the null. (`loosely` does it in the other order.)
#[test]
fn anthropic_strict_takes_away_a_null_that_a_form_requires() {
    let (tagged, external) = (json!({"t": "Maybe", "c": null}), json!({"Limit": null}));
    assert!(read::<Adjacent>(tagged.clone()).is_ok() && read::<Adjacent>(r#"{"t":"Maybe"}"#).is_err());
    assert!(sayable::<Adjacent>(ExportFormat::Anthropic, &tagged), "non-strict");
    assert!(sayable::<Change>(ExportFormat::AnthropicStrict, &external), "externally tagged");
    assert!(sayable::<Adjacent>(ExportFormat::AnthropicStrict, &tagged), "adjacently tagged");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)] // only shown
enum WithMap {
    Named { a: u8 },
    Free(BTreeMap<String, u8>),
}

/// One object of several forms is open where one of them is; `unified` leaves that unsaid, and what is unsaid is closed.
#[test]
fn a_strict_root_of_forms_is_closed_although_one_form_is_a_map() {
    let value = json!({"kind": "Free", "z": 1});
    assert!(read::<WithMap>(value.clone()).is_ok());
    for (format, value) in [
        (ExportFormat::OpenAiStrict, json!({"kind": "Free", "a": null, "z": 1})),
        (ExportFormat::AnthropicStrict, value),
    ] {
        assert!(sayable::<WithMap>(format, &value), "{}", descriptor::<WithMap>().export(format).tool);
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
struct Defaulted {
    #[serde(default)]
    k: u32,
}
echo!(EchoDefaulted: Defaulted);

/// The descriptors of a registry that reads strictly still say `Lenient`, so that a strict export asks for a null that every
/// call is refused for.
#[tokio::test]
async fn a_registry_that_reads_strictly_exports_tools_that_do_not() {
    let registry = RawToolRegistry::new([erase(EchoDefaulted)]).with_argument_mode(ArgumentMode::Strict);
    let export = registry.descriptors().next().unwrap().export(ExportFormat::OpenAiStrict);
    let call = registry.invoke(&ToolCall::new("c", "echo", r#"{"k":null}"#)).await;
    assert!(!export.is_strict() || call.is_ok(), "{} {call:?}", export.tool);
}

mod never_decoded {
    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "paint", deny_unknown_fields)]
    #[allow(dead_code)] // only shown
    enum Paint {
        Red { shade: u32 },
        Plain,
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "size")]
    #[allow(dead_code)] // only shown
    enum Size {
        Large { cm: u8 },
        Small,
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[allow(dead_code)] // only shown
    struct Flat {
        #[serde(flatten)]
        size: Size,
        #[serde(flatten)]
        paint: Paint,
    }
    echo!(EchoFlat: Flat);

    /// What is flattened beside such an enum is unknown to it: the tool refuses every call with `Red`, and tells the model to
    /// leave out what it requires. Right is to close the tool.
    #[tokio::test]
    async fn a_flattened_enum_that_denies_unknown_fields_refuses_every_call_with_false_words() {
        let Ok(registry) = RawToolRegistry::try_new([erase(EchoFlat)]) else { return };
        let call = registry.invoke(&ToolCall::new("c", "echo", r#"{"size":"Small","paint":"Red","shade":3}"#)).await;
        assert!(call.is_ok(), "{call:?}");
    }
}

// ---- 3: misleading words

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
struct Keyed {
    m: BTreeMap<u128, u8>,
}

/// The key beyond 128 bits is read as a float: another number, and one that is refused as well.
#[test]
fn the_spelling_that_is_proposed_for_a_large_key_is_another_number() {
    let refused = read::<Keyed>(r#"{"m":{"0340282366920938463463374607431768211455":1}}"#).unwrap_err();
    assert!(!refused.contains("340282366920938500000000000000000000000"), "{refused}");
    let refused = read::<Keyed>(r#"{"m":{"340282366920938463463374607431768211456":1}}"#).unwrap_err();
    assert!(!refused.contains("write"), "{refused}");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
struct Told {
    ids: BTreeSet<u8>,
    #[serde(default)]
    idsx: u8,
}

/// `tell_repairs` goes by how the path begins: `idsx` begins with `ids`.
#[test]
fn a_fault_is_told_with_the_repair_of_a_neighbour() {
    let refused = read::<Told>(r#"{"ids":["1",1],"idsx":null}"#).unwrap_err();
    assert!(refused.contains("a number in a string") && !refused.contains("null"), "{refused}");
}

mod forms_of_forms {
    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "paint")]
    #[allow(dead_code)] // only shown
    enum Paint {
        Red { shade: u32 },
        Plain,
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    #[allow(dead_code)] // only shown
    enum Shape {
        Round {
            x: u8,
            #[serde(flatten)]
            paint: Paint,
        },
        Point {
            y: u8,
        },
    }

    /// A tagged form that holds a flattened enum is a union itself, of which `choose::required` knows nothing: the tag chooses
    /// none, and every fault within any form is "fits none".
    #[test]
    fn the_tag_of_forms_of_which_one_is_a_union_tells_nothing() {
        for (text, named) in [
            (r#"{"p":{"kind":"Point","y":1,"z":1}}"#, "`p.z`: unknown property"),
            (r#"{"p":{"kind":"Point"}}"#, "`p.y`: required"),
            (r#"{"p":{"kind":"Round","x":1,"paint":"Plain","z":1}}"#, "`p.z`: unknown property"),
            (r#"{"p":{"kind":"Pont","y":1}}"#, "`p.kind`: unknown value"),
        ] {
            let refused = read::<One<Shape>>(text).unwrap_err();
            assert!(refused.contains(named), "{text}\n{refused}");
        }
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "size")]
    #[allow(dead_code)] // only shown
    enum Size {
        Large { cm: u8 },
        Small,
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[allow(dead_code)] // only shown
    struct Both {
        x: u8,
        #[serde(flatten)]
        paint: Paint,
        #[serde(flatten)]
        size: Size,
    }

    /// All faults at once: of two tags, one is told of, and of the rest nothing.
    #[test]
    fn of_two_wrong_tags_one_is_told() {
        let refused = read::<Both>(r#"{"x":"q","paint":"Rde","size":"Smal"}"#).unwrap_err();
        let told = ["`x`", "`paint`", "`size`"].map(|path| refused.contains(path));
        assert_eq!(told, [true; 3], "{refused}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only shown
enum Ids {
    Numbers(Vec<u8>),
    Texts(Vec<String>),
}

/// `{"p":[1,true]}`: "expected an array, got an array that fits none" says nothing to a model.
#[test]
fn of_lists_of_several_kinds_it_is_not_said_what_they_hold() {
    let refused = read::<One<Ids>>(r#"{"p":[1,true]}"#).unwrap_err();
    assert!(!refused.contains("expected an array, got an array"), "{refused}");
}

/// One number, two faults of which the first is false: a number is expected, and 1e400 is one.
#[test]
fn a_number_out_of_reach_is_told_twice_where_there_are_forms() {
    let refused = read::<One<Floats>>(r#"{"p":1e400}"#).unwrap_err();
    assert_eq!(refused.matches("`p`").count(), 1, "{refused}");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code)] // only shown
struct EmptyName {
    #[serde(rename = "")]
    empty: u8,
}

/// The path of a property without a name is the path of what holds it.
#[test]
fn a_fault_of_a_property_without_a_name_has_no_path() {
    let refused = read::<EmptyName>(r#"{"":"x"}"#).unwrap_err();
    assert!(!refused.starts_with("Invalid arguments: expected"), "{refused}");
}
