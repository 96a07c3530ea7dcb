//! Untagged forms of one value, of which an earlier one would take what is meant for a later one.
//!
//! A decoder takes the first form that fits, and most drop the properties that they do not know. The canonical schema
//! closes each form, so that the larger one is valid, and the smaller one is what the tool would get.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

use super::plan::{Trail, UnenforceableSchema};
use crate::subschemas::each_below;

/// How deep a schema is looked into, and how far references are followed.
const DEEPEST: usize = 100;

/// The first form of a generated schema, not yet closed, that hides a part of a later one; and what to do.
pub(crate) fn hidden_form(schema: &Value) -> Option<UnenforceableSchema> {
    let forms = Forms { root: schema };
    forms.within(schema, Trail::At(""), 0)
}

/// Whether an `anyOf` of the schema has several objects, without which nothing can be hidden.
pub(crate) fn has_untagged_forms(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else { return false };
    let branches = object.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let mut found = branches.filter(|branch| branch.get("type").is_none_or(|kind| kind == "object")).count() > 1;
    each_below(object, &mut |_, below| found = found || has_untagged_forms(below));
    found
}

struct Forms<'s> {
    root: &'s Value,
}

impl<'s> Forms<'s> {
    fn within(&self, schema: &'s Value, path: Trail<'_>, depth: usize) -> Option<UnenforceableSchema> {
        let object = schema.as_object().filter(|_| depth < DEEPEST)?;
        if let Some(branches) = object.get("anyOf").and_then(Value::as_array)
            && let Some(reason) = self.hidden_among(branches)
        {
            return Some(UnenforceableSchema::new(path, reason));
        }
        let mut found = None;
        each_below(object, &mut |(keyword, name), below| {
            if found.is_none() {
                let at = Trail::Step(&path, keyword);
                found = self.within(below, name.map_or(at, |name| Trail::Step(&at, name)), depth + 1);
            }
        });
        found
    }

    fn hidden_among(&self, branches: &'s [Value]) -> Option<String> {
        let forms: Vec<Option<Form<'s>>> = branches.iter().map(|branch| self.form(branch)).collect();
        for (position, later) in forms.iter().enumerate() {
            let Some(later) = later else { continue };
            for (before, earlier) in forms.iter().take(position).enumerate() {
                let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.drops_others()) else { continue };
                let dropped = later.properties.keys().find(|name| !earlier.properties.contains_key(*name));
                if let Some(dropped) = dropped.filter(|_| self.takes(earlier, later, 0)) {
                    return Some(format!(
                        "of the forms of this untagged value, number {} takes what is meant for number {}, and drops its \
                         `{dropped}`; put `#[serde(deny_unknown_fields)]` on the enum (or on the type of that form), or \
                         write the form with more properties first",
                        before + 1,
                        position + 1,
                    ));
                }
            }
        }
        None
    }

    /// An object that says by itself what it holds.
    fn form(&self, schema: &'s Value) -> Option<Form<'s>> {
        let object = self.resolved(schema)?.as_object()?;
        let is_plain = object.get("type").is_some_and(|kind| kind == "object")
            && !["$ref", "allOf", "anyOf", "not", "oneOf"].iter().any(|keyword| object.contains_key(*keyword));
        let properties = object.get("properties").and_then(Value::as_object);
        let properties = properties.filter(|_| is_plain)?;
        let required = object.get("required").and_then(Value::as_array).into_iter().flatten();
        Some(Form { object, properties, required: required.filter_map(Value::as_str).collect() })
    }

    fn resolved(&self, schema: &'s Value) -> Option<&'s Value> {
        let mut schema = schema;
        for _ in 0..DEEPEST {
            match schema.get("$ref").and_then(Value::as_str) {
                Some(reference) => schema = self.root.pointer(reference.strip_prefix('#')?)?,
                None => return Some(schema),
            }
        }
        None
    }

    /// Whether the decoder of one form takes what is meant for another one.
    fn takes(&self, form: &Form<'s>, other: &Form<'s>, depth: usize) -> bool {
        let has_required = form.required.iter().all(|name| other.properties.contains_key(*name));
        let tells_apart = |(name, property): (&String, &'s Value)| {
            let is_there = form.required.contains(name.as_str()) || other.required.contains(name.as_str());
            let others = other.properties.get(name);
            is_there && others.is_some_and(|others| self.are_apart(property, others, depth))
        };
        has_required && !form.properties.iter().any(tells_apart)
    }

    /// Whether no value is both, as far as types, constants and what an object requires tell.
    fn are_apart(&self, one: &'s Value, other: &'s Value, depth: usize) -> bool {
        let (Some(one), Some(other)) = (self.resolved(one), self.resolved(other)) else { return false };
        if depth == DEEPEST {
            return false;
        }
        if let (Some(ours), Some(theirs)) = (constants(one), constants(other)) {
            return !ours.iter().any(|value| theirs.contains(value));
        }
        if let (Some(ours), Some(theirs)) = (self.kinds(one, depth), self.kinds(other, depth))
            && ours.is_disjoint(&theirs)
        {
            return true;
        }
        if let (Some(form), Some(others)) = (self.form(one), self.form(other)) {
            return !self.takes(&form, &others, depth + 1);
        }
        if let (Some(ours), Some(theirs)) = (one.get("items"), other.get("items")) {
            return self.are_apart(ours, theirs, depth + 1);
        }
        matches!((one.get("format"), other.get("format")), (Some(ours), Some(theirs)) if ours != theirs)
    }

    /// The kinds of values that a schema allows; nothing where it may be any.
    fn kinds(&self, schema: &'s Value, depth: usize) -> Option<BTreeSet<&'s str>> {
        let schema = self.resolved(schema).filter(|_| depth < DEEPEST)?;
        match schema.get("type") {
            Some(Value::String(kind)) => return Some(BTreeSet::from([number_alike(kind)])),
            Some(Value::Array(kinds)) => {
                return Some(kinds.iter().filter_map(Value::as_str).map(number_alike).collect());
            }
            _ => {}
        }
        if let Some(constants) = constants(schema) {
            return Some(constants.into_iter().map(kind_of).collect());
        }
        let branches = ["anyOf", "oneOf"].iter().find_map(|keyword| schema.get(*keyword)?.as_array())?;
        let mut kinds = BTreeSet::new();
        for branch in branches {
            kinds.extend(self.kinds(branch, depth + 1)?);
        }
        Some(kinds)
    }
}

struct Form<'s> {
    object: &'s Map<String, Value>,
    properties: &'s Map<String, Value>,
    required: BTreeSet<&'s str>,
}

impl Form<'_> {
    /// Whether its decoder drops the properties that it does not know: it neither refuses nor keeps them.
    fn drops_others(&self) -> bool {
        !["additionalProperties", "patternProperties", "unevaluatedProperties"]
            .iter()
            .any(|keyword| self.object.contains_key(*keyword))
    }
}

/// The values of an enumeration, however it is written.
fn constants(schema: &Value) -> Option<Vec<&Value>> {
    if let Some(constant) = schema.get("const") {
        return Some(vec![constant]);
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return Some(values.iter().collect());
    }
    let branches = schema.get("oneOf")?.as_array()?;
    let values: Option<Vec<Vec<&Value>>> = branches.iter().map(constants).collect();
    values.map(|values| values.into_iter().flatten().collect())
}

fn number_alike(kind: &str) -> &str {
    if kind == "integer" { "number" } else { kind }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
