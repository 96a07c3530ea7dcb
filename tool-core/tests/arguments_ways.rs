//! The ways around the walk: the type's own refusals, `prepare`, no schema, a strict decoder, and where serde buffers.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tool_core::{ArgumentMode, ArgumentParser, RepairRule, ToolError, parse_tool_args};

/// A string that holds this text.
fn string(text: &str) -> String {
    Value::from(text).to_string()
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Day {
    day: Weekday,
    count: u32,
}

#[derive(Debug, PartialEq, JsonSchema)]
#[schemars(transparent)]
struct Weekday(String);

impl<'de> Deserialize<'de> for Weekday {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.ends_with("day") { Ok(Self(text)) } else { Err(serde::de::Error::custom("not a day of the week")) }
    }
}

#[test]
fn what_only_the_type_refuses_is_said_in_its_words_at_its_path() {
    let parser = ArgumentParser::new(&tool_core::input_schema::<Day>()).unwrap();
    let refused = |text: &str| parser.parse::<Day>(&text.into()).unwrap_err().to_string();
    assert_eq!(refused(r#"{"day":"Mon","count":1}"#), "Invalid arguments: `day`: not a day of the week");
    assert_eq!(refused(r#"{"day":"Mon","count":"1"}"#), "Invalid arguments: `day`: not a day of the week");
    let parsed = parser.parse::<Day>(&r#"{"day":"Monday","count":"1"}"#.into()).unwrap();
    assert_eq!((parsed.args.count, parsed.repairs[0].rule), (1, RepairRule::NumberFromString));
}

#[test]
fn the_faulty_place_is_told_beside_a_value_that_is_kept_as_its_text() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the refusal is looked at
    struct Kept {
        #[schemars(with = "Value")]
        raw: Box<RawValue>,
        day: Weekday,
    }
    let parser = ArgumentParser::new(&tool_core::input_schema::<Kept>()).unwrap();
    for raw in [r#"{"a":[1,"b"]}"#, " 1.50 ", "null"] {
        let refused = parser.parse::<Kept>(&format!(r#"{{"raw":{raw},"day":"Mon"}}"#).into()).unwrap_err().to_string();
        assert_eq!(refused, "Invalid arguments: `day`: not a day of the week");
    }
}

#[test]
fn a_tool_prepares_its_arguments_before_they_are_judged() {
    let parser = ArgumentParser::new(&tool_core::input_schema::<Day>()).unwrap().with_mode(ArgumentMode::Strict);
    let rename = |mut value: Value| {
        if let Some(object) = value.as_object_mut()
            && let Some(count) = object.remove("number")
        {
            object.insert("count".to_owned(), count);
        }
        Ok(value)
    };
    let read = |text: &str| parser.parse_prepared::<Day>(&text.into(), rename).map(|parsed| parsed.args.count);
    assert_eq!(read(r#"{"day":"Monday","number":2}"#), Ok(2));
    assert!(read(r#"{"day":"Monday","number":"2"}"#).is_err());
    assert!(read(r#"{"day":"Monday","number":2,"number":3}"#).unwrap_err().to_string().contains("more than once"));
    let refused = parser.parse_prepared::<Day>(&"".into(), |value| Err(ToolError::failed(value.to_string())));
    assert_eq!(refused.unwrap_err(), ToolError::failed("{}"));
}

#[test]
fn without_a_schema_the_structure_is_still_checked() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Free {
        free: Value,
    }
    let read =
        |text: &str| parse_tool_args::<Free>(&text.into()).map(|args| args.free).map_err(|error| error.to_string());
    assert_eq!(read(r#"{"free":[1]}"#), Ok(json!([1])));
    assert_eq!(read(&string(r#"{"free":[1]}"#)), Ok(json!([1])));
    assert_eq!(read(r#"{"free":{"a":1,"a":2}}"#).unwrap_err(), "Invalid arguments: `free.a`: given more than once");
    assert_eq!(read("[1]").unwrap_err(), "Invalid arguments: expected a JSON object, got an array");
    assert!(read(&format!(r#"{{"free":{}{}}}"#, "[".repeat(70), "]".repeat(70))).unwrap_err().contains("too deeply"));
    assert!(read(&format!(r#"{{"free":"{}"}}"#, "x".repeat(1 << 20))).unwrap_err().contains("too long"));
}

#[test]
fn a_strict_decoder_spares_the_walk_only_where_the_type_says_it_all() {
    let types = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 255}}, "additionalProperties": false});
    let range = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 255}}, "additionalProperties": false});
    // The type that decodes here knows nothing, so that what it accepts shows who has looked.
    let accepts = |schema: &Value, text: &str| {
        ArgumentParser::new(schema).unwrap().with_strict_decoder(true).parse::<Value>(&text.into()).is_ok()
    };
    let single = json!({"type": "object", "properties": {"n": {"type": "number", "minimum": -3.402_823_5e38, "maximum": 3.402_823_5e38}}, "additionalProperties": false});
    assert!(accepts(&types, r#"{"n":0}"#) && accepts(&types, r#"{"n":"x"}"#));
    assert!(accepts(&single, r#"{"n":1e38}"#) && !accepts(&single, r#"{"n":1e39}"#));
    assert!(accepts(&range, r#"{"n":1}"#) && !accepts(&range, r#"{"n":0}"#));
}

#[test]
fn numbers_where_serde_buffers_are_read_whatever_features_serde_json_has() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    enum Tagged {
        Circle { radius: f64, count: i64 },
    }
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(untagged)]
    enum Untagged {
        Number(f64),
        Named { ratio: f32 },
    }
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Inner {
        weight: f64,
    }
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Buffered {
        tagged: Tagged,
        untagged: Vec<Untagged>,
        #[serde(flatten)]
        inner: Inner,
    }
    let expected = || Buffered {
        tagged: Tagged::Circle { radius: 0.5, count: -3 },
        untagged: vec![Untagged::Number(1.5), Untagged::Number(2.0), Untagged::Named { ratio: 0.25 }],
        inner: Inner { weight: 1e3 },
    };
    let parser = ArgumentParser::new(&tool_core::input_schema::<Buffered>()).unwrap();
    let text = r#"{"tagged":{"kind":"Circle","radius":0.5,"count":-3},"untagged":[1.5,2,{"ratio":0.25}],"weight":1e3}"#;
    for text in [text.to_owned(), text.replace("-3", "\"-3\"")] {
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(parser.parse::<Buffered>(&text.as_str().into()).unwrap().args, expected());
        assert_eq!(parser.parse::<Buffered>(&value.into()).unwrap().args, expected());
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Whole {
    #[serde(default)]
    n: u64,
    #[serde(default)]
    i: i64,
    #[serde(default)]
    f: f64,
}

#[test]
fn an_integral_float_is_the_integer_that_it_is_as_text_and_as_a_value() {
    let parser = ArgumentParser::new(&tool_core::input_schema::<Whole>()).unwrap();
    let two_to_63 = 9_223_372_036_854_775_808.0;
    for (value, expected) in [
        (json!({"n": two_to_63}), Whole { n: 1 << 63, i: 0, f: 0.0 }),
        (json!({"i": -two_to_63}), Whole { n: 0, i: i64::MIN, f: 0.0 }),
        (json!({"n": "5", "f": 1e300}), Whole { n: 5, i: 0, f: 1e300 }),
        (json!({"n": 3.0, "f": two_to_63}), Whole { n: 3, i: 0, f: two_to_63 }),
    ] {
        let parsed = parser.parse::<Whole>(&value.clone().into()).map(|parsed| parsed.args);
        assert_eq!(parsed, Ok(expected), "{value}");
        let prepared = parser.parse_prepared::<Whole>(&value.to_string().into(), Ok).map(|parsed| parsed.args);
        assert_eq!(prepared, parsed, "{value}");
    }
    let text = parser.parse::<Whole>(&r#"{"n":9223372036854775808.0}"#.into()).unwrap();
    assert_eq!(text.args.n, 1 << 63);
    assert!(parser.parse::<Whole>(&json!({"n": two_to_63 * 2.0}).into()).is_err());
}
