//! Untagged forms of one value, of which an earlier one would take what is meant for a later one.
//!
//! A decoder takes the first form that fits. Most drop the properties that they do not know, and none knows of a bound that
//! only the schema has. The canonical schema closes each form and has every bound, so that a value may be valid as the later
//! form alone, and the earlier one is what the tool would get.

mod apart;
mod beyond;
mod flattened;

use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::plan::{Trail, UnenforceableSchema};
use crate::subschemas::each_below;

/// How deep a schema is looked into, and how far references are followed.
const DEEPEST: usize = 100;

/// The first form of a generated schema, not yet closed, that hides a part of a later one, or that is flattened into what
/// keeps it from being read; and what to do.
pub(crate) fn unkept_form(schema: &Value) -> Option<UnenforceableSchema> {
    let forms = Forms { root: schema, compared: RefCell::default(), apart: RefCell::default() };
    forms.within(schema, Trail::At(""), 0)
}

/// Two schemas by where they lie in memory.
type Pair = (*const Value, *const Value);

struct Forms<'s> {
    root: &'s Value,
    /// What was looked into for losses: nothing was found there, or it is being looked into further up.
    compared: RefCell<HashSet<Pair>>,
    /// Whether two schemas are told apart. What is being looked into further up is not, for all that is known.
    apart: RefCell<HashMap<Pair, bool>>,
}

/// What becomes of a value of a later form that an earlier one takes.
struct Loss {
    /// Where in the value, the innermost step first.
    steps: Vec<String>,
    /// The keyword that the decoder does not hold to; `None` where a property is dropped.
    beyond: Option<&'static str>,
}

impl Loss {
    fn below(mut self, step: impl Into<String>) -> Self {
        self.steps.push(step.into());
        self
    }

    /// `inner.b`, `[].b`.
    fn path(&self) -> String {
        self.steps.iter().rev().fold(String::new(), |path, step| match step.as_str() {
            step if path.is_empty() || step.starts_with('[') => path + step,
            step => format!("{path}.{step}"),
        })
    }

    fn told(&self, before: usize, after: usize) -> String {
        let path = self.path();
        let Some(keyword) = self.beyond else {
            return format!(
                "of the forms of this untagged value, number {before} takes what is meant for number {after}, and drops its \
                 `{path}`; put `#[serde(deny_unknown_fields)]` on the enum (or on the type of that form), or write the \
                 form with more properties first",
            );
        };
        let at = if path.is_empty() { String::new() } else { format!(" of `{path}`") };
        format!(
            "of the forms of this untagged value, number {before} takes what only number {after} allows: a decoder does not \
             hold to the `{keyword}`{at} (an `f32` makes infinity of what is beyond it, a set drops what comes twice); write \
             the wider form first, or alone, or tell the forms apart by a tag",
        )
    }
}

impl<'s> Forms<'s> {
    fn within(&self, schema: &'s Value, path: Trail<'_>, depth: usize) -> Option<UnenforceableSchema> {
        let object = schema.as_object().filter(|_| depth < DEEPEST)?;
        let branches = object.get("anyOf").and_then(Value::as_array);
        if let Some(reason) =
            flattened::never_read(object).or_else(|| branches.and_then(|branches| self.hidden_among(branches)))
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
        for (after, later) in branches.iter().enumerate() {
            for (before, earlier) in branches.iter().take(after).enumerate() {
                if let Some(loss) = self.lost(earlier, later, 0) {
                    return Some(loss.told(before + 1, after + 1));
                }
            }
        }
        None
    }

    /// What is lost of a value that is meant for `other` where the decoder of `one` gets it first.
    fn lost(&self, one: &'s Value, other: &'s Value, depth: usize) -> Option<Loss> {
        let (one, other) = (self.resolved(one)?, self.resolved(other)?);
        let is_new = depth < DEEPEST && self.compared.borrow_mut().insert((one, other));
        if !is_new || is_same(one, other) || self.are_apart(one, other, 0) {
            return None;
        }
        if let Some(forms) = alternatives(other) {
            return forms.iter().find_map(|form| self.lost(one, form, depth + 1));
        }
        if let Some(forms) = alternatives(one) {
            // In their order: a form that is the same takes it before those that come after.
            let before = forms.iter().take_while(|form| !self.resolved(form).is_some_and(|form| is_same(form, other)));
            return before.into_iter().find_map(|form| self.lost(form, other, depth + 1));
        }
        if let Some(keyword) = beyond::keyword(one, other) {
            return Some(Loss { steps: Vec::new(), beyond: Some(keyword) });
        }
        self.lost_of_object(one, other, depth).or_else(|| self.lost_of_array(one, other, depth))
    }

    fn lost_of_object(&self, one: &'s Value, other: &'s Value, depth: usize) -> Option<Loss> {
        let (form, others) = (self.form(one)?, self.form(other)?);
        if !self.takes(&form, &others, depth) {
            return None;
        }
        let mut names = others.properties().map(|(name, _)| name);
        if let Some(dropped) = names.find(|name| form.drops_others() && form.property(name).is_none()) {
            return Some(Loss { steps: vec![dropped.clone()], beyond: None });
        }
        for (name, own) in form.properties() {
            let theirs = others.property(name).or_else(|| others.additional());
            if let Some(loss) = theirs.and_then(|theirs| self.lost(own, theirs, depth + 1)) {
                return Some(loss.below(name));
            }
        }
        for own in form.additional().into_iter().chain(form.patterns()) {
            let specific = others.properties().filter(|(name, _)| form.property(name).is_none());
            let any = others.additional().into_iter().chain(others.patterns()).map(|theirs| ("*", theirs));
            for (name, theirs) in specific.map(|(name, theirs)| (name.as_str(), theirs)).chain(any) {
                if let Some(loss) = self.lost(own, theirs, depth + 1) {
                    return Some(loss.below(name));
                }
            }
        }
        None
    }

    fn lost_of_array(&self, one: &'s Value, other: &'s Value, depth: usize) -> Option<Loss> {
        for at in 0..prefix(one).len().max(prefix(other).len()) {
            if let (Some(own), Some(theirs)) = (element(one, at), element(other, at))
                && let Some(loss) = self.lost(own, theirs, depth + 1)
            {
                return Some(loss.below(format!("[{at}]")));
            }
        }
        let loss = self.lost(one.get("items")?, other.get("items")?, depth + 1)?;
        Some(loss.below("[]"))
    }

    /// An object that says by itself what it holds.
    fn form(&self, schema: &'s Value) -> Option<Form<'s>> {
        let object = self.resolved(schema)?.as_object()?;
        let is_plain = !["$ref", "allOf", "anyOf", "not", "oneOf"].iter().any(|keyword| object.contains_key(*keyword));
        let required = object.get("required").and_then(Value::as_array).into_iter().flatten();
        let names_object = object.contains_key("type") && allows(schema, "object");
        (is_plain && names_object).then(|| Form { object, required: required.filter_map(Value::as_str).collect() })
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
}

struct Form<'s> {
    object: &'s Map<String, Value>,
    required: BTreeSet<&'s str>,
}

impl<'s> Form<'s> {
    fn properties(&self) -> impl Iterator<Item = (&'s String, &'s Value)> + use<'s> {
        self.object.get("properties").and_then(Value::as_object).into_iter().flatten()
    }

    fn property(&self, name: &str) -> Option<&'s Value> {
        self.object.get("properties")?.get(name)
    }

    /// What a property is that is not named, where it is kept.
    fn additional(&self) -> Option<&'s Value> {
        self.object.get("additionalProperties").filter(|schema| **schema != Value::Bool(false))
    }

    fn patterns(&self) -> impl Iterator<Item = &'s Value> + use<'s> {
        self.object.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::values)
    }

    /// Whether its decoder drops the properties that it does not know: it neither refuses nor keeps them.
    fn drops_others(&self) -> bool {
        !["additionalProperties", "patternProperties", "unevaluatedProperties"]
            .iter()
            .any(|keyword| self.object.contains_key(*keyword))
    }

    /// Whether it may have a property of this name.
    fn may_have(&self, name: &str) -> bool {
        self.property(name).is_some() || self.additional().is_some() || self.patterns().next().is_some()
    }

    /// Whether its decoder refuses a property of this name.
    fn refuses(&self, name: &str) -> bool {
        !self.drops_others() && !self.object.contains_key("unevaluatedProperties") && !self.may_have(name)
    }
}

/// The forms of a schema that says nothing beside them.
fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    const OTHERS: [&str; 4] = ["allOf", "not", "patternProperties", "properties"];
    let is_plain = !OTHERS.iter().any(|keyword| schema.get(keyword).is_some());
    let mut forms = ["anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(keyword)?.as_array());
    forms.next().filter(|_| is_plain && forms.next().is_none())
}

fn prefix(schema: &Value) -> &[Value] {
    schema.get("prefixItems").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What the element at a position is.
fn element(schema: &Value, at: usize) -> Option<&Value> {
    prefix(schema).get(at).or_else(|| schema.get("items"))
}

/// Whether the type of a schema, where it names any, allows this kind.
fn allows(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        _ => true,
    }
}

/// Whether two schemas say the same, whatever is told about them.
fn is_same(one: &Value, other: &Value) -> bool {
    const TOLD: [&str; 4] = ["default", "description", "examples", "title"];
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return one == other };
    let says = |object: &Map<String, Value>| object.keys().filter(|keyword| !TOLD.contains(&keyword.as_str())).count();
    let matches =
        |(keyword, value): (&String, &Value)| TOLD.contains(&keyword.as_str()) || other.get(keyword) == Some(value);
    says(one) == says(other) && one.iter().all(matches)
}
