//! What a `null` says where several forms are one object, and every property is sent.

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

use super::root::{properties, property, required};
use super::tidy::texts_of;
use super::walk::resolve;

/// How many schemas are looked into: references within references double at every step.
const MOST_READ: usize = 2_000;

/// The properties that alone tell two of the forms apart, where each of them may be null. With the other forms' properties
/// null as well, nothing tells which form is meant. (One such form is told by the others being null.)
pub(super) fn told_by_null(document: &Value, forms: &[Map<String, Value>]) -> Vec<String> {
    let mut left = MOST_READ;
    let sides: Vec<Side<'_>> = forms.iter().map(|form| Side::of(document, form, &mut left)).collect();
    for (position, one) in sides.iter().enumerate() {
        for other in sides.iter().skip(position + 1) {
            if let Some(names) = one.told_by_null_from(other) {
                return names.into_iter().map(str::to_owned).collect();
            }
        }
    }
    Vec::new()
}

/// A form beside another one.
struct Side<'a> {
    form: &'a Map<String, Value>,
    /// The properties that it requires.
    demanded: BTreeSet<&'a str>,
    /// Of these, the ones that may be null.
    nullable: BTreeSet<&'a str>,
    /// Of what it requires, the properties that have certain texts only, with these.
    texts: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Side<'a> {
    fn of(document: &Value, form: &'a Map<String, Value>, left: &mut usize) -> Self {
        let known: BTreeSet<&str> = properties(form).map(|(name, _)| name).collect();
        let demanded: BTreeSet<&str> = required(form).intersection(&known).copied().collect();
        let nullable = properties(form)
            .filter(|(name, schema)| demanded.contains(name) && may_be_null(document, schema, left))
            .map(|(name, _)| name)
            .collect();
        let texts = demanded
            .iter()
            .filter_map(|name| Some((*name, texts_of(property(form, name)?)?.into_iter().collect())))
            .collect();
        Self { form, demanded, nullable, texts }
    }

    /// What it requires and the other one does not have; nothing where that can be told by anything but a null.
    fn own(&self, other: &Self) -> Option<Vec<&'a str>> {
        let own = || self.demanded.iter().copied().filter(|name| property(other.form, name).is_none());
        own().all(|name| self.nullable.contains(name)).then(|| own().collect())
    }

    fn told_by_null_from(&self, other: &Self) -> Option<Vec<&'a str>> {
        let (mut names, theirs) = (self.own(other)?, other.own(self)?);
        names.extend(theirs);
        (!names.is_empty() && !self.is_told_by_text(other)).then_some(names)
    }

    /// Whether a property that both require has other texts in each.
    fn is_told_by_text(&self, other: &Self) -> bool {
        let differ = |(name, texts): (&&str, &BTreeSet<&str>)| {
            other.texts.get(name).is_some_and(|theirs| texts.is_disjoint(theirs))
        };
        self.texts.iter().any(differ)
    }
}

/// Whether a schema allows `null`; yes where that would be too long to look up.
fn may_be_null(document: &Value, schema: &Value, left: &mut usize) -> bool {
    let Some(object) = schema.as_object() else { return schema != false };
    if *left == 0 {
        return true;
    }
    *left -= 1;
    object.iter().all(|(keyword, value)| match (keyword.as_str(), value) {
        ("$ref", Value::String(reference)) => {
            resolve(document, reference).is_none_or(|target| may_be_null(document, target, left))
        }
        ("type", Value::Array(kinds)) => kinds.contains(&json!("null")),
        ("type", kind) => kind == "null",
        ("const", only) => only.is_null(),
        ("enum", Value::Array(values)) => values.contains(&Value::Null),
        ("anyOf" | "oneOf", Value::Array(branches)) => {
            branches.iter().any(|branch| may_be_null(document, branch, left))
        }
        ("allOf", Value::Array(parts)) => parts.iter().all(|part| may_be_null(document, part, left)),
        ("not", refused) => refused != &json!({}),
        _ => true,
    })
}
