//! Values as a model would write them: generated from an export's schema, and judged by a tool's own.

use serde_json::{Map, Value, json};

/// A small generator of numbers that is the same everywhere.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % u64::try_from(sides.max(1)).unwrap_or(1)).unwrap_or_default()
    }
}

/// A value that the schema allows; `None` where this simple generator finds none.
pub fn generate(schema: &Value, document: &Value, dice: &mut Dice, depth: usize) -> Option<Value> {
    let schema = schema.as_object()?;
    if depth > 24 {
        return None;
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return generate(document.pointer(reference.strip_prefix('#')?)?, document, dice, depth + 1);
    }
    if schema.get("nullable") == Some(&json!(true)) && dice.roll(4) == 0 {
        return Some(Value::Null);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.get(dice.roll(values.len())).cloned();
    }
    if let Some(value) = schema.get("const") {
        return Some(value.clone());
    }
    if let Some(branches) = ["anyOf", "oneOf"].iter().find_map(|keyword| schema.get(*keyword)?.as_array()) {
        let start = dice.roll(branches.len());
        // Deep down, whatever ends soonest: null stands last.
        let order: Vec<usize> = if depth > 6 {
            (0..branches.len()).rev().collect()
        } else {
            (0..branches.len()).map(|i| (start + i) % branches.len()).collect()
        };
        return order.into_iter().find_map(|position| generate(branches.get(position)?, document, dice, depth + 1));
    }
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => {
            let position = if depth > 6 { kinds.len() - 1 } else { dice.roll(kinds.len()) };
            kinds.get(position)?.as_str()?
        }
        _ => "string",
    };
    match kind {
        "null" => Some(Value::Null),
        "boolean" => Some(json!(dice.roll(2) == 0)),
        "integer" | "number" => number(schema, kind, dice),
        "string" => text(schema, dice),
        "array" => list(schema, document, dice, depth),
        "object" => object(schema, document, dice, depth),
        _ => None,
    }
}

fn number(schema: &Map<String, Value>, kind: &str, dice: &mut Dice) -> Option<Value> {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let least = bound("minimum").or(bound("exclusiveMinimum").map(|b| b + 1.0));
    let most = bound("maximum").or(bound("exclusiveMaximum").map(|b| b - 1.0));
    let (least, most) = match (least, most) {
        (Some(least), Some(most)) => (least, most),
        (Some(least), None) => (least, least + 50.0),
        (None, Some(most)) => (most - 50.0, most),
        (None, None) => (-20.0, 20.0),
    };
    if least > most {
        return None;
    }
    let factor = bound("multipleOf").unwrap_or(1.0);
    let span = ((most - least).min(1_000.0) / factor).floor();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // small numbers
    let step = dice.roll(span.max(0.0) as usize + 1) as f64;
    let value = ((least / factor).ceil() + step) * factor;
    if value > most {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // bounds of 64 bits aside, which are tried at their lower end
    let whole = value as i64;
    Some(if kind == "integer" { json!(whole) } else { json!(value) })
}

fn text(schema: &Map<String, Value>, dice: &mut Dice) -> Option<Value> {
    if schema.contains_key("pattern") {
        return None;
    }
    let fixed = match schema.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-02T03:04:05Z",
        Some("date") => "2026-01-02",
        Some("time") => "03:04:05Z",
        Some("duration") => "P3D",
        Some("uuid") => "123e4567-e89b-12d3-a456-426614174000",
        Some("email") => "a@example.com",
        Some("ipv4") => "192.0.2.1",
        Some("uri") => "https://example.com",
        Some(_) => return None,
        None => {
            let bound =
                |keyword: &str| schema.get(keyword).and_then(Value::as_u64).and_then(|b| usize::try_from(b).ok());
            let least = bound("minLength").unwrap_or_default();
            let most = bound("maxLength").unwrap_or(least + 5).min(least + 5);
            return (least <= most).then(|| json!("x".repeat(least + dice.roll(most - least + 1))));
        }
    };
    Some(json!(fixed))
}

fn list(schema: &Map<String, Value>, document: &Value, dice: &mut Dice, depth: usize) -> Option<Value> {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_u64).and_then(|b| usize::try_from(b).ok());
    let least = bound("minItems").unwrap_or_default();
    let most = bound("maxItems").unwrap_or(least + 2).min(least + 2);
    if least > most {
        return None;
    }
    let count = if depth > 6 { least } else { least + dice.roll(most - least + 1) };
    let first = schema.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
    let anything = json!({});
    let rest = schema.get("items").unwrap_or(&anything);
    let items = (0..count).map(|position| generate(first.get(position).unwrap_or(rest), document, dice, depth + 1));
    items.collect::<Option<Vec<_>>>().map(Value::Array)
}

fn object(schema: &Map<String, Value>, document: &Value, dice: &mut Dice, depth: usize) -> Option<Value> {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut object = Map::new();
    for (name, value) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let needed = required.contains(&name.as_str().into());
        if !needed && (depth > 6 || dice.roll(2) == 0) {
            continue;
        }
        match generate(value, document, dice, depth + 1) {
            Some(value) => drop(object.insert(name.clone(), value)),
            None if needed => return None,
            None => {}
        }
    }
    if let Some(each @ Value::Object(_)) = schema.get("additionalProperties") {
        object.extend(generate(each, document, dice, depth + 1).map(|value| ("free".to_owned(), value)));
    }
    Some(Value::Object(object))
}

/// The value as the argument boundary reads it: where the tool's schema lets a property be left out, `null` is absence.
/// Where the forms of a union disagree on that, the dice decide.
pub fn without_nulls(value: &Value, schemas: &[&Value], document: &Value, dice: &mut Dice) -> Value {
    let mut all: Vec<&Map<String, Value>> = Vec::new();
    for schema in schemas {
        collect(schema, document, &mut all, 0);
    }
    match value {
        Value::Object(object) => {
            let mut read = Map::new();
            for (name, value) in object {
                let naming =
                    all.iter().filter(|schema| schema.get("properties").is_some_and(|p| p.get(name).is_some()));
                let (requiring, others): (Vec<&Map<_, _>>, Vec<&Map<_, _>>) = naming.copied().partition(|schema| {
                    let required = schema.get("required").and_then(Value::as_array);
                    required.is_some_and(|names| names.contains(&name.as_str().into()))
                });
                let needed = !requiring.is_empty() && (others.is_empty() || dice.roll(2) == 0);
                if value.is_null() && !needed {
                    continue;
                }
                let below: Vec<&Value> = all.iter().filter_map(|schema| schema.get("properties")?.get(name)).collect();
                read.insert(name.clone(), without_nulls(value, &below, document, dice));
            }
            Value::Object(read)
        }
        Value::Array(list) => {
            let mut below: Vec<&Value> = all.iter().filter_map(|schema| schema.get("items")).collect();
            let first = all.iter().filter_map(|schema| schema.get("prefixItems")?.as_array());
            below.extend(first.flatten());
            Value::Array(list.iter().map(|value| without_nulls(value, &below, document, dice)).collect())
        }
        value => value.clone(),
    }
}

fn collect<'a>(schema: &'a Value, document: &'a Value, all: &mut Vec<&'a Map<String, Value>>, depth: usize) {
    let Some(object) = schema.as_object().filter(|_| depth < 12) else { return };
    all.push(object);
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for branch in object.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            collect(branch, document, all, depth + 1);
        }
    }
    let target =
        object.get("$ref").and_then(Value::as_str).and_then(|reference| document.pointer(reference.strip_prefix('#')?));
    if let Some(target) = target {
        collect(target, document, all, depth + 1);
    }
}
