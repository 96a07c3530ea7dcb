//! Schemas whose keywords mean something, for the target `schema`.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

const NAMES: [&str; 8] = ["a", "b", "kind", "own", "a/b", "x~y", "é", ""];
const TARGETS: [&str; 9] = [
    "#",
    "#/$defs/A",
    "#/$defs/B",
    "#/$defs/C",
    "#/properties/a",
    "#/properties/a/items",
    "#/$defs/nowhere",
    "#/%24defs/A",
    "https://example.com/other",
];
const PATTERNS: [&str; 4] = ["^[a-z]+$", "^a", "^[0-9]{1,3}$", "b$"];

/// A whole document.
pub fn document(bytes: &mut Unstructured<'_>) -> Result<Value> {
    let mut root = match bytes.int_in_range(0..=7)? {
        0 => schema(bytes, 0)?,
        1 => json!({"type": "object", "oneOf": [object(bytes, 0)?, object(bytes, 0)?]}),
        2 => json!({"type": "object", "anyOf": [object(bytes, 0)?, schema(bytes, 0)?]}),
        _ => object(bytes, 0)?,
    };
    if let Some(root) = root.as_object_mut() {
        let mut definitions = Map::new();
        for name in ["A", "B", "C"] {
            if !bytes.is_empty() {
                definitions.insert(name.to_owned(), schema(bytes, 1)?);
            }
        }
        if !definitions.is_empty() {
            root.insert("$defs".to_owned(), definitions.into());
        }
    }
    Ok(root)
}

fn schema(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    if depth > 8 || bytes.is_empty() {
        return Ok(json!({"type": "integer"}));
    }
    let mut schema = match bytes.int_in_range(0..=23)? {
        0 => return Ok(Value::Bool(bytes.arbitrary()?)),
        1 => json!({}),
        2..=4 => object(bytes, depth + 1)?,
        5 => json!({"type": "array", "items": self::schema(bytes, depth + 1)?}),
        6 => json!({"type": "array", "prefixItems": several(bytes, depth)?, "items": self::schema(bytes, depth + 1)?}),
        7 => json!({"type": "array", "prefixItems": several(bytes, depth)?, "maxItems": small(bytes)?}),
        8 => {
            json!({"type": "array", "items": self::schema(bytes, depth + 1)?, "uniqueItems": true, "minItems": small(bytes)?})
        }
        9 => json!({"anyOf": several(bytes, depth)?}),
        10 => json!({"oneOf": several(bytes, depth)?}),
        11 => json!({"allOf": several(bytes, depth)?}),
        12 => json!({"anyOf": [self::schema(bytes, depth + 1)?, {"type": "null"}]}),
        13 | 14 => json!({"$ref": bytes.choose(&TARGETS)?}),
        15 => json!({"enum": constants(bytes)?}),
        16 => json!({"const": constant(bytes)?}),
        17 => json!({"type": "string", "pattern": bytes.choose(&PATTERNS)?}),
        18 => json!({"type": "string", "minLength": small(bytes)?, "maxLength": small(bytes)?}),
        19 => json!({"type": "integer", "minimum": number(bytes)?, "maximum": number(bytes)?}),
        20 => {
            json!({"type": "number", "multipleOf": bytes.choose(&[1.0, 2.0, 0.5, 5.0])?, "exclusiveMinimum": number(bytes)?})
        }
        21 => json!({"not": self::schema(bytes, depth + 1)?}),
        22 => json!({"type": [kind(bytes)?, kind(bytes)?]}),
        _ => json!({"type": kind(bytes)?}),
    };
    if let Some(object) = schema.as_object_mut() {
        decorate(object, bytes, depth)?;
    }
    Ok(schema)
}

/// Adds keywords that happen to stand there as well.
fn decorate(object: &mut Map<String, Value>, bytes: &mut Unstructured<'_>, depth: usize) -> Result<()> {
    while !bytes.is_empty() && bytes.ratio(1, 3)? {
        let (keyword, value) = match bytes.int_in_range(0..=16)? {
            0 => ("description", json!(bytes.choose(&["What it is.", "x", ""])?)),
            1 => ("default", constant(bytes)?),
            2 => ("examples", constants(bytes)?),
            3 => ("title", json!(bytes.choose(&["A", "kind", "Something"])?)),
            4 => ("format", json!(bytes.choose(&["date-time", "uuid", "uint8", "int32", "double", "other"])?)),
            5 => ("$ref", json!(bytes.choose(&TARGETS)?)),
            6 => ("type", json!(kind(bytes)?)),
            7 => ("allOf", several(bytes, depth)?),
            8 => ("anyOf", several(bytes, depth)?),
            9 => ("oneOf", several(bytes, depth)?),
            10 => ("enum", constants(bytes)?),
            11 => ("not", schema(bytes, depth + 1)?),
            12 => ("minProperties", small(bytes)?),
            13 => ("maxProperties", small(bytes)?),
            14 => ("propertyNames", schema(bytes, depth + 1)?),
            // Not enforced: these are refused where a parser is made, and exports have to say so.
            15 => (*bytes.choose(&["if", "then", "contains", "unevaluatedProperties"])?, schema(bytes, depth + 1)?),
            _ => ("$comment", json!("none")),
        };
        object.insert(keyword.to_owned(), value);
    }
    Ok(())
}

fn object(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for _ in 0..bytes.int_in_range(0..=4)? {
        let name = *bytes.choose(&NAMES)?;
        let property = if bytes.ratio(1, 5)? { json!({"const": constant(bytes)?}) } else { schema(bytes, depth + 1)? };
        properties.insert(name.to_owned(), property);
        if bytes.ratio(1, 2)? {
            required.push(name);
        }
    }
    let mut object = json!({"type": "object", "properties": properties});
    required.sort_unstable();
    required.dedup();
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    match bytes.int_in_range(0..=5)? {
        0 | 1 => object["additionalProperties"] = json!(false),
        2 => object["additionalProperties"] = schema(bytes, depth + 1)?,
        3 => object["patternProperties"] = json!({*bytes.choose(&PATTERNS)?: schema(bytes, depth + 1)?}),
        _ => {}
    }
    Ok(object)
}

fn several(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let count = bytes.int_in_range(1..=3)?;
    (0..count).map(|_| schema(bytes, depth + 1)).collect()
}

fn constants(bytes: &mut Unstructured<'_>) -> Result<Value> {
    let count = bytes.int_in_range(1..=4)?;
    let mut constants: Vec<Value> = Vec::new();
    for _ in 0..count {
        let constant = constant(bytes)?;
        if !constants.contains(&constant) {
            constants.push(constant);
        }
    }
    Ok(constants.into())
}

fn constant(bytes: &mut Unstructured<'_>) -> Result<Value> {
    Ok(bytes
        .choose(&[
            json!("a"),
            json!("A"),
            json!("b"),
            json!("circle"),
            json!(1),
            json!(1.5),
            json!(-3),
            json!(true),
            json!(null),
            json!([1]),
            json!({"a": 1}),
            json!(""),
        ])?
        .clone())
}

fn kind(bytes: &mut Unstructured<'_>) -> Result<&'static str> {
    bytes.choose(&["object", "array", "string", "integer", "number", "boolean", "null"]).copied()
}

fn small(bytes: &mut Unstructured<'_>) -> Result<Value> {
    Ok(json!(bytes.int_in_range(0..=3_u8)?))
}

fn number(bytes: &mut Unstructured<'_>) -> Result<Value> {
    bytes.choose(&[json!(0), json!(1), json!(-5), json!(255), json!(0.5), json!(10)]).cloned()
}
