//! Two schemas that hold at once, as one schema; and the forms that an object may have, each as one schema.

use serde_json::{Map, Value, json};
use std::collections::HashSet;

use super::walk::{DEEPEST, describe, description, is_object, joined, resolve, weight};

/// How many forms of an object are told apart.
const MOST_FORMS: usize = 64;
/// How much is copied for one schema, in JSON values of up to 32 bytes, before it counts as too large.
const MOST_COPIED: usize = 50_000;

/// Reads a document's schemas with its references and `allOf`s resolved, within a limit.
pub(super) struct Merger<'a> {
    document: &'a Value,
    copied: usize,
}

/// Why two schemas cannot be written as one: the keyword that would have to be kept apart.
pub(super) type Conflict = String;

impl<'a> Merger<'a> {
    pub(super) fn new(document: &'a Value) -> Self {
        Self { document, copied: 0 }
    }

    /// The schema without `allOf`, and without `$ref` where there is anything beside it.
    pub(super) fn flat(&mut self, schema: &Map<String, Value>, depth: usize) -> Result<Map<String, Value>, Conflict> {
        self.charge(schema, depth)?;
        let mut flat = schema.clone();
        let parts = match flat.remove("allOf") {
            Some(Value::Array(parts)) => parts,
            _ => Vec::new(),
        };
        // A reference beside something else is one more part that holds.
        let reference = match flat.get("$ref") {
            Some(Value::String(reference)) if parts.is_empty() && flat.len() == 1 => {
                let target = self.target(reference)?;
                return self.flat(target, depth + 1);
            }
            Some(Value::String(_)) => flat.remove("$ref"),
            _ => None,
        };
        for part in reference.into_iter().map(|reference| json!({"$ref": reference})).chain(parts) {
            match part {
                Value::Object(part) => {
                    let part = self.flat(&part, depth + 1)?;
                    merge(&mut flat, &part, depth)?;
                }
                Value::Bool(false) => return Err("allOf".to_owned()),
                _ => {}
            }
        }
        Ok(flat)
    }

    fn target(&self, reference: &str) -> Result<&'a Map<String, Value>, Conflict> {
        resolve(self.document, reference).and_then(Value::as_object).ok_or_else(|| "$ref".to_owned())
    }

    fn charge(&mut self, schema: &Map<String, Value>, depth: usize) -> Result<(), Conflict> {
        for (name, value) in schema {
            if self.copied > MOST_COPIED {
                break;
            }
            self.copied += name.len() / 32 + weight(value, MOST_COPIED);
        }
        self.copied += 1;
        if self.copied > MOST_COPIED || depth > DEEPEST { Err("$ref".to_owned()) } else { Ok(()) }
    }

    /// The forms of an object, each without `allOf`, `oneOf`, `anyOf` and `$ref` at its root. A schema that allows
    /// anything but objects has none.
    pub(super) fn forms(&mut self, schema: &Map<String, Value>, depth: usize) -> Option<Vec<Map<String, Value>>> {
        let mut base = self.flat(schema, depth).ok()?;
        let branches: Vec<_> = ["oneOf", "anyOf"].iter().filter_map(|keyword| base.remove(*keyword)).collect();
        let branches = match branches.as_slice() {
            [] => return is_object(&base).then(|| vec![closed(base)]),
            [Value::Array(branches)] => branches,
            _ => return None,
        };
        if base.get("type").is_some_and(|kind| kind != "object") {
            return None;
        }
        let told = description(&base).to_owned();
        base.remove("description");
        let mut forms = Vec::new();
        for branch in branches {
            for form in self.forms(branch.as_object()?, depth + 1)? {
                self.charge(&base, depth).ok()?;
                let mut merged = base.clone();
                merge(&mut merged, &form, depth).ok()?;
                if forms.len() == MOST_FORMS {
                    return None;
                }
                forms.push(closed(merged));
            }
        }
        if let [form] = forms.as_mut_slice() {
            let told = joined(&told, description(form));
            describe(form, &told);
        }
        Some(forms)
    }
}

/// Now that all that holds of the object stands in one place, what is not evaluated is what is additional.
fn closed(mut form: Map<String, Value>) -> Map<String, Value> {
    if form.get("unevaluatedProperties") == Some(&Value::Bool(false)) {
        form.remove("unevaluatedProperties");
        form.entry("additionalProperties").or_insert(Value::Bool(false));
    }
    form
}

/// Adds to a schema what another one demands besides.
fn merge(into: &mut Map<String, Value>, other: &Map<String, Value>, depth: usize) -> Result<(), Conflict> {
    if depth > DEEPEST {
        return Err("allOf".to_owned());
    }
    additional_agree(into, other)?;
    additional_agree(other, into)?;
    for (keyword, theirs) in other {
        let Some(ours) = into.get_mut(keyword) else {
            into.insert(keyword.clone(), theirs.clone());
            continue;
        };
        if ours == theirs {
            continue;
        }
        let merged = match (keyword.as_str(), &mut *ours, theirs) {
            ("description", Value::String(ours), Value::String(theirs)) => Some(joined(ours, theirs).into()),
            ("title" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly", ours, _) => Some(ours.take()),
            ("type", ours, theirs) => both_types(ours, theirs),
            ("enum", Value::Array(ours), Value::Array(theirs)) => {
                let theirs: HashSet<&Value> = theirs.iter().collect();
                ours.retain(|value| theirs.contains(value));
                (!ours.is_empty()).then(|| Value::Array(std::mem::take(ours)))
            }
            ("required", Value::Array(ours), Value::Array(theirs)) => {
                let known: HashSet<&Value> = ours.iter().collect();
                let new: Vec<Value> = theirs.iter().filter(|name| !known.contains(name)).cloned().collect();
                ours.extend(new);
                Some(Value::Array(std::mem::take(ours)))
            }
            ("properties" | "$defs" | "definitions", Value::Object(ours), Value::Object(theirs)) => {
                merge_named(ours, theirs, depth)?;
                Some(Value::Object(std::mem::take(ours)))
            }
            ("items", Value::Object(ours), Value::Object(theirs)) => {
                merge(ours, theirs, depth + 1)?;
                Some(Value::Object(std::mem::take(ours)))
            }
            ("additionalProperties" | "unevaluatedProperties", ours, theirs) if is_false(ours) || is_false(theirs) => {
                Some(json!(false))
            }
            ("uniqueItems", Value::Bool(_), Value::Bool(_)) => Some(json!(true)),
            (keyword, Value::Number(a), Value::Number(b)) => {
                let above = a.as_f64() > b.as_f64();
                match keyword {
                    "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
                        Some(if above { a } else { b }.clone().into())
                    }
                    "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
                        Some(if above { b } else { a }.clone().into())
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        *ours = merged.ok_or_else(|| keyword.clone())?;
    }
    Ok(())
}

fn is_false(value: &Value) -> bool {
    value == &Value::Bool(false)
}

fn merge_named(ours: &mut Map<String, Value>, theirs: &Map<String, Value>, depth: usize) -> Result<(), Conflict> {
    for (name, theirs) in theirs {
        match (ours.get_mut(name), theirs) {
            (None, _) => {
                ours.insert(name.clone(), theirs.clone());
            }
            (Some(Value::Object(ours)), Value::Object(theirs)) => {
                // Two references, or a reference and something else, hold both and are no one schema here.
                if ours != theirs && (ours.contains_key("$ref") || theirs.contains_key("$ref")) {
                    return Err("$ref".to_owned());
                }
                merge(ours, theirs, depth + 1)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// What one side says of additional properties goes for those that only the other side names.
fn additional_agree(one: &Map<String, Value>, other: &Map<String, Value>) -> Result<(), Conflict> {
    let named = |schema: &'_ Map<String, Value>, name: &str| {
        schema.get("properties").and_then(Value::as_object).is_some_and(|properties| properties.contains_key(name))
    };
    let mut foreign = other.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    match one.get("additionalProperties") {
        None | Some(Value::Bool(true)) => Ok(()),
        Some(Value::Object(any)) if any.is_empty() => Ok(()),
        Some(_) if foreign.all(|name| named(one, name)) => Ok(()),
        Some(_) => Err("additionalProperties".to_owned()),
    }
}

/// The types that both allow.
fn both_types(ours: &Value, theirs: &Value) -> Option<Value> {
    fn list(kind: &Value) -> Vec<&str> {
        match kind {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            kind => kind.as_str().into_iter().collect(),
        }
    }
    let (ours, theirs) = (list(ours), list(theirs));
    let within = |kind: &str, kinds: &[&str]| kinds.contains(&kind) || kind == "integer" && kinds.contains(&"number");
    let mut both: Vec<&str> = ours.iter().copied().filter(|kind| within(kind, &theirs)).collect();
    both.extend(theirs.iter().filter(|kind| within(kind, &ours) && !ours.contains(kind)));
    match both.as_slice() {
        [] => None,
        [only] => Some(json!(only)),
        several => Some(json!(several)),
    }
}
