//! The boundary against an independent judge: what the `jsonschema` crate calls valid is accepted, what it refuses never
//! reaches a type, and what is repaired is valid afterwards. And whatever the text, nothing panics.

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tool_core::{ArgumentMode, ArgumentParser, ToolArguments, input_schema};

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Plain {
    text: String,
    count: u32,
    signed: Option<i8>,
    ratio: f64,
    #[serde(default)]
    flag: bool,
    list: Vec<i64>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Constrained {
    #[schemars(range(min = 1, max = 10))]
    from_one: u32,
    #[schemars(range(min = -0.5, max = 0.5))]
    half: Option<f64>,
    #[schemars(length(min = 1, max = 3))]
    short: String,
    #[schemars(regex(pattern = "^[a-z]+$"))]
    word: Option<String>,
    #[schemars(length(min = 1, max = 2))]
    few: Vec<String>,
    set: Option<BTreeSet<u8>>,
    #[schemars(extend("multipleOf" = 5))]
    fives: Option<i32>,
    letter: Option<char>,
    pair: Option<(u8, String)>,
    triple: Option<[bool; 3]>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Size {
    Small,
    Large,
}

#[derive(Deserialize, JsonSchema)]
enum Documented {
    /// One.
    One,
    /// Two.
    Two,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)] // only decoded
enum Shape {
    Circle { radius: u32 },
    Named(Name),
    Point,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
#[allow(dead_code)] // only decoded
enum Adjacent {
    One(u8),
    Two { x: u8 },
    Three,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
enum External {
    One(u8),
    Two { x: u8 },
    Three,
    Four,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only decoded
enum Untagged {
    Number(u8),
    Text(Size),
    Named(Name),
    List(Vec<bool>),
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Enums {
    size: Option<Size>,
    documented: Option<Documented>,
    shape: Option<Shape>,
    adjacent: Option<Adjacent>,
    external: Option<External>,
    untagged: Option<Untagged>,
    required: Shape,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Nested {
    map: HashMap<String, Name>,
    numbered: Option<BTreeMap<u8, bool>>,
    free: Option<Value>,
    #[serde(flatten)]
    flat: Flat,
    tree: Option<Tree>,
    #[serde(default)]
    unit: (),
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Flat {
    inside: u8,
    choice: Option<Size>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Tree {
    value: u8,
    children: Vec<Tree>,
    next: Option<Box<Tree>>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct FlatMap {
    own: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct FlatEnum {
    own: u8,
    #[serde(flatten)]
    shape: Shape,
}

struct Case {
    judge: jsonschema::Validator,
    strict: ArgumentParser,
    lenient: ArgumentParser,
    reads: fn(&ArgumentParser, ToolArguments) -> Result<(), String>,
    example: Value,
}

fn case<A: DeserializeOwned + JsonSchema>(example: Value) -> Case {
    let schema = input_schema::<A>();
    let parser = |mode| ArgumentParser::new(&schema).unwrap().with_mode(mode);
    Case {
        judge: jsonschema::validator_for(&schema).unwrap(),
        strict: parser(ArgumentMode::Strict),
        lenient: parser(ArgumentMode::Lenient),
        reads: |parser, arguments| parser.parse::<A>(&arguments).map(|_| ()).map_err(|error| error.to_string()),
        example,
    }
}

fn cases() -> Vec<Case> {
    vec![
        case::<Plain>(json!({"text": "a", "count": 3, "signed": -3, "ratio": 0.5, "flag": true, "list": [1, 2]})),
        case::<Constrained>(
            json!({"from_one": 3, "half": 0.25, "short": "abc", "word": "ab", "few": ["x", "y"], "set": [1, 2],
            "fives": 10, "letter": "é", "pair": [1, "a"], "triple": [true, false, true]}),
        ),
        case::<Enums>(json!({"size": "small", "documented": "One", "shape": {"kind": "Circle", "radius": 1},
            "adjacent": {"t": "One", "c": 1}, "external": {"Two": {"x": 1}}, "untagged": [true], "required": {"kind": "Point"}})),
        case::<Enums>(
            json!({"external": "Three", "untagged": {"name": "n"}, "required": {"kind": "Named", "name": "n"}}),
        ),
        case::<Nested>(json!({"map": {"a": {"name": "n"}}, "numbered": {"1": true}, "free": {"x": [1]}, "inside": 1,
            "choice": "large", "tree": {"value": 1, "children": [{"value": 2, "children": []}], "next": null}, "unit": null})),
        case::<FlatMap>(json!({"own": 1, "b": 2, "c": 3})),
        case::<FlatEnum>(json!({"own": 1, "kind": "Circle", "radius": 3})),
    ]
}

/// A value to put in some place: mostly one that is nearly right there.
fn scalar() -> impl Strategy<Value = Value> {
    let texts = prop::sample::select(vec![
        "",
        "a",
        "abcd",
        "3",
        "3.0",
        "true",
        "null",
        "small",
        "SMALL",
        "Large",
        "one",
        "Circle",
        "circle",
        "Point",
        "Two",
        "Three",
        "three",
        "[]",
        "[1]",
        "{}",
        "{\"x\":1}",
        "{\"name\":\"n\"}",
        "\"[1]\"",
        " 3",
        "name",
        "é",
        "\u{1F600}x",
    ]);
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-12_i64..300).prop_map(Value::from),
        prop::sample::select(vec![
            json!(0.5),
            json!(3.0),
            json!(-1.0),
            json!(0.25),
            json!(1e3),
            json!(4_294_967_296_u64),
            json!(-0.0)
        ]),
        texts.prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([1, 1])),
        Just(json!([true])),
        Just(json!({"name": "n"})),
        Just(json!({"x": 1})),
        Just(json!({"kind": "Circle", "radius": 2})),
        Just(json!({"kind": "Point", "radius": 2})),
        Just(json!({"radius": 2})),
        Just(json!({"t": "Three"})),
        Just(json!({"One": 1})),
        Just(json!({"One": 1, "Two": {"x": 1}})),
        Just(json!({"value": 1, "children": []})),
    ]
}

#[derive(Clone, Debug)]
enum Change {
    Replace(Value),
    Remove,
    Add(String, Value),
    Encode,
}

fn change() -> impl Strategy<Value = Change> {
    let names = prop::sample::select(vec!["a", "name", "x", "kind", "b", "count", "1", "extra", "set", "signed"]);
    prop_oneof![
        4 => scalar().prop_map(Change::Replace),
        1 => Just(Change::Remove),
        1 => (names, scalar()).prop_map(|(name, value)| Change::Add(name.to_owned(), value)),
        1 => Just(Change::Encode),
    ]
}

/// Changes the place that `steps` leads to.
fn apply(value: &mut Value, steps: &[prop::sample::Index], change: &Change) {
    if let [step, rest @ ..] = steps {
        match value {
            Value::Object(members) if !members.is_empty() => {
                let key = members.keys().nth(step.index(members.len())).cloned().unwrap();
                if rest.is_empty() && matches!(change, Change::Remove) {
                    members.remove(&key);
                    return;
                }
                return apply(&mut members[&key], rest, change);
            }
            Value::Array(elements) if !elements.is_empty() => {
                let at = step.index(elements.len());
                return apply(&mut elements[at], rest, change);
            }
            _ => {}
        }
    }
    match (change, value) {
        (Change::Replace(new), value) => *value = new.clone(),
        (Change::Add(name, new), Value::Object(members)) => {
            members.insert(name.clone(), new.clone());
        }
        (Change::Add(_, new), Value::Array(elements)) => elements.push(new.clone()),
        (Change::Add(..) | Change::Remove, _) => {}
        (Change::Encode, value) => *value = Value::from(value.to_string()),
    }
}

fn changed() -> impl Strategy<Value = (usize, Vec<(Vec<prop::sample::Index>, Change)>)> {
    let steps = prop::collection::vec(any::<prop::sample::Index>(), 1..4);
    (0_usize..7, prop::collection::vec((steps, change()), 0..4))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_boundary_decides_as_a_validator_does((which, changes) in changed()) {
        thread_local!(static CASES: Vec<Case> = cases());
        CASES.with(|cases| {
            let case = &cases[which];
            let mut value = case.example.clone();
            for (steps, change) in &changes {
                apply(&mut value, steps, change);
            }
            if !value.is_object() {
                return Ok(());
            }
            let judged = case.judge.is_valid(&value);
            let text = value.to_string();
            for arguments in [ToolArguments::from(text.as_str()), ToolArguments::from(value.clone())] {
                let strict = (case.reads)(&case.strict, arguments.clone());
                prop_assert_eq!(strict.is_ok(), judged, "{} {:?}", text, strict);
                match case.lenient.parse::<Value>(&arguments) {
                    Ok(parsed) => {
                        prop_assert!(case.judge.is_valid(&parsed.args), "{} became {}", text, parsed.args);
                        prop_assert!(judged || !parsed.repairs.is_empty(), "{}", text);
                        let lenient = (case.reads)(&case.lenient, arguments);
                        prop_assert!(lenient.is_ok(), "{} {:?}", text, lenient);
                    }
                    Err(error) => {
                        prop_assert!(!judged, "{} {}", text, error);
                        prop_assert!(error.to_string().chars().count() < 1_000);
                    }
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn no_text_panics(text in ".{0,64}", which in 0_usize..7, at in any::<prop::sample::Index>(), cut in 0_usize..12) {
        thread_local!(static CASES: Vec<Case> = cases());
        CASES.with(|cases| {
            let case = &cases[which];
            let mut broken = case.example.to_string();
            let chars: Vec<usize> = broken.char_indices().map(|(at, _)| at).collect();
            let start = at.index(chars.len());
            let end = chars.get(start + cut).copied().unwrap_or(broken.len());
            broken.replace_range(chars[start]..end, &text);
            for text in [text.as_str(), &broken, &Value::from(broken.as_str()).to_string()] {
                let is_json = serde_json::from_str::<Value>(text).is_ok();
                for parser in [&case.strict, &case.lenient] {
                    if let Err(error) = (case.reads)(parser, text.into()) {
                        assert!(error.chars().count() < 1_000, "{error}");
                    } else {
                        assert!(is_json || text.trim().is_empty(), "{text}");
                    }
                }
            }
        });
    }
}

#[test]
fn the_examples_are_accepted() {
    for case in cases() {
        assert!(case.judge.is_valid(&case.example), "{}", case.example);
        assert_eq!((case.reads)(&case.strict, case.example.clone().into()), Ok(()));
        assert_eq!((case.reads)(&case.strict, case.example.to_string().into()), Ok(()));
    }
}
