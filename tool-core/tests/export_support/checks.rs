//! The providers' published rules, checked on an export without any help of the exporter: each function walks the raw
//! JSON and says what breaks a rule.

use serde_json::{Map, Value};
use tool_core::{Export, ExportFormat};

/// What breaks the format's rules in an entry of a request's `tools`.
pub fn violations(format: ExportFormat, tool: &Value) -> Vec<String> {
    let mut found = Found(Vec::new());
    match format {
        ExportFormat::Mcp => mcp(tool, &mut found),
        ExportFormat::OpenAi | ExportFormat::OpenAiStrict => {
            found.expect(
                keys(tool) == ["function", "type"] && tool["type"] == "function",
                "entry",
                "Chat Completions wraps a function",
            );
            openai(&tool["function"], &["description", "name", "parameters", "strict"], &mut found);
        }
        ExportFormat::OpenAiResponses | ExportFormat::OpenAiResponsesStrict => {
            found.expect(tool["type"] == "function", "entry", "Responses has a flat function");
            openai(tool, &["description", "name", "parameters", "strict", "type"], &mut found);
        }
        ExportFormat::Anthropic | ExportFormat::AnthropicStrict => anthropic(tool, &mut found),
        ExportFormat::Gemini | ExportFormat::GeminiJsonSchema => {
            found.expect(keys(tool) == ["functionDeclarations"], "entry", "a Gemini tool holds declarations");
            for declaration in tool["functionDeclarations"].as_array().into_iter().flatten() {
                gemini(declaration, format == ExportFormat::GeminiJsonSchema, &mut found);
            }
        }
        _ => found.expect(false, "entry", "no rules for this format"),
    }
    found.0
}

/// An export that takes no arguments, of a schema that names some.
pub fn loses_every_argument(canonical: &Value, export: &Export) -> bool {
    let is_empty = export.parameters().is_none_or(|schema| {
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.is_none_or(Map::is_empty)
            && schema.get("patternProperties").is_none()
            && schema.get("additionalProperties") == Some(&Value::Bool(false))
    });
    is_empty && names_arguments(canonical, canonical, 0)
}

fn names_arguments(root: &Value, schema: &Value, depth: usize) -> bool {
    let has = |keyword: &str| schema.get(keyword).and_then(Value::as_object).is_some_and(|named| !named.is_empty());
    if depth > 8 || schema.get("type").is_some_and(|kind| kind != "object") {
        return false;
    }
    let reference =
        schema.get("$ref").and_then(Value::as_str).and_then(|reference| root.pointer(reference.strip_prefix('#')?));
    let parts = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten();
    has("properties")
        || has("patternProperties")
        || has("additionalProperties")
        || parts.chain(reference).any(|part| names_arguments(root, part, depth + 1))
}

pub struct Found(Vec<String>);

impl Found {
    fn expect(&mut self, holds: bool, at: &str, rule: &str) {
        if !holds {
            self.0.push(format!("{at}: {rule}"));
        }
    }
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys
}

fn is_name(name: &Value, longest: usize, punctuation: &str) -> bool {
    let name = name.as_str().unwrap_or_default();
    (1..=longest).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || punctuation.contains(c))
}

/// Visits each schema with its place in the document; `false` ends the descent.
fn walk(schema: &Value, at: &str, visit: &mut dyn FnMut(&Map<String, Value>, &str)) {
    let Some(object) = schema.as_object() else { return };
    visit(object, at);
    for keyword in ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"] {
        for (name, value) in object.get(keyword).and_then(Value::as_object).into_iter().flatten() {
            walk(value, &format!("{at}/{keyword}/{name}"), visit);
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        for (position, value) in object.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate() {
            walk(value, &format!("{at}/{keyword}/{position}"), visit);
        }
    }
    for keyword in ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"] {
        if let Some(value) = object.get(keyword) {
            walk(value, &format!("{at}/{keyword}"), visit);
        }
    }
}

/// S1 and S9, for every format.
fn noise(schema: &Value, found: &mut Found) {
    walk(schema, "", &mut |schema, at| {
        found.expect(!schema.contains_key("$schema"), at, "no $schema");
        let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
        found.expect(
            !format.starts_with("uint") && !format.starts_with("int") && !matches!(format, "double" | "float"),
            at,
            "no format of Rust's numbers",
        );
        if let Some(name) = at.rsplit_once("properties/").map(|(_, name)| name) {
            let letters = |text: &str| text.replace(['_', ' ', '-'], "").to_lowercase();
            let title = schema.get("title").and_then(Value::as_str);
            found.expect(title.is_none_or(|title| letters(title) != letters(name)), at, "no generated title");
        } else {
            found.expect(!schema.contains_key("title"), at, "no title of a type");
        }
    });
}

fn mcp(tool: &Value, found: &mut Found) {
    found.expect(is_name(&tool["name"], 128, "_.-"), "name", "1 to 128 of [A-Za-z0-9_.-]");
    found.expect(tool["inputSchema"]["type"] == "object", "inputSchema", "type: object at the root");
    let known = ["annotations", "description", "inputSchema", "name", "outputSchema", "title"];
    found.expect(keys(tool).iter().all(|key| known.contains(key)), "entry", "only MCP's keys");
    noise(&tool["inputSchema"], found);
    walk(&tool["inputSchema"], "", &mut |schema, at| {
        let properties = schema.get("properties").and_then(Value::as_object);
        let objects = properties.into_iter().flatten().all(|(_, value)| value.is_object());
        found.expect(objects, at, "the SDKs take objects as properties alone");
    });
}

fn openai(function: &Value, known: &[&str], found: &mut Found) {
    found.expect(keys(function) == known, "entry", "the API's keys");
    found.expect(is_name(&function["name"], 64, "_-"), "name", "1 to 64 of [a-zA-Z0-9_-]");
    let parameters = &function["parameters"];
    found.expect(parameters["type"] == "object", "parameters", "type: object at the root");
    found.expect(parameters["properties"].is_object(), "parameters", "properties at the root");
    for keyword in ["anyOf", "oneOf", "allOf", "enum", "not", "$ref"] {
        found.expect(parameters.get(keyword).is_none(), "parameters", &format!("no {keyword} at the root"));
    }
    noise(parameters, found);
    if function["strict"] == true {
        openai_strict(parameters, found);
    } else {
        walk(parameters, "", &mut |schema, at| {
            if schema
                .get("type")
                .is_some_and(|kind| kind == "array" || kind.as_array().is_some_and(|k| k.contains(&"array".into())))
            {
                found.expect(schema.contains_key("items"), at, "a list says what its items are");
            }
        });
    }
}

fn openai_strict(parameters: &Value, found: &mut Found) {
    const KNOWN: [&str; 19] = [
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "multipleOf",
        "pattern",
        "properties",
        "required",
        "type",
    ];
    const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
    let (mut properties, mut values, mut deepest) = (0, 0, 0);
    walk(parameters, "", &mut |schema, at| {
        only(schema, &KNOWN, at, found);
        closed(schema, at, found);
        if is(schema, "object") {
            let named: Vec<&String> =
                schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|p| p.0).collect();
            let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            found.expect(required.len() == named.len(), at, "required names every property once");
            found.expect(
                named.iter().all(|name| required.contains(&name.as_str().into())),
                at,
                "every property is required",
            );
            properties += named.len();
        }
        values += schema.get("enum").and_then(Value::as_array).map_or(0, Vec::len);
        let within = at.rsplit_once("$defs/").map_or(at, |(_, within)| within);
        deepest = deepest.max(within.matches("/properties/").count() + within.matches("/items").count());
        reference_alone(schema, at, found);
        known_format(schema, &FORMATS, at, found);
        said(schema, at, found);
        lists_say_items(schema, at, found);
    });
    found.expect(properties <= 5_000, "parameters", "at most 5,000 properties");
    found.expect(values <= 1_000, "parameters", "at most 1,000 enum values");
    found.expect(deepest <= 10, "parameters", "at most 10 levels");
}

fn only(schema: &Map<String, Value>, known: &[&str], at: &str, found: &mut Found) {
    for keyword in schema.keys() {
        found.expect(known.contains(&keyword.as_str()), at, &format!("no {keyword}"));
    }
}

fn is(schema: &Map<String, Value>, kind: &str) -> bool {
    schema
        .get("type")
        .is_some_and(|known| known == kind || known.as_array().is_some_and(|known| known.contains(&kind.into())))
}

fn closed(schema: &Map<String, Value>, at: &str, found: &mut Found) {
    if is(schema, "object") {
        found.expect(
            schema.get("additionalProperties") == Some(&Value::Bool(false)),
            at,
            "additionalProperties: false",
        );
        let named = schema.get("properties").and_then(Value::as_object).map_or(0, Map::len);
        found.expect(named > 0 || at.is_empty(), at, "never closed to accept only {}");
    }
}

fn reference_alone(schema: &Map<String, Value>, at: &str, found: &mut Found) {
    found.expect(!schema.contains_key("$ref") || schema.len() == 1, at, "nothing beside $ref");
}

fn known_format(schema: &Map<String, Value>, known: &[&str], at: &str, found: &mut Found) {
    let format = schema.get("format").and_then(Value::as_str);
    found.expect(format.is_none_or(|format| known.contains(&format)), at, "a format that the provider has");
}

/// A schema without a type, a union or a reference is free-form.
fn said(schema: &Map<String, Value>, at: &str, found: &mut Found) {
    let says = ["type", "anyOf", "oneOf", "$ref", "enum"].iter().any(|keyword| schema.contains_key(*keyword));
    found.expect(says, at, "no free-form value");
}

fn lists_say_items(schema: &Map<String, Value>, at: &str, found: &mut Found) {
    if is(schema, "array") {
        found.expect(schema.get("items").is_some_and(Value::is_object), at, "a list says what its items are");
    }
}

fn anthropic(tool: &Value, found: &mut Found) {
    let strict = tool.get("strict") == Some(&Value::Bool(true));
    let known: &[&str] = if strict {
        &["description", "input_schema", "name", "strict"]
    } else {
        &["description", "input_schema", "name"]
    };
    found.expect(keys(tool) == known, "entry", "the API's keys");
    found.expect(is_name(&tool["name"], 64, "_-"), "name", "1 to 64 of [a-zA-Z0-9_-]");
    let schema = &tool["input_schema"];
    found.expect(schema["type"] == "object", "input_schema", "type: object at the root");
    for keyword in ["anyOf", "oneOf", "allOf"] {
        found.expect(schema.get(keyword).is_none(), "input_schema", &format!("no {keyword} at the root"));
    }
    noise(schema, found);
    walk(schema, "", &mut |schema, at| {
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for (name, value) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            found.expect(is_name(&name.as_str().into(), 64, "_.-"), at, &format!("property name {name}"));
            let kinds = value.get("type").and_then(Value::as_array).into_iter().flatten();
            let branches = value["anyOf"].as_array().into_iter().flatten().map(|branch| &branch["type"]);
            let (nulls, others): (Vec<&Value>, Vec<&Value>) = kinds.chain(branches).partition(|kind| *kind == "null");
            let nullable = !nulls.is_empty() && !others.is_empty();
            // Where forms are merged into one object, one of them may require what the others do not have.
            let told = schema.get("description").and_then(Value::as_str).filter(|_| at.is_empty()).unwrap_or_default();
            let in_a_form = [" form", "belong together", "exactly one of"].iter().any(|words| told.contains(words));
            found.expect(
                !nullable || in_a_form || required.contains(&name.as_str().into()),
                at,
                &format!("{name} is optional by absence"),
            );
        }
    });
    if strict {
        anthropic_strict(schema, found);
    }
}

fn anthropic_strict(schema: &Value, found: &mut Found) {
    const KNOWN: [&str; 13] = [
        "additionalProperties",
        "anyOf",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "minItems",
        "pattern",
        "properties",
        "required",
        "type",
        "const",
    ];
    const FORMATS: [&str; 10] =
        ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];
    let (mut optional, mut unions) = (0, 0);
    walk(schema, "", &mut |schema, at| {
        only(schema, &KNOWN, at, found); // no $ref: what is not there is not recursive
        closed(schema, at, found);
        known_format(schema, &FORMATS, at, found);
        said(schema, at, found);
        lists_say_items(schema, at, found);
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or_default();
        found.expect(least <= 1, at, "minItems is 0 or 1");
        let scalars =
            schema.get("enum").and_then(Value::as_array).into_iter().flatten().all(|v| !v.is_object() && !v.is_array());
        found.expect(scalars, at, "an enum holds scalars");
        let required = schema.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        optional += schema.get("properties").and_then(Value::as_object).map_or(0, Map::len).saturating_sub(required);
        unions += usize::from(schema.contains_key("anyOf") || schema.get("type").is_some_and(Value::is_array));
    });
    found.expect(optional <= 24, "input_schema", "at most 24 optional parameters");
    found.expect(unions <= 16, "input_schema", "at most 16 parameters of several types");
}

fn gemini(declaration: &Value, json_schema: bool, found: &mut Found) {
    let keyword = if json_schema { "parametersJsonSchema" } else { "parameters" };
    let (full, bare) = (["description", "name", keyword], ["description", "name"]);
    found.expect(keys(declaration) == full || keys(declaration) == bare, "declaration", "the API's keys");
    let name = &declaration["name"];
    let first = name.as_str().unwrap_or_default().chars().next().unwrap_or('0');
    found.expect(
        is_name(name, 64, "_.:-") && (first.is_ascii_alphabetic() || first == '_'),
        "name",
        "[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
    );
    let Some(parameters) = declaration.get(keyword) else { return };
    found.expect(parameters["type"] == "object", keyword, "type: object at the root");
    noise(parameters, found);
    walk(parameters, "", &mut |schema, at| gemini_schema(schema, json_schema, at, found));
}

fn gemini_schema(schema: &Map<String, Value>, json_schema: bool, at: &str, found: &mut Found) {
    const KNOWN: [&str; 22] = [
        "anyOf",
        "default",
        "description",
        "enum",
        "example",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "nullable",
        "pattern",
        "properties",
        "propertyOrdering",
        "required",
        "title",
        "type",
    ];
    let more: &[&str] =
        if json_schema { &["$defs", "$ref", "additionalProperties", "oneOf", "prefixItems"] } else { &[] };
    only(schema, &[&KNOWN, more].concat(), at, found);
    let texts = schema.get("enum").and_then(Value::as_array).is_none_or(|values| {
        !values.is_empty()
            && values
                .iter()
                .all(|value| json_schema && value.is_string() || value.as_str().is_some_and(|text| !text.is_empty()))
    });
    found.expect(texts, at, "an enum holds texts");
    reference_alone(schema, at, found);
    let named = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        found.expect(
            named.is_some_and(|named| named.contains_key(name)),
            at,
            &format!("required property {name} is described"),
        );
    }
    if json_schema {
        return;
    }
    found.expect(named.is_none_or(|named| !named.is_empty()), at, "properties are not empty");
    if schema.contains_key("anyOf") {
        found.expect(schema.len() == 1, at, "anyOf is the only field");
    } else {
        found.expect(schema.get("type").is_some_and(Value::is_string), at, "one type");
    }
    lists_say_items(schema, at, found);
    let format = schema.get("format").and_then(Value::as_str);
    found.expect(
        format.is_none_or(|format| format == "date-time" && is(schema, "string")),
        at,
        "a format that the API has",
    );
}
