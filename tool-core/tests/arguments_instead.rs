//! What a refusal under a schema says to write instead.

use serde_json::{Value, json};
use tool_core::{ArgumentMode, ArgumentParser, ToolArguments};

/// `p`, as it is read under this schema.
fn read(schema: &Value, mode: ArgumentMode, given: &str) -> Result<Value, String> {
    let object = json!({"type": "object", "properties": {"p": schema}, "required": ["p"]});
    let parser = ArgumentParser::new(&object).unwrap().with_mode(mode);
    let text = format!(r#"{{"p":{given}}}"#);
    match parser.parse::<Value>(&ToolArguments::from(text.as_str())) {
        Ok(mut parsed) => Ok(parsed.args["p"].take()),
        Err(error) => Err(error.to_string().strip_prefix("Invalid arguments: ").unwrap().to_owned()),
    }
}

fn strict(schema: &Value, given: &str) -> Result<Value, String> {
    read(schema, ArgumentMode::Strict, given)
}

fn lenient(schema: &Value, given: &str) -> Result<Value, String> {
    read(schema, ArgumentMode::Lenient, given)
}

#[test]
fn a_value_that_is_left_out_of_a_schema_is_named() {
    let not_zero = json!({"type": "integer", "not": {"const": 0}});
    let byte = json!({"type": ["integer", "null"], "minimum": -128, "maximum": 127, "not": {"const": 0}});
    for (schema, given, words) in [
        (&not_zero, "0", "expected an integer other than 0, got the number 0"),
        (&not_zero, "[]", "expected an integer other than 0, got an array"),
        (&byte, "0", "expected an integer other than 0, from -128 to 127 or null, got the number 0"),
        (&byte, "200", "expected an integer other than 0, from -128 to 127 or null, got the number 200"),
        (
            &json!({"type": "string", "not": {"enum": ["a", "b"]}}),
            r#""a""#,
            "expected a string other than one of `a`, `b`, got the string \"a\"",
        ),
        (&json!({"type": "integer", "not": {"minimum": 5}}), "7", "this value is not allowed here"),
    ] {
        assert_eq!(strict(schema, given).unwrap_err(), format!("`p`: {words}"), "{schema}");
    }
    assert_eq!(lenient(&not_zero, r#""0""#).unwrap_err(), "`p`: expected an integer other than 0, got the number 0");
    assert_eq!(strict(&byte, "1"), Ok(json!(1)));
}

#[test]
fn a_number_that_no_type_holds_is_told_what_would_be_one() {
    let double = "-1.7976931348623157e+308 to 1.7976931348623157e+308";
    let single = json!({"type": "number", "minimum": -3.402_823_5e38, "maximum": 3.402_823_5e38});
    let (low, high) = ("-170141183460469231731687303715884105728", "340282366920938463463374607431768211455");
    for (schema, given, expected) in [
        (json!({"type": "number"}), "1e400", format!("a number from {double}")),
        (json!({"type": ["number", "null"]}), "-1e400", format!("a number from {double} or null")),
        (json!({"anyOf": [{"type": "number"}, {"type": "null"}]}), "1e400", format!("a number from {double}")),
        (
            json!({"type": "number", "exclusiveMinimum": 0}),
            "1e400",
            "a number above 0 and of at most 1.7976931348623157e+308".to_owned(),
        ),
        (json!({"type": "number", "maximum": 9}), "1e400", "a number from -1.7976931348623157e+308 to 9".to_owned()),
        (single.clone(), "1e39", "a number from -3.4028235e+38 to 3.4028235e+38".to_owned()),
        (single, "-3.4028236e38", "a number from -3.4028235e+38 to 3.4028235e+38".to_owned()),
        (json!(true), "1e400", format!("a number from {double}")),
        (json!({"description": "any"}), "1e400", format!("a number from {double}")),
        (json!({"type": "integer"}), "1e400", format!("an integer from {low} to {high}")),
        (json!({"type": "integer"}), "1e50", format!("an integer from {low} to {high}")),
        (json!({"type": "integer", "minimum": 0}), "1e50", format!("an integer from 0 to {high}")),
        (json!({"enum": [1, 2]}), "1e400", "one of `1`, `2`".to_owned()),
    ] {
        let words = format!("`p`: expected {expected}, got the number {given}");
        assert_eq!(strict(&schema, given).unwrap_err(), words, "{schema}");
    }
}

#[test]
fn the_name_of_a_form_alone_is_told_what_to_write_instead() {
    let form = |name: &str, content: Value| json!({"type": "object", "properties": {name: content}, "required": [name], "additionalProperties": false});
    let object = json!({"type": "object", "properties": {"r": {"type": "integer"}}, "required": ["r"]});
    let list = json!({"type": "array", "prefixItems": [{"type": "integer"}]});
    let shape = json!({"oneOf": [form("Circle", object.clone()), form("Box", list), form("Size", json!({"type": "integer"})), {"type": "string", "enum": ["Dot", "dash"]}]});
    for (given, instead) in [("Circle", r#"{"Circle": {…}}"#), ("Box", r#"{"Box": […]}"#), ("Size", r#"{"Size": …}"#)]
    {
        let words =
            format!("`p`: expected an object that holds this form's content, {instead}, got the string {given:?}");
        for schema in [&shape, &json!({"anyOf": [shape, {"type": "null"}]})] {
            assert_eq!(strict(schema, &format!("{given:?}")).unwrap_err(), words);
            assert_eq!(lenient(schema, &format!("{given:?}")).unwrap_err(), words);
        }
    }
    assert_eq!(strict(&shape, r#""Dot""#), Ok(json!("Dot")));
    assert_eq!(lenient(&shape, r#""dot""#), Ok(json!("Dot")));
    assert_eq!(
        strict(&shape, r#""Dott""#).unwrap_err(),
        "`p`: unknown value \"Dott\"; did you mean `Dot`? Known: `Dot`, `dash`"
    );
    // A string of any name, or the same name in another case, may be meant.
    let open = json!({"anyOf": [form("Circle", object.clone()), {"type": "string", "maxLength": 3}]});
    assert_eq!(strict(&open, r#""Circle""#).unwrap_err(), "`p`: expected a string of at most 3 characters, got 6");
    let cased = json!({"anyOf": [form("Circle", object), {"type": "string", "enum": ["circle"]}]});
    assert_eq!(lenient(&cased, r#""Circle""#), Ok(json!("circle")));
}
