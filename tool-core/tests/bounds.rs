//! No schema and no arguments take more than their share: not of time, where work doubles at every level, nor of memory,
//! nor of the stack. What would take more than that hangs or aborts here.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tool_core::{ArgumentParser, ExportFormat, ToolArguments, ToolDescriptor, input_schema, lint, parse_tool_args};

fn tool(schema: Value) -> ToolDescriptor {
    ToolDescriptor::new("test", "tool", "A tool with an unusual schema.", schema, None)
}

/// `{"c":{"c":…1…}}`
fn nested(levels: usize) -> String {
    format!("{}1{}", "{\"c\":".repeat(levels), "}".repeat(levels))
}

/// What the parser says of `text`, as text and as a value.
fn refusals(schema: &Value, text: &str) -> [String; 2] {
    let parser = ArgumentParser::new(schema).unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    [ToolArguments::from(text), ToolArguments::from(value)].map(|arguments| {
        let error = parser.parse::<Value>(&arguments).map(|parsed| parsed.args).unwrap_err().to_string();
        assert!(error.chars().count() < 1_000, "{error}");
        error
    })
}

/// `count` definitions, each made from the reference to the next one; the last one is an integer.
fn chain(count: usize, step: impl Fn(Value) -> Value) -> Value {
    let mut definitions = Map::new();
    for at in 0..count {
        definitions.insert(format!("d{at}"), step(json!({"$ref": format!("#/$defs/d{}", at + 1)})));
    }
    definitions.insert(format!("d{count}"), json!({"type": "integer"}));
    json!({"type": "object", "properties": {"c": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[test]
fn schemas_that_hold_at_once_do_not_double_the_work_at_every_level() {
    let again = json!({"type": "object", "properties": {"c": {"$ref": "#"}}});
    for schema in [
        json!({"type": "object", "allOf": [again, again]}),
        json!({"type": "object", "properties": {"c": {"$ref": "#"}}, "anyOf": [again, {"type": "null"}]}),
        json!({"type": "object", "properties": {"c": {"$ref": "#"}}, "patternProperties": {"^c": {"$ref": "#"}}}),
        json!({"type": "object", "oneOf": [again, {"type": "object", "properties": {"c": {"$ref": "#"}}, "required": ["d"]}]}),
        json!({"type": "object", "anyOf": [again, again], "not": {"not": again}}),
    ] {
        for refusal in refusals(&schema, &nested(50)) {
            let told = ["in more ways than can be tried", "`c.c", "fits none"];
            assert!(told.iter().any(|told| refusal.contains(told)), "{refusal}");
        }
    }
}

/// An untagged expression tree, whose forms are only told apart by what stands at their very end.
fn expression() -> Value {
    let form = |last: &str| {
        json!({
            "type": "object", "additionalProperties": false, "required": ["c", last],
            "properties": {"c": {"$ref": "#/$defs/expression"}, last: {"type": "integer"}, "d": {"type": "integer"}},
        })
    };
    let forms: Vec<Value> = ["p", "q", "r", "s", "t", "u"].iter().map(|last| form(last)).collect();
    let mut alternatives = json!({"anyOf": forms});
    alternatives["anyOf"].as_array_mut().unwrap().push(json!({"type": "integer"}));
    json!({"type": "object", "properties": {"c": {"$ref": "#/$defs/expression"}}, "$defs": {"expression": alternatives}})
}

/// `{"c":{"c":…1…,"u":1},"u":1}`, so that the last form is the right one everywhere; `end` stands for the innermost value.
fn last_form_everywhere(levels: usize, end: &str, last: &str) -> String {
    let closing = format!(",{last}}}");
    format!("{{\"c\":{}{end}{}}}", "{\"c\":".repeat(levels), closing.repeat(levels))
}

#[test]
fn alternatives_within_alternatives_are_told_apart_however_deep_they_are() {
    // No key may tell the forms apart at once, or nothing would be tried.
    let mut schema = expression();
    for form in schema["$defs"]["expression"]["anyOf"].as_array_mut().unwrap() {
        if form["type"] == "object" {
            form["properties"]["w"] = json!({"type": "integer"});
            form["required"] = json!(["c", "w"]);
        }
    }
    let parser = ArgumentParser::new(&schema).unwrap();
    for levels in [1, 8, 30, 60] {
        let text = last_form_everywhere(levels, "1", r#""w":1,"u":1"#);
        let value: Value = serde_json::from_str(&text).unwrap();
        for arguments in [ToolArguments::from(text.as_str()), ToolArguments::from(value.clone())] {
            let parsed = parser.parse::<Value>(&arguments).unwrap();
            assert_eq!((&parsed.args, parsed.repairs), (&value, Vec::new()), "{levels}");
        }
        let repaired = last_form_everywhere(levels, "1", r#""w":"1","u":1"#);
        let parsed = parser.parse::<Value>(&ToolArguments::from(repaired)).unwrap();
        assert_eq!((parsed.args, parsed.repairs.len()), (value, levels), "{levels}");
        let refusal =
            parser.parse::<Value>(&ToolArguments::from(last_form_everywhere(levels, "true", r#""w":1,"u":1"#)));
        let refusal = refusal.unwrap_err().to_string();
        let path = format!("c{}", ".c".repeat(levels));
        let words = "expected an object with `c`, `w` or an integer, got the boolean true";
        assert!(refusal.ends_with(words), "{refusal}");
        assert!(levels > 8 || refusal == format!("Invalid arguments: `{path}`: {words}"), "{refusal}");
    }
}

#[test]
fn definitions_that_double_at_every_step_are_read_and_described_in_short() {
    let schema = chain(40, |next| json!({"anyOf": [next, next]}));
    for refusal in refusals(&schema, r#"{"c": true}"#) {
        assert!(refusal.starts_with("Invalid arguments: `c`: expected "), "{refusal}");
    }
    let schema = chain(60, |next| json!({"type": "object", "properties": {"a": next, "b": next}}));
    assert!(ArgumentParser::new(&schema).is_ok());
}

#[test]
fn a_long_chain_of_references_takes_no_stack() {
    let lists = chain(5_000, |next| json!({"type": "array", "items": next}));
    assert!(ArgumentParser::new(&lists).is_ok());
    // One value that is under thousands of schemas at once.
    let links = ArgumentParser::new(&chain(5_000, |next| next)).unwrap_err();
    assert!(links.reason().contains("too many references"), "{links}");
    // Many at every level of the arguments.
    let mut recursive = chain(90, |next| next);
    recursive["$defs"]["d90"] = json!({"type": "object", "properties": {"c": {"$ref": "#/$defs/d0"}}});
    let parser = ArgumentParser::new(&recursive).unwrap();
    let error = parser.parse::<Value>(&ToolArguments::from(nested(60))).unwrap_err();
    assert!(error.to_string().contains("nested too deeply"), "{error}");
}

#[test]
fn alternatives_within_alternatives_at_every_level_take_no_stack() {
    let other = json!({"type": "object", "required": ["other"]});
    let mut recursive = chain(45, |next| json!({"anyOf": [other, next]}));
    recursive["$defs"]["d45"] = json!({"type": "object", "properties": {"c": {"$ref": "#/$defs/d0"}}});
    for refusal in refusals(&recursive, &nested(60)) {
        assert!(
            refusal.contains("nested too deeply") || refusal.contains("in more ways than can be tried"),
            "{refusal}"
        );
    }
}

#[test]
fn a_schema_deeper_than_any_arguments_is_refused_by_the_parser() {
    let mut schema = json!({"type": "integer"});
    for _ in 0..500 {
        schema = json!({"type": "array", "items": schema});
    }
    let error = ArgumentParser::new(&json!({"type": "object", "properties": {"c": schema}})).unwrap_err();
    assert!(error.reason().contains("within one another"), "{error}");
}

#[test]
fn definitions_written_out_within_one_another_do_not_overflow_the_stack() {
    let schema = chain(100, |next| (0..90).fold(next, |schema, _| json!({"type": "array", "items": schema})));
    for format in ExportFormat::ALL {
        let export = tool(schema.clone()).export(format);
        assert!(depth(&export.tool) < 450, "{format}: {}", depth(&export.tool));
    }
}

#[test]
fn a_long_text_is_not_copied_at_every_reference() {
    let long = "A long text. ".repeat(5_000);
    let referring = |reference: Value, definition: Value| {
        let properties: Map<String, Value> = (0..500).map(|at| (format!("p{at}"), reference.clone())).collect();
        json!({"type": "object", "properties": properties, "$defs": {"Long": definition}})
    };
    let plain = json!({"$ref": "#/$defs/Long"});
    for schema in [
        referring(plain.clone(), json!({"type": "string", "description": long})),
        referring(plain.clone(), json!({"type": "string", "default": long})),
        referring(plain.clone(), json!({"enum": [long, "short"]})),
        referring(plain.clone(), json!({"$ref": format!("#/nowhere/{long}")})),
        referring(plain.clone(), json!({"type": "object", "additionalProperties": {"enum": [long, 1]}})),
        referring(json!({"$ref": "#/$defs/Long", "minLength": 1}), json!({"type": "string", "description": long})),
    ] {
        let length = schema.to_string().len();
        for format in ExportFormat::ALL {
            let export = tool(schema.clone()).export(format);
            let size = export.tool.to_string().len();
            assert!(size < 8 * length + (4 << 20), "{format}: {size} bytes of {length}");
            let said: usize = export.findings.iter().map(|finding| finding.message.len() + finding.path.len()).sum();
            assert!(said < 8 * length + (4 << 20), "{format}: {said} bytes of findings for {length}");
        }
    }
}

#[test]
fn a_long_name_is_not_repeated_for_everything_below_it() {
    let below: Map<String, Value> = (0..1_000).map(|at| (format!("p{at}"), json!({}))).collect();
    let name = "name ".repeat(5_000);
    let schema = json!({"type": "object", "properties": {name: {"type": "object", "properties": below}}});
    let findings = lint([&tool(schema.clone())]);
    assert!(
        findings.len() > 1_000 && findings.iter().all(|finding| finding.path.len() < 500),
        "{:?}",
        findings.first()
    );
    // Deep within others as well.
    let step = |schema, _| json!({"type": "object", "properties": {"a_name_of_some_length_that_is_no_more_than_that": schema}});
    let findings = lint([&tool((0..40).fold(schema, step))]);
    assert!(findings.iter().all(|finding| finding.path.len() < 500), "{:?}", findings.first());
}

#[test]
fn a_decoder_of_somebody_elses_does_not_make_a_refusal_long() {
    #[derive(Debug, JsonSchema)]
    struct Picky;

    impl<'de> Deserialize<'de> for Picky {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let text = String::deserialize(deserializer)?;
            Err(serde::de::Error::custom(format!("{text} is nothing that I know")))
        }
    }

    #[derive(Debug, Deserialize)]
    struct Args {
        #[allow(dead_code)] // never decoded
        picky: Picky,
    }

    let text = json!({"picky": "x".repeat(5_000)}).to_string();
    let refusal = parse_tool_args::<Args>(&ToolArguments::from(text)).unwrap_err().to_string();
    assert!(refusal.starts_with("Invalid arguments: `picky`: xxx") && refusal.chars().count() < 1_000, "{refusal}");
}

#[test]
fn faults_beyond_those_that_are_told_are_counted_at_every_depth() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Args {
        #[allow(dead_code)] // never decoded
        list: Vec<Vec<u8>>,
    }
    let parser = ArgumentParser::new(&input_schema::<Args>()).unwrap();
    // Each of the ten lists is sent as its text, and has ten faults.
    let lists: Vec<String> = vec![json!(vec!["x"; 10]).to_string(); 10];
    let held = json!(lists).to_string();
    let refusal =
        parser.parse::<Args>(&ToolArguments::from(json!({"list": held}).to_string())).unwrap_err().to_string();
    let told = refusal.matches("expected an integer").count();
    assert!(refusal.ends_with(&format!("and {} more faults", 100 - told)), "{told}: {refusal}");
}
