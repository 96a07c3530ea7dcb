//! Properties of the exports over generated schemas.

mod export_support;

use export_support::checks::{loses_every_argument, violations};
use export_support::values::{Dice, generate, without_nulls};
use export_support::zoo::zoo;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tool_core::{ExportFormat, Rule, ToolDescriptor, lint};

fn tool(schema: Value) -> ToolDescriptor {
    ToolDescriptor::new("generated", "generated", "A generated tool.", schema, None)
}

/// Whatever an export says without loss, the tool's own schema accepts, `null` for an absent property aside.
fn accepts_what_it_exports(descriptor: &ToolDescriptor, seed: u64, rounds: usize) -> Result<usize, String> {
    let canonical = descriptor.input_schema();
    let judge = jsonschema::options()
        .should_validate_formats(true)
        .build(canonical)
        .map_err(|error| format!("no schema: {error}: {canonical}"))?;
    let mut judged = 0;
    for format in ExportFormat::ALL {
        let export = descriptor.export(format);
        if export.findings.iter().any(|finding| finding.rule.loosens()) {
            continue;
        }
        let Some(schema) = export.parameters() else { continue };
        jsonschema::meta::validate(schema).map_err(|error| format!("{format}: no schema: {error}: {schema}"))?;
        let allowed = jsonschema::options()
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| format!("{format}: {error}"))?;
        let mut dice = Dice(seed);
        for _ in 0..rounds {
            let Some(value) = generate(schema, schema, &mut dice, 0) else { continue };
            // The generator takes any branch of a `oneOf`. (No judge knows Gemini's `nullable`.)
            if format != ExportFormat::Gemini && !allowed.is_valid(&value) {
                continue;
            }
            let mut readings = Dice(1);
            let mut read = || without_nulls(&value, &[canonical], canonical, &mut readings);
            if !judge.is_valid(&value) && !(0..64).any(|_| judge.is_valid(&read())) {
                return Err(format!("{format}: {value} is refused\nexport    {schema}\ncanonical {canonical}"));
            }
            judged += 1;
        }
    }
    Ok(judged)
}

#[test]
fn the_zoo_accepts_what_its_exports_allow() {
    let mut judged = 0;
    for descriptor in zoo().iter().filter(|descriptor| !["not.an/object", "dangling"].contains(&descriptor.id())) {
        match accepts_what_it_exports(descriptor, 7, 60) {
            Ok(count) => judged += count,
            Err(error) => panic!("{}: {error}", descriptor.id()),
        }
    }
    assert!(judged > 8_000, "only {judged} values were judged");
}

/// A schema of a property, as schemars and its like write one.
fn schema() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "number"})),
        Just(json!({"type": "null"})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"type": ["integer", "null"], "minimum": 0, "maximum": 255})),
        Just(json!({"type": "string", "enum": ["a", "b"]})),
        Just(json!({"type": ["string", "null"], "enum": ["a", "b", null]})),
        Just(json!({"const": "only"})),
        Just(json!({"enum": [1, "one", true, null]})),
        Just(
            json!({"oneOf": [{"const": "a", "description": "First."}, {"type": "string", "enum": ["b", "c"]}, {"const": "d"}]})
        ),
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"$ref": "#/$defs/Node"})),
        Just(json!({"$ref": "#/$defs/Node", "description": "A node."})),
        Just(json!({"$ref": "#/$defs/Leaf"})),
        Just(json!({"type": "string", "format": "date-time"})),
        (0..4u8, 4..9u8).prop_map(|(low, high)| json!({"type": "string", "minLength": low, "maxLength": high})),
        (-9..0i8, 0..9i8)
            .prop_map(|(low, high)| json!({"type": "integer", "minimum": low, "exclusiveMaximum": high + 1})),
        (1..9u8).prop_map(|factor| json!({"type": "integer", "multipleOf": factor, "default": 0})),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            (inner.clone(), 0..3u8)
                .prop_map(|(items, least)| json!({"type": "array", "items": items, "minItems": least})),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| json!({"type": "array", "prefixItems": [a, b], "minItems": 2, "maxItems": 2})),
            inner
                .clone()
                .prop_map(|one| json!({"type": "array", "prefixItems": [one, one], "minItems": 2, "maxItems": 2})),
            inner.clone().prop_map(|each| json!({"type": "object", "additionalProperties": each})),
            inner.clone().prop_map(|some| json!({"anyOf": [some, {"type": "null"}], "description": "Or nothing."})),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({"anyOf": [a, b]})),
            (object(inner.clone().boxed()), object(inner.clone().boxed()))
                .prop_map(|(a, b)| json!({"oneOf": [tagged(a, "a"), tagged(b, "b")]})),
            (object(inner.clone().boxed()), object(inner.clone().boxed())).prop_map(|(a, b)| json!({"oneOf": [a, b]})),
            object(inner.boxed()),
        ]
    })
    .boxed()
}

fn object(inner: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let name = prop::sample::select(vec!["id", "type", "title", "items", "x.y", "properties"]);
    let property = (inner, any::<bool>(), any::<bool>());
    (prop::collection::btree_map(name, property, 0..4), 0..3u8)
        .prop_map(|(properties, additional)| {
            let required: Vec<&str> =
                properties.iter().filter(|(_, (_, required, _))| *required).map(|(name, _)| *name).collect();
            let mut object = json!({"type": "object", "required": required});
            let properties: Map<String, Value> = properties
                .into_iter()
                .map(|(name, (mut schema, _, described))| {
                    if let (true, Value::Object(schema)) = (described, &mut schema) {
                        schema.insert("description".to_owned(), json!("What it is."));
                    }
                    (name.to_owned(), schema)
                })
                .collect();
            object["properties"] = Value::Object(properties);
            match additional {
                0 => {}
                // Closed without any property, it would take nothing but `{}`, and could be exported so.
                2 if object["properties"] == json!({}) => {}
                1 => object["additionalProperties"] = json!(true),
                _ => object["additionalProperties"] = json!(false),
            }
            object
        })
        .boxed()
}

fn tagged(mut object: Value, tag: &str) -> Value {
    object["properties"]["kind"] = json!({"type": "string", "const": tag});
    if let Some(required) = object["required"].as_array_mut() {
        required.push(json!("kind"));
    }
    object
}

fn root() -> impl Strategy<Value = Value> {
    let root = prop_oneof![
        4 => object(schema()),
        1 => (object(schema()), object(schema())).prop_map(|(a, b)| json!({"type": "object", "oneOf": [tagged(a, "a"), tagged(b, "b")]})),
        1 => (object(schema()), object(schema())).prop_map(|(a, b)| json!({"type": "object", "anyOf": [a, b]})),
        1 => (object(schema()), object(schema())).prop_map(|(a, b)| json!({"type": "object", "allOf": [
            {"oneOf": [tagged(a.clone(), "a"), tagged(b.clone(), "b")]}, {"oneOf": [a, b]},
        ]})),
        1 => schema().prop_map(|each| json!({"type": "object", "properties": {}, "patternProperties": {"^\\d+$": each}, "additionalProperties": false})),
    ];
    root.prop_map(|mut root| {
        root["$defs"] = json!({
            "Node": {
                "type": "object", "description": "A node.",
                "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}, "leaf": {"$ref": "#/$defs/Leaf"}},
                "required": ["leaf"], "additionalProperties": false,
            },
            "Leaf": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false},
        });
        root
    })
}

/// Any JSON with the keywords of schemas in it.
fn anything() -> impl Strategy<Value = Value> {
    let keyword = prop::sample::select(vec![
        "$defs",
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "description",
        "enum",
        "examples",
        "format",
        "if",
        "items",
        "maximum",
        "minItems",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "required",
        "title",
        "type",
        "unevaluatedProperties",
        "uniqueItems",
        "a",
        "b",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec![
            "object",
            "array",
            "string",
            "integer",
            "null",
            "#",
            "#/$defs/a",
            "#/properties/b",
            "#/allOf/0",
            "uuid",
            "uint32",
            "",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 5, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => prop::collection::btree_map(keyword.clone(), inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>().into()),
        ]
    })
}

/// Few enough for every run of the tests; `PROPTEST_CASES=10000` looks harder.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(100)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exports_of_generated_schemas_keep_the_rules_and_widen_nothing(schema in root(), seed: u64) {
        let descriptor = tool(schema);
        for format in ExportFormat::ALL {
            let export = descriptor.export(format);
            let broken = violations(format, &export.tool);
            prop_assert!(broken.is_empty(), "{format}: {broken:?}\n{}\n{}", export.tool, descriptor.input_schema());
            prop_assert!(!loses_every_argument(descriptor.input_schema(), &export), "{format}: {}", export.tool);
            // Strict, or a reason.
            let asked = format.name().ends_with("strict");
            let reason = export.findings.iter().any(|finding| finding.rule == Rule::NotStrict);
            prop_assert!(!asked || export.is_strict() != reason, "{format}: {:?}", export.findings);
        }
        if let Err(error) = accepts_what_it_exports(&descriptor, seed, 8) {
            prop_assert!(false, "{error}");
        }
    }

    #[test]
    fn any_json_can_be_exported_and_linted(schema in anything()) {
        let descriptor = tool(schema);
        for format in ExportFormat::ALL {
            let export = descriptor.export(format);
            prop_assert!(export.parameters().is_none_or(|schema| schema["type"] == "object"), "{format}: {}", export.tool);
            prop_assert_eq!(&export, &descriptor.export(format));
        }
        lint([&descriptor]);
    }
}

#[test]
fn references_that_double_at_every_step_stay_within_bounds() {
    let mut definitions = Map::new();
    for step in 0..60 {
        let next = json!({"$ref": format!("#/$defs/d{}", step + 1), "description": "One of two."});
        definitions.insert(format!("d{step}"), json!({"type": "object", "properties": {"a": next, "b": next}}));
    }
    definitions.insert("d60".to_owned(), json!({"type": "string"}));
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    for format in ExportFormat::ALL {
        let export = tool(schema.clone()).export(format);
        assert!(export.tool.to_string().len() < 4_000_000, "{format}");
        assert!(
            !violations(format, &export.tool).iter().any(|violation| violation.contains("beside $ref")),
            "{format}"
        );
    }
}

#[test]
fn a_long_chain_of_references_does_not_overflow_the_stack() {
    let mut definitions = Map::new();
    for step in 0..5_000 {
        definitions
            .insert(format!("d{step}"), json!({"type": "array", "items": {"$ref": format!("#/$defs/d{}", step + 1)}}));
    }
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    for format in ExportFormat::ALL {
        assert!(!tool(schema.clone()).export(format).tool.is_null());
    }
}
