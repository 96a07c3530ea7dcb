//! The exports for Anthropic, strict and not.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

use super::dialect::{ANTHROPIC_STRICT, ANTHROPIC_STRICT_OF_FORMS};
use super::finding::{Notes, Rule};
use super::openai::{not_strict, without_forms};
use super::read::read;
use super::render::render;
use super::root::{Kept, object_root, required};
use super::tidy::tidied;
use super::walk::{DEEPEST, below, describe, description, each_below, each_below_mut, joined, property_path};
use crate::descriptor::ToolDescriptor;

/// What a strict tool takes of a request's allowance.
#[derive(Clone, Copy, Default)]
pub(super) struct Share {
    pub(super) tools: usize,
    pub(super) optional: usize,
    pub(super) unions: usize,
}

/// The allowance of one request.
pub(super) const ALLOWANCE: Share = Share { tools: 20, optional: 24, unions: 16 };

impl Share {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            tools: self.tools + other.tools,
            optional: self.optional + other.optional,
            unions: self.unions + other.unions,
        }
    }

    /// What is beyond the allowance.
    pub(super) fn excess(self) -> Option<String> {
        [
            (self.tools, ALLOWANCE.tools, "strict tools"),
            (self.optional, ALLOWANCE.optional, "optional parameters of strict tools"),
            (self.unions, ALLOWANCE.unions, "parameters of several types in strict tools"),
        ]
        .into_iter()
        .find(|(count, most, _)| count > most)
        .map(|(count, most, what)| format!("{count} {what}, of which the provider takes {most} a request"))
    }
}

/// The entry, and what it takes of the allowance: nothing where it is not strict.
pub(super) fn entry(descriptor: &ToolDescriptor, name: &str, strict: bool, notes: &mut Notes<'_>) -> (Value, Share) {
    let schema = tidied(descriptor.input_schema());
    let (schema, share) = if strict { strictly(schema, notes) } else { (loosely(schema, notes), Share::default()) };
    property_names(&schema, "$", 0, notes);
    let mut entry = Map::from_iter([
        ("name".to_owned(), json!(name)),
        ("description".to_owned(), json!(descriptor.description())),
        ("input_schema".to_owned(), schema),
    ]);
    if share.tools > 0 {
        entry.insert("strict".to_owned(), json!(true));
    }
    (Value::Object(entry), share)
}

fn strictly(schema: Value, notes: &mut Notes<'_>) -> (Value, Share) {
    let mut found = Notes::for_same(notes);
    let mut root = schema.clone();
    let dialect = match object_root(&mut root, &mut found) {
        Kept::WithoutForms => {
            not_strict(&[without_forms()], notes);
            return (loosely(schema, notes), Share::default());
        }
        // Of the one object, it is no longer known which form requires a property, and means something by its null.
        Kept::AsOneObject { .. } => {
            root = schema.clone();
            absent_not_null(&mut root, 0);
            object_root(&mut root, &mut found);
            &ANTHROPIC_STRICT_OF_FORMS
        }
        Kept::Whole => &ANTHROPIC_STRICT,
    };
    match render(&read(&root), dialect, &mut found) {
        Ok(strict) => {
            let share = share(&strict);
            if let Some(excess) = share.excess() {
                notes.add("$", Rule::NotStrict, format!("exported non-strict: it has {excess}"));
                return (loosely(schema, notes), Share::default());
            }
            notes.extend(found);
            (strict, share)
        }
        Err(obstacles) => {
            not_strict(&obstacles, notes);
            (loosely(schema, notes), Share::default())
        }
    }
}

fn share(schema: &Value) -> Share {
    fn count(schema: &Value, share: &mut Share) {
        let Some(object) = schema.as_object() else { return };
        let required = required(object);
        each_below(object, &mut |(keyword, name), below| {
            if keyword == "properties" {
                let is_required = name.is_some_and(|name| required.contains(name));
                share.optional += usize::from(!is_required);
            }
            count(below, share);
        });
        let is_union = object.contains_key("anyOf") || object.get("type").is_some_and(Value::is_array);
        share.unions += usize::from(is_union);
    }
    let mut share = Share { tools: 1, ..Share::default() };
    count(schema, &mut share);
    share
}

/// The whole schema without a union at its root, and with absence as the only way of leaving a property out.
fn loosely(mut schema: Value, notes: &mut Notes<'_>) -> Value {
    absent_not_null(&mut schema, 0); // before forms are merged, of which one may require what others do not have
    object_root(&mut schema, notes);
    schema
}

fn absent_not_null(schema: &mut Value, depth: usize) {
    let Some(object) = schema.as_object_mut() else { return };
    if depth > DEEPEST {
        return;
    }
    let required: BTreeSet<String> = required(object).into_iter().map(str::to_owned).collect();
    each_below_mut(object, &mut |(keyword, name), below| {
        if keyword == "properties" && name.is_some_and(|name| !required.contains(name)) {
            without_null(below, depth);
        }
        absent_not_null(below, depth + 1);
    });
}

/// Takes `null` out of a schema that allows something else as well.
fn without_null(schema: &mut Value, depth: usize) {
    let Some(object) = schema.as_object_mut().filter(|_| depth <= DEEPEST) else { return };
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    for keyword in ["type", "enum"] {
        if let Some(Value::Array(values)) = object.get_mut(keyword) {
            let is_null = |value: &Value| value.is_null() || keyword == "type" && value == "null";
            if values.iter().any(|value| !is_null(value)) {
                values.retain(|value| !is_null(value));
            }
            if let [only] = values.as_slice()
                && keyword == "type"
            {
                let only = only.clone();
                object.insert(keyword.to_owned(), only);
            }
        }
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = object.get_mut(keyword) else { continue };
        let is_null = |branch: &Value| branch.get("type") == Some(&json!("null"));
        if branches.iter().any(|branch| !is_null(branch)) {
            branches.retain(|branch| !is_null(branch));
            for branch in branches.iter_mut() {
                without_null(branch, depth + 1);
            }
        }
        // A branch left alone is the schema, unless something beside it would be lost.
        if let [Value::Object(only)] = branches.as_mut_slice() {
            let only = std::mem::take(only);
            object.remove(keyword);
            let clashes = only.keys().any(|key| key != "description" && object.contains_key(key));
            if clashes {
                object.insert(keyword.to_owned(), json!([only]));
            } else {
                let told = joined(description(object), description(&only));
                object.extend(only);
                describe(object, &told);
            }
        }
    }
}

/// The API refuses a request with a property of another name.
fn property_names(schema: &Value, path: &str, depth: usize, notes: &mut Notes<'_>) {
    let Some(object) = schema.as_object() else { return };
    if depth > DEEPEST {
        return;
    }
    each_below(object, &mut |place, value| {
        if let ("properties", Some(name)) = place {
            let taken = (1..=64).contains(&name.len())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
            if !taken {
                let message =
                    "the provider takes property names of 1 to 64 letters, digits, `_`, `.` and `-`; rename it";
                notes.add(&property_path(path, name), Rule::PropertyName, message);
            }
        }
        property_names(value, &below(path, place), depth + 1, notes);
    });
}
