//! What the boundary makes of arguments, kind by kind: repairs, refusals, and their words.

use serde_json::{Value, json};
use tool_core::{ArgumentLimits, ArgumentMode, ArgumentParser, ToolArguments};

/// The arguments as they are read under `schema`, with the repairs as `path rule`.
fn read(schema: &Value, mode: ArgumentMode, text: &str) -> Result<(Value, Vec<String>), String> {
    let parser = ArgumentParser::new(schema).unwrap().with_mode(mode);
    match parser.parse::<Value>(&ToolArguments::from(text)) {
        Ok(parsed) => {
            let repairs = parsed.repairs.iter().map(|repair| format!("{} {}", repair.path, repair.rule));
            Ok((parsed.args, repairs.collect()))
        }
        Err(error) => Err(error.to_string().strip_prefix("Invalid arguments: ").unwrap().to_owned()),
    }
}

/// An object with one property `p` of this schema, required.
fn one(property: &Value) -> Value {
    json!({"type": "object", "properties": {"p": property}, "required": ["p"], "additionalProperties": false})
}

fn strict(property: &Value, given: &str) -> Result<Value, String> {
    let text = format!(r#"{{"p":{given}}}"#);
    read(&one(property), ArgumentMode::Strict, &text).map(|(mut value, _)| value["p"].take())
}

fn lenient(property: &Value, given: &str) -> Result<(Value, Vec<String>), String> {
    let text = format!(r#"{{"p":{given}}}"#);
    read(&one(property), ArgumentMode::Lenient, &text).map(|(mut value, repairs)| (value["p"].take(), repairs))
}

/// A string that holds this text.
fn string(text: &str) -> String {
    Value::from(text).to_string()
}

#[test]
fn what_lenient_reading_repairs_strict_reading_refuses() {
    let integer = json!({"type": "integer"});
    let list = json!({"type": "array", "items": {"type": "integer"}});
    let maybe_list = json!({"type": ["array", "null"], "items": {"type": "string"}});
    let point = json!({"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]});
    let color = json!({"type": "string", "enum": ["Red", "GREEN", "straße"]});
    let tagged = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "A"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
        {"type": "object", "properties": {"kind": {"const": "B"}, "n": {"type": "string"}}, "required": ["kind", "n"]},
    ]});
    let nullable = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
    for (schema, given, expected, rules) in [
        (&integer, r#""3""#, json!(3), vec!["p number_from_string"]),
        (&integer, r#""-12""#, json!(-12), vec!["p number_from_string"]),
        (&integer, r#""3.0""#, json!(3), vec!["p number_from_string", "p integral_float"]),
        (&integer, r#""\u0033""#, json!(3), vec!["p number_from_string"]),
        (&json!({"type": "number"}), r#""0.25""#, json!(0.25), vec!["p number_from_string"]),
        (&json!({"type": ["integer", "null"]}), r#""3""#, json!(3), vec!["p number_from_string"]),
        (&nullable, r#""3""#, json!(3), vec!["p number_from_string"]),
        (&json!({"type": "boolean"}), r#""true""#, json!(true), vec!["p boolean_from_string"]),
        (&json!({"type": "boolean"}), r#""false""#, json!(false), vec!["p boolean_from_string"]),
        (&list, &string("[1,2]"), json!([1, 2]), vec!["p double_encoding"]),
        (&list, &string(" [1, 2]\n"), json!([1, 2]), vec!["p double_encoding"]),
        (&list, &string(&string("[1,2]")), json!([1, 2]), vec!["p double_encoding"]),
        (
            &list,
            &string(r#"["1",2.0]"#),
            json!([1, 2]),
            vec!["p double_encoding", "p[0] number_from_string", "p[1] integral_float"],
        ),
        (&list, r#"["1"]"#, json!([1]), vec!["p[0] number_from_string"]),
        (&maybe_list, &string(r#"["a"]"#), json!(["a"]), vec!["p double_encoding"]),
        (&point, &string(r#"{"x":"1"}"#), json!({"x": 1}), vec!["p double_encoding", "p.x number_from_string"]),
        (&color, r#""red""#, json!("Red"), vec!["p enum_letter_case"]),
        (&color, r#""Green""#, json!("GREEN"), vec!["p enum_letter_case"]),
        (
            &tagged,
            r#"{"n":"1","kind":"a"}"#,
            json!({"n": 1, "kind": "A"}),
            vec!["p.n number_from_string", "p.kind enum_letter_case"],
        ),
        (&tagged, r#"{"kind":"b","n":"1"}"#, json!({"n": "1", "kind": "B"}), vec!["p.kind enum_letter_case"]),
        (
            &tagged,
            &string(r#"{"kind":"A","n":"1"}"#),
            json!({"kind": "A", "n": 1}),
            vec!["p double_encoding", "p.n number_from_string"],
        ),
    ] {
        let rules: Vec<String> = rules.into_iter().map(str::to_owned).collect();
        assert_eq!(lenient(schema, given), Ok((expected, rules)), "{given}");
        assert!(strict(schema, given).is_err(), "{given}");
    }
}

#[test]
fn what_is_not_unambiguous_stays_refused_and_a_string_stays_a_string() {
    for (schema, given) in [
        (json!({"type": "integer"}), r#""3x""#),
        (json!({"type": "integer"}), r#"" 3""#),
        (json!({"type": "integer"}), r#""""#),
        (json!({"type": "integer"}), r#""true""#),
        (json!({"type": "integer"}), "true"),
        (json!({"type": "integer"}), "[3]"),
        (json!({"type": "boolean"}), r#""True""#),
        (json!({"type": "boolean"}), r#""yes""#),
        (json!({"type": "boolean"}), "1"),
        (json!({"type": "boolean"}), r#""1""#),
        (json!({"type": ["boolean", "integer"]}), r#""1""#),
        (json!({"type": ["array", "integer"]}), r#""[1]""#),
        (json!({"type": ["integer", "null"]}), r#""null""#),
        (json!({"type": "array"}), r#""a,b""#),
        (json!({"type": "array"}), r#""[1,2""#),
        (json!({"type": "array"}), r#""[1] [2]""#),
        (json!({"type": "array"}), "1"),
        (json!({"type": "array"}), "{}"),
        (json!({"type": "array"}), &string(&string(&string("[1]")))),
        (json!({"type": "object"}), r#""[]""#),
        (json!({"type": "object"}), "[]"),
        (json!({"type": "string", "enum": ["a", "A", "b"]}), r#""á""#),
        (json!({"type": "string", "enum": ["ab", "AB"]}), r#""Ab""#),
        (json!({"type": "string", "enum": ["ab"]}), r#"" ab""#),
        (json!({"type": "string"}), "3"),
        (json!({"type": "string"}), "null"),
        (json!({"type": "string"}), "[\"a\"]"),
        (
            json!({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": {"type": "boolean"}}]}),
            r#"["1","true"]"#,
        ),
        (
            json!({"anyOf": [
                {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
                {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]},
                {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
            ]}),
            r#"{"a":"1.0"}"#,
        ),
    ] {
        assert!(lenient(&schema, given).is_err(), "{schema} {given} {:?}", lenient(&schema, given));
        assert!(strict(&schema, given).is_err(), "{schema} {given}");
    }
    for text in ["3", "007", "true", "null", "[1]", "{}", "", " ", "\"x\"", "3.0"] {
        for schema in [json!({"type": "string"}), json!({"type": ["string", "integer"]}), json!(true), json!({})] {
            assert_eq!(lenient(&schema, &string(text)), Ok((json!(text), vec![])), "{schema}");
        }
        let either = json!({"anyOf": [{"type": "integer"}, {"type": "array"}, {"type": "string"}]});
        assert_eq!(lenient(&either, &string(text)), Ok((json!(text), vec![])));
    }
}

#[test]
fn null_is_absence_only_where_the_property_may_be_absent_and_has_no_null() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer"}, "b": {"type": "integer", "default": 1}, "c": {"type": ["integer", "null"]},
        "d": {"anyOf": [{"type": "object"}, {"type": "null"}]}, "e": {"type": "string", "enum": ["x"]}, "f": true,
    }, "required": ["a"], "additionalProperties": false});
    let nulls = |names: &[&str]| names.iter().map(|name| format!("{name} null_as_absent")).collect::<Vec<_>>();
    for (text, expected, names) in [
        (r#"{"a":1,"b":null}"#, json!({"a": 1}), nulls(&["b"])),
        (r#"{"b":null,"a":1}"#, json!({"a": 1}), nulls(&["b"])),
        (r#"{ "b" : null , "a" : 1 , "e" : null }"#, json!({"a": 1}), nulls(&["b", "e"])),
        (r#"{"b":null,"e":null,"a":1}"#, json!({"a": 1}), nulls(&["b", "e"])),
        (
            r#"{"a":1,"b":null,"c":null,"d":null,"e":null,"f":null}"#,
            json!({"a": 1, "c": null, "d": null, "f": null}),
            nulls(&["b", "e"]),
        ),
        (r#"{"a":1,"c":null}"#, json!({"a": 1, "c": null}), vec![]),
    ] {
        assert_eq!(read(&schema, ArgumentMode::Lenient, text), Ok((expected, names)), "{text}");
    }
    for text in [r#"{"a":null}"#, r#"{"a":1,"b":null,"b":null}"#, r#"{"a":1,"g":null}"#] {
        assert!(read(&schema, ArgumentMode::Lenient, text).is_err(), "{text}");
    }
    assert!(read(&schema, ArgumentMode::Strict, r#"{"a":1,"b":null}"#).is_err());
}

#[test]
fn a_fault_is_said_in_json_terms_at_its_path() {
    let item = json!({"type": "object", "properties": {"price": {"type": "number", "exclusiveMinimum": 0}}, "required": ["price"], "additionalProperties": false});
    for (property, given, message) in [
        (
            json!({"type": "integer", "minimum": 1, "maximum": 100}),
            "0",
            "`p`: expected an integer from 1 to 100, got the number 0",
        ),
        (json!({"type": "integer", "minimum": 1}), "0", "`p`: expected an integer of at least 1, got the number 0"),
        (
            json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
            "1",
            "`p`: expected a number above 0 and below 1, got the number 1",
        ),
        (
            json!({"type": "integer", "multipleOf": 5}),
            "7",
            "`p`: expected an integer that is a multiple of 5, got the number 7",
        ),
        (json!({"type": "integer"}), "1.5", "`p`: expected an integer, got the number 1.5"),
        (json!({"type": "boolean"}), "5", "`p`: expected true or false, got the number 5"),
        (json!({"type": ["string", "null"]}), "5", "`p`: expected a string or null, got the number 5"),
        (
            json!({"type": "string", "minLength": 2, "maxLength": 3}),
            r#""é""#,
            "`p`: expected a string of 2 to 3 characters, got 1",
        ),
        (
            json!({"type": "string", "maxLength": 1}),
            r#""\u00e9x""#,
            "`p`: expected a string of at most 1 character, got 2",
        ),
        (
            json!({"type": "string", "pattern": "^[A-Z]{3}$", "examples": ["EUR"]}),
            r#""eur""#,
            "`p`: expected a string that matches `^[A-Z]{3}$`, got the string \"eur\" (for example \"EUR\")",
        ),
        (json!({"type": "array", "minItems": 1, "maxItems": 2}), "[]", "`p`: expected an array of 1 to 2 items, got 0"),
        (
            json!({"type": "array", "uniqueItems": true}),
            "[1,[2],1.0]",
            "`p[2]`: the same element again; each may be given once",
        ),
        (
            json!({"type": "array", "items": item}),
            r#"[{"price":1},{"price":0},{}]"#,
            "`p[1].price`: expected a number above 0, got the number 0; `p[2].price`: required, but missing",
        ),
        (json!({"type": "object", "minProperties": 1}), "{}", "`p`: expected an object of at least 1 property, got 0"),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            r#"{"a":1,"b":"x"}"#,
            "`p.b`: expected an integer, got the string \"x\"",
        ),
        (
            json!({"type": "object", "patternProperties": {"^\\d+$": true}, "additionalProperties": false}),
            r#"{"1":1,"b":1}"#,
            "`p.b`: unknown property \"b\"; a name has to match `^\\d+$`",
        ),
        (
            json!({"type": "object", "propertyNames": {"maxLength": 2}}),
            r#"{"abc":1}"#,
            "`p.abc`: the name of this property has to be a string of at most 2 characters",
        ),
        (
            json!({"enum": ["summer", "winter"]}),
            r#""sumer""#,
            "`p`: unknown value \"sumer\"; did you mean `summer`? Known: `summer`, `winter`",
        ),
        (json!({"enum": [1, 2]}), "3", "`p`: expected one of `1`, `2`, got the number 3"),
        (json!({"const": {"a": [1]}}), r#"{"a":[2]}"#, "`p`: expected {\"a\":[1]}, got the object {\"a\":[2]}"),
        (json!({"not": {"type": "null"}}), "null", "`p`: this value is not allowed here"),
        (
            json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}),
            r#""x""#,
            "`p`: expected an integer or true or false, got the string \"x\"",
        ),
        (
            json!({"anyOf": [item, {"type": "string"}]}),
            r#"{"prise":1}"#,
            "`p.prise`: unknown property \"prise\"; did you mean `price`? Known: `price`; `p.price`: required, but missing",
        ),
        (
            json!({"oneOf": [{"type": "integer", "maximum": 5}, {"type": "integer", "minimum": 5}]}),
            "5",
            "`p`: fits more than one of the allowed forms, and only one may",
        ),
        (json!(false), "1", "`p`: expected no value at all, got the number 1"),
    ] {
        assert_eq!(strict(&property, given), Err(message.to_owned()), "{property}");
        assert_eq!(lenient(&property, given), Err(message.to_owned()), "{property}");
    }
}

#[test]
fn the_right_branch_of_an_enum_explains() {
    let shape = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["kind", "radius"], "additionalProperties": false},
        {"type": "object", "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind", "side"], "additionalProperties": false},
    ]});
    let keyed = json!({"oneOf": [
        {"enum": ["none"]},
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false},
        {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"], "additionalProperties": false},
    ]});
    for (schema, given, message) in [
        (
            &shape,
            r#"{"kind":"circle","side":1}"#,
            "`p.side`: unknown property \"side\". Known: `kind`, `radius`; `p.radius`: required, but missing",
        ),
        (&shape, r#"{"side":"x","kind":"square"}"#, "`p.side`: expected a number, got the string \"x\""),
        (&shape, r#"{"radius":1}"#, "`p.kind`: required, but missing; one of `circle`, `square`"),
        (
            &shape,
            r#"{"kind":"sqare","side":1}"#,
            "`p.kind`: unknown value \"sqare\"; did you mean `square`? Known: `circle`, `square`",
        ),
        (&shape, r#"{"kind":5}"#, "`p.kind`: expected one of `circle`, `square`, got the number 5"),
        (
            &shape,
            "5",
            "`p`: expected an object with `kind`, `radius` or an object with `kind`, `side`, got the number 5",
        ),
        (&keyed, r#"{"a":"x"}"#, "`p.a`: expected an integer, got the string \"x\""),
        (&keyed, r#"{"c":1}"#, "`p`: expected an object with one of `a`, `b`"),
        (&keyed, r#""nine""#, "`p`: unknown value \"nine\"; did you mean `none`? Known: `none`"),
    ] {
        assert_eq!(strict(schema, given), Err(message.to_owned()));
        assert_eq!(lenient(schema, given), Err(message.to_owned()));
    }
}

#[test]
fn a_message_is_short_and_says_how_much_it_leaves_out() {
    let many: Vec<String> = (0..500).map(|at| format!("\"unknown_property_{at}\":1")).collect();
    let long = "é".repeat(10_000);
    for text in [
        format!("{{{}}}", many.join(",")),
        format!(r#"{{"p":"{long}"}}"#),
        format!(r#"{{"{long}":1}}"#),
        format!(r#"{{"p":1,"{long}":{{"{long}":1,"{long}":1}},"x":1,"x":2}}"#),
    ] {
        let schema = one(&json!({"type": "string", "enum": many}));
        let message = read(&schema, ArgumentMode::Lenient, &text).unwrap_err();
        assert!(message.chars().count() < 960, "{} characters", message.chars().count());
    }
    let text = format!("{{{}}}", many.join(","));
    assert!(read(&one(&json!({})), ArgumentMode::Lenient, &text).unwrap_err().ends_with(" more faults"));
}

#[test]
fn broken_text_is_refused_and_never_completed() {
    let schema = one(&json!(true));
    for broken in [
        r#"{"p":1"#,
        r#"{"p":"#,
        r#"{"p"#,
        "{",
        r#"{"p":1,}"#,
        r#"{"p":[1,]}"#,
        r#"{"p":[1}"#,
        "{p:1}",
        "{'p':1}",
        r#"{"p":01}"#,
        r#"{"p":1.}"#,
        r#"{"p":.5}"#,
        r#"{"p":+1}"#,
        r#"{"p":1e}"#,
        r#"{"p":-}"#,
        r#"{"p":NaN}"#,
        r#"{"p":tru}"#,
        r#"{"p":nulll}"#,
        r#"{"p":"\x"}"#,
        r#"{"p":"\u12"}"#,
        "{\"p\":\"\n\"}",
        r#"{"p":1} x"#,
        r#"{"p":1}{}"#,
        r#"{"p" 1}"#,
        r#"{"p":1 "q":2}"#,
        r#"{,"p":1}"#,
        "```json\n{\"p\":1}\n```",
        "\u{feff}{\"p\":1}",
        "{\"p\":1}\u{a0}",
        r#"{"p":1e400}"#,
    ] {
        for mode in [ArgumentMode::Lenient, ArgumentMode::Strict] {
            assert!(read(&schema, mode, broken).is_err(), "{broken}");
        }
    }
}

#[test]
fn limits_are_kept() {
    let schema = one(&json!(true));
    let limits = ArgumentLimits::default().with_max_bytes(64).with_max_depth(3);
    let parser = ArgumentParser::new(&schema).unwrap().with_limits(limits);
    let refusal = |text: &str| parser.parse::<Value>(&text.into()).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(refusal(r#"{"p":[[1]]}"#), Ok(()));
    assert_eq!(
        refusal(r#"{"p":[[[1]]]}"#).unwrap_err(),
        "Invalid arguments: nested too deeply: at most 3 levels are read"
    );
    let value: Value = serde_json::from_str(r#"{"p":[[[1]]]}"#).unwrap();
    assert!(parser.parse::<Value>(&value.into()).is_err());
    let long = format!(r#"{{"p":"{}"}}"#, "x".repeat(64));
    assert_eq!(refusal(&long).unwrap_err(), "Invalid arguments: too long: 72 bytes, and at most 64 are read");
    let deep = string(&string(r#"{"p":[[1]]}"#));
    assert!(refusal(&deep).unwrap_err().contains("nested too deeply"), "an unwrapped layer is a level");
    assert_eq!(ArgumentLimits::default().with_max_depth(usize::MAX).max_depth, ArgumentLimits::GREATEST_MAX_DEPTH);
}

#[test]
fn alternatives_within_alternatives_end() {
    let expression = json!({"type": "object", "properties": {"e": {"$ref": "#/$defs/E"}}, "$defs": {"E": {"anyOf": [
        {"type": "object", "properties": {"l": {"$ref": "#/$defs/E"}, "a": {"type": "integer"}}, "required": ["l"]},
        {"type": "object", "properties": {"l": {"$ref": "#/$defs/E"}, "b": {"type": "integer"}}, "required": ["l"]},
        {"type": "integer"},
    ]}}});
    let nested = |inner: &str| format!("{{\"e\":{}{inner}{}}}", "{\"l\":".repeat(60), "}".repeat(60));
    let started = std::time::Instant::now();
    assert!(read(&expression, ArgumentMode::Strict, &nested("1")).is_ok());
    assert!(read(&expression, ArgumentMode::Lenient, &nested("true")).is_err());
    let value: Value = serde_json::from_str(&nested("true")).unwrap();
    assert!(ArgumentParser::new(&expression).unwrap().parse::<Value>(&value.into()).is_err());
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn a_schema_that_cannot_be_enforced_is_refused() {
    for (schema, path, reason) in [
        (json!({"properties": {"a/b": {"type": "string", "pattern": "(?=x)"}}}), "/properties/a~1b", "the pattern"),
        (json!({"items": {"contains": {}}}), "/items", "`contains`"),
        (json!({"if": {}}), "", "`if`"),
        (json!({"$ref": "#/$defs/none"}), "/$defs/none", "`$ref`"),
        (json!({"$ref": "https://example.com/x"}), "", "within the schema"),
        (json!({"$ref": "#"}), "", "its own schema"),
        (json!({"anyOf": [{"type": "null"}, {"$ref": "#"}]}), "", "its own schema"),
        (json!({"type": "int"}), "", "no type"),
        (json!({"properties": {"a": 5}}), "/properties/a", "object or a boolean"),
        (json!({"multipleOf": 0}), "", "above 0"),
    ] {
        let error = ArgumentParser::new(&schema).unwrap_err();
        assert_eq!(error.path(), path, "{schema}");
        assert!(error.reason().contains(reason), "{error}");
    }
}

/// As one object, each property required and nullable, as providers that take no alternatives at the root are told.
#[test]
fn null_for_a_property_of_another_form_is_its_absence() {
    #[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Shape {
        Circle { radius: f64 },
        Square { side: f64, colour: Option<String> },
    }
    #[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
    enum Value {
        Number(i64),
        Point { x: i32 },
    }
    let read = |text: &str, mode| {
        let parser = tool_core::ArgumentParser::new(&tool_core::input_schema::<Shape>()).unwrap().with_mode(mode);
        parser.parse::<Shape>(&tool_core::ToolArguments::from(text)).map(|parsed| parsed.args)
    };
    let square = r#"{"kind":"square","side":2,"radius":null,"colour":null}"#;
    let lenient = read(square, tool_core::ArgumentMode::Lenient).unwrap();
    assert_eq!(lenient, Shape::Square { side: 2.0, colour: None });
    assert!(read(square, tool_core::ArgumentMode::Strict).is_err());
    for refused in [
        r#"{"kind":"square","side":2,"radius":1}"#,
        r#"{"kind":"square","side":2,"diameter":null}"#,
        r#"{"kind":"square","side":null,"radius":null}"#,
    ] {
        assert!(read(refused, tool_core::ArgumentMode::Lenient).is_err(), "{refused}");
    }
    let parser = tool_core::ArgumentParser::new(&tool_core::input_schema::<Value>()).unwrap();
    for (text, value) in [
        (r#"{"Number":3,"Point":null}"#, Value::Number(3)),
        (r#"{"Point":{"x":1},"Number":null}"#, Value::Point { x: 1 }),
    ] {
        assert_eq!(parser.parse::<Value>(&tool_core::ToolArguments::from(text)).unwrap().args, value, "{text}");
    }
    let both = parser.parse::<Value>(&tool_core::ToolArguments::from(r#"{"Number":3,"Point":{"x":1}}"#));
    assert!(both.is_err());
}
