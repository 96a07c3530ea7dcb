//! Whether the decoder of one form refuses what is meant for another one, as far as a schema tells.

use serde_json::Value;
use std::collections::BTreeSet;

use super::{DEEPEST, Form, Forms, alternatives, element, prefix};

impl<'s> Forms<'s> {
    /// Whether the decoder of one form takes what is meant for another one.
    pub(super) fn takes(&self, form: &Form<'s>, other: &Form<'s>, depth: usize) -> bool {
        let has_required = form.required.iter().all(|name| other.may_have(name));
        let is_refused = other.required.iter().any(|name| form.refuses(name));
        let tells_apart = |(name, property): (&String, &'s Value)| {
            let is_there = form.required.contains(name.as_str()) || other.required.contains(name.as_str());
            let others = other.property(name).or_else(|| other.additional());
            is_there && others.is_some_and(|others| self.are_apart(property, others, depth))
        };
        has_required && !is_refused && !form.properties().any(tells_apart)
    }

    /// Whether no value is both, as far as types, constants, lengths and what an object requires tell.
    pub(super) fn are_apart(&self, one: &'s Value, other: &'s Value, depth: usize) -> bool {
        let (Some(one), Some(other)) = (self.resolved(one), self.resolved(other)) else { return false };
        if depth == DEEPEST {
            return false;
        }
        let pair = (std::ptr::from_ref(one), std::ptr::from_ref(other));
        if let Some(known) = self.apart.borrow().get(&pair) {
            return *known;
        }
        self.apart.borrow_mut().insert(pair, false);
        let apart = self.find_apart(one, other, depth);
        self.apart.borrow_mut().insert(pair, apart);
        apart
    }

    fn find_apart(&self, one: &'s Value, other: &'s Value, depth: usize) -> bool {
        if let (Some(ours), Some(theirs)) = (constants(one), constants(other)) {
            return !ours.iter().any(|value| theirs.contains(value));
        }
        if let (Some(ours), Some(theirs)) = (self.kinds(one, depth), self.kinds(other, depth)) {
            if ours.is_disjoint(&theirs) {
                return true;
            }
            if ours.contains("null") && theirs.contains("null") {
                return false;
            }
        }
        if let Some(forms) = alternatives(one) {
            return forms.iter().all(|form| self.are_apart(form, other, depth + 1));
        }
        if let Some(forms) = alternatives(other) {
            return forms.iter().all(|form| self.are_apart(one, form, depth + 1));
        }
        if let (Some(form), Some(others)) = (self.form(one), self.form(other)) {
            return !self.takes(&form, &others, depth + 1);
        }
        let formats = (one.get("format"), other.get("format"));
        matches!(formats, (Some(ours), Some(theirs)) if ours != theirs) || self.are_apart_as_arrays(one, other, depth)
    }

    fn are_apart_as_arrays(&self, one: &'s Value, other: &'s Value, depth: usize) -> bool {
        let count = |schema: &Value, keyword| schema.get(keyword).and_then(Value::as_u64);
        // That of a tuple or an array of Rust, which a decoder knows.
        if let Some(length) = count(one, "minItems").filter(|least| count(one, "maxItems") == Some(*least))
            && (count(other, "minItems").is_some_and(|least| least > length)
                || count(other, "maxItems").is_some_and(|most| most < length))
        {
            return true;
        }
        let is_apart = |ours: Option<&'s Value>, theirs: Option<&'s Value>| {
            ours.zip(theirs).is_some_and(|(ours, theirs)| self.are_apart(ours, theirs, depth + 1))
        };
        let positions = prefix(one).len().max(prefix(other).len());
        is_apart(one.get("items"), other.get("items"))
            || (0..positions).any(|at| is_apart(element(one, at), element(other, at)))
    }

    /// The kinds of values that a schema allows; nothing where it may be any.
    pub(super) fn kinds(&self, schema: &'s Value, depth: usize) -> Option<BTreeSet<&'s str>> {
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
