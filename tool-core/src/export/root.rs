//! One object at the root, for providers that refuse a union there: a tagged enum offered as one object.

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Notes, Rule};
use super::merge::Merger;
use super::null::told_by_null;
use super::tidy::{texts_of, variant_line};
use super::walk::{DEEPEST, describe, description, each_below_mut, joined, resolve};

/// Whether a root says all that it has said before.
#[derive(PartialEq, Eq)]
pub(super) enum Kept {
    Whole,
    /// Its forms are one object, each property there for some of them.
    AsOneObject {
        /// The properties by whose nulls alone two of the forms are told apart, if they are.
        by_null: Vec<String>,
    },
    /// Its forms were too many, or too much within one another, to be told one by one.
    WithoutForms,
}

/// Makes the root a plain object: `type: object` without `oneOf`, `anyOf`, `allOf`, `$ref`.
pub(super) fn object_root(schema: &mut Value, notes: &mut Notes<'_>) -> Kept {
    let Some(root) = schema.as_object() else {
        *schema = refused(notes);
        return Kept::Whole;
    };
    if root.get("type") == Some(&json!("object"))
        && !["$ref", "allOf", "anyOf", "oneOf"].iter().any(|k| root.contains_key(*k))
    {
        name_properties(schema);
        return Kept::Whole;
    }
    let mut rest = root.clone();
    without_null(&mut rest);
    let mut definitions: Vec<_> =
        ["$defs", "definitions"].into_iter().filter_map(|keyword| Some((keyword, rest.remove(keyword)?))).collect();
    let told = description(&rest).to_owned();
    let forms = Merger::new(schema).forms(&rest, 0);
    let mut kept = Kept::Whole;
    let mut object = match forms.as_deref() {
        Some([]) | None => {
            if rest.get("type") == Some(&json!("object")) {
                kept = Kept::WithoutForms;
            }
            let Value::Object(mut object) = refused_unless_object(schema, &rest, notes) else { return kept };
            let told = joined(&told, description(&object));
            describe(&mut object, &told);
            object
        }
        Some([form]) => form.clone(),
        Some(forms) => {
            kept = Kept::AsOneObject { by_null: told_by_null(schema, forms) };
            let (mut object, how) = unified(forms, &told);
            keep_forms_below(schema, &mut object, &mut definitions);
            notes.add(
                "$",
                Rule::RootUnionMerged,
                format!(
                    "the provider takes no union at the root, so that the {} forms are offered as one object, {how}; \
                     where that misleads a model, make each form a tool of its own",
                    forms.len()
                ),
            );
            object
        }
    };
    object.insert("type".to_owned(), json!("object"));
    object.extend(definitions.into_iter().map(|(keyword, definitions)| (keyword.to_owned(), definitions)));
    *schema = Value::Object(object);
    name_properties(schema);
    kept
}

/// A recursive type means its forms where it refers to itself: these become a definition, and only the root one object.
fn keep_forms_below(schema: &Value, object: &mut Map<String, Value>, definitions: &mut Vec<(&'static str, Value)>) {
    let mut name = "Arguments".to_owned();
    while schema.get("$defs").is_some_and(|known| known.get(&name).is_some()) {
        name.push('_');
    }
    let mut count = 0;
    let mut whole = schema.clone();
    let mut turn = |schema: &mut Map<String, Value>| refer_below(schema, &name, 0, &mut count);
    turn(object);
    for (_, definitions) in definitions.iter_mut() {
        definitions
            .as_object_mut()
            .into_iter()
            .flatten()
            .filter_map(|(_, value)| value.as_object_mut())
            .for_each(&mut turn);
    }
    if let Some(whole) = whole.as_object_mut() {
        whole.remove("$defs");
        whole.remove("definitions");
        turn(whole);
    }
    if count == 0 {
        return;
    }
    match definitions.iter_mut().find(|(keyword, _)| *keyword == "$defs") {
        Some((_, Value::Object(known))) => drop(known.insert(name, whole)),
        _ => definitions.push(("$defs", Value::Object(Map::from_iter([(name, whole)])))),
    }
}

/// Lets each reference to the root, or into it, be one to the definition of this name.
fn refer_below(schema: &mut Map<String, Value>, name: &str, depth: usize, count: &mut usize) {
    if depth > DEEPEST {
        return;
    }
    if let Some(Value::String(reference)) = schema.get_mut("$ref")
        && let Some(within) = reference.strip_prefix('#')
        && !["/$defs/", "/definitions/"].iter().any(|known| within.starts_with(known))
    {
        *reference = format!("#/$defs/{name}{within}");
        *count += 1;
    }
    each_below_mut(schema, &mut |_, below| {
        if let Some(below) = below.as_object_mut() {
            refer_below(below, name, depth + 1, count);
        }
    });
}

/// Some readers want the properties named, also where there are none.
fn name_properties(schema: &mut Value) {
    if let Some(root) = schema.as_object_mut() {
        root.entry("properties").or_insert_with(|| json!({}));
    }
}

/// The root of an `Option`: a call always has arguments.
fn without_null(root: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = root.get("type")
        && kinds.iter().any(|kind| kind == "object")
    {
        root.insert("type".to_owned(), json!("object"));
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(Value::Array(branches)) = root.get_mut(keyword) {
            branches.retain(|branch| branch.get("type") != Some(&json!("null")));
        }
    }
}

fn refused(notes: &mut Notes<'_>) -> Value {
    notes.add("$", Rule::RootNotObject, "the arguments are not an object; put them into the fields of a struct");
    json!({"type": "object", "properties": {}})
}

/// An object whose forms cannot be told one by one takes the properties of all of them, and is left open; anything else is
/// refused.
fn refused_unless_object(document: &Value, root: &Map<String, Value>, notes: &mut Notes<'_>) -> Value {
    if root.get("type") != Some(&json!("object")) {
        return refused(notes);
    }
    let mut object = root.clone();
    object.remove("description");
    let parts: Vec<(&str, Value)> =
        FORMS.into_iter().filter_map(|keyword| Some((keyword, object.remove(keyword)?))).collect();
    let dropped: Vec<&str> = parts.iter().map(|(keyword, _)| *keyword).collect();
    let mut message = format!("the provider takes no {} at the root", dropped.join(", "));
    let offered = offer_named(document, &parts, &mut object);
    if !offered.is_empty() {
        let names = ticked(offered.iter().map(String::as_str));
        message = format!("{message}; which of {names} belong together is left out");
        describe(&mut object, &format!("Which of {names} belong together depends on their values."));
    }
    notes.add("$", Rule::KeywordDropped, message);
    Value::Object(object)
}

/// Adds to an open object the properties that its parts name. Answers which are new.
fn offer_named(document: &Value, parts: &[(&str, Value)], object: &mut Map<String, Value>) -> Vec<String> {
    if object.get("additionalProperties") == Some(&json!(false)) {
        return Vec::new();
    }
    object.entry("additionalProperties").or_insert(json!(true));
    let mut named = BTreeMap::new();
    let mut left = MOST_PARTS;
    for (keyword, part) in parts {
        properties_within(document, keyword, part, &mut left, &mut named);
    }
    let Some(own) = object.entry("properties").or_insert_with(|| json!({})).as_object_mut() else { return Vec::new() };
    named.retain(|name, _| !own.contains_key(*name));
    for (name, variants) in &named {
        let variants: Option<Vec<_>> = variants.iter().map(|schema| Some(("", schema.as_object()?))).collect();
        let schema = variants.map(|variants| one_property(&variants, false)).unwrap_or_default();
        own.insert((*name).to_owned(), Value::Object(schema));
    }
    named.into_keys().map(str::to_owned).collect()
}

/// Keywords by which the forms of an object are said.
const FORMS: [&str; 4] = ["$ref", "allOf", "anyOf", "oneOf"];
/// How many schemas of forms are looked into for properties.
const MOST_PARTS: usize = 1_000;

/// Collects the properties that the parts of an object name, however they are put together.
fn properties_within<'a>(
    document: &'a Value,
    keyword: &str,
    part: &'a Value,
    left: &mut usize,
    named: &mut BTreeMap<&'a str, Vec<&'a Value>>,
) {
    let targets: Vec<&Value> = match part {
        Value::Array(parts) => parts.iter().collect(),
        Value::String(reference) if keyword == "$ref" => resolve(document, reference).into_iter().collect(),
        _ => Vec::new(),
    };
    for schema in targets.into_iter().filter_map(Value::as_object) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        for (name, property) in properties(schema) {
            named.entry(name).or_default().push(property);
        }
        for keyword in FORMS {
            if let Some(part) = schema.get(keyword) {
                properties_within(document, keyword, part, left, named);
            }
        }
    }
}

/// How the forms of an object are told apart.
enum Telling<'a> {
    /// By the text of one property that all of them require.
    Tag(&'a str),
    /// By the one property that each requires and no other has.
    Key,
    /// Not by anything simple.
    Shape,
}

type Form = Map<String, Value>;

pub(super) fn properties(form: &Form) -> impl Iterator<Item = (&str, &Value)> {
    form.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

pub(super) fn property<'a>(form: &'a Form, name: &str) -> Option<&'a Map<String, Value>> {
    form.get("properties")?.get(name)?.as_object()
}

pub(super) fn required(form: &Form) -> BTreeSet<&str> {
    form.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn telling(forms: &[Form]) -> Telling<'_> {
    let demanded: Vec<BTreeSet<&str>> = forms.iter().map(required).collect();
    let is_tag = |name: &&str| {
        let mut seen = BTreeSet::new();
        forms.iter().zip(&demanded).all(|(form, demanded)| {
            demanded.contains(name)
                && property(form, name)
                    .and_then(texts_of)
                    .is_some_and(|texts| texts.into_iter().all(|text| seen.insert(text)))
        })
    };
    let Some(first) = forms.first() else { return Telling::Shape };
    if let Some((tag, _)) = properties(first).find(|(name, _)| is_tag(name)) {
        return Telling::Tag(tag);
    }
    let keys: Vec<&str> = forms.iter().filter_map(|form| key_of(form)).collect();
    let distinct: BTreeSet<&str> = keys.iter().copied().collect();
    if distinct.len() == forms.len() { Telling::Key } else { Telling::Shape }
}

/// The only property of a form, if it is required.
fn key_of(form: &Form) -> Option<&str> {
    let mut names = properties(form).map(|(name, _)| name);
    let name = names.next()?;
    (names.next().is_none() && required(form).contains(name)).then_some(name)
}

/// Whether a form takes properties that it does not name: it says so, or names none and is not closed.
fn is_open(form: &Form) -> bool {
    if form.contains_key("patternProperties") {
        return true;
    }
    match form.get("additionalProperties").or_else(|| form.get("unevaluatedProperties")) {
        Some(further) => further != &json!(false),
        None => properties(form).next().is_none(),
    }
}

/// One object for all forms, and how they are told apart in it.
fn unified(forms: &[Form], told: &str) -> (Form, String) {
    let telling = telling(forms);
    let label = |position: usize, form: &Form| -> String {
        match telling {
            Telling::Tag(tag) => {
                property(form, tag).and_then(texts_of).map(|texts| ticked(texts.into_iter())).unwrap_or_default()
            }
            Telling::Key => ticked(key_of(form).into_iter()),
            Telling::Shape => format!("{}", position + 1),
        }
    };
    let labels: Vec<String> = forms.iter().enumerate().map(|(position, form)| label(position, form)).collect();
    let where_is = |label: &str| match telling {
        Telling::Tag(tag) => format!("where `{tag}` is {label}"),
        _ => format!("in form {label}"),
    };

    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, form) in forms.iter().enumerate() {
        properties(form).for_each(|(name, _)| found.entry(name).or_default().push(position));
    }
    let demanded_of: Vec<BTreeSet<&str>> = forms.iter().map(required).collect();
    let mut merged = Map::new();
    for (name, positions) in &found {
        let variants: Vec<(&str, &Map<String, Value>)> = positions
            .iter()
            .filter_map(|position| Some((labels.get(*position)?.as_str(), property(forms.get(*position)?, name)?)))
            .collect();
        let mut schema = one_property(&variants, matches!(telling, Telling::Tag(tag) if tag == *name));
        if !matches!(telling, Telling::Key) {
            let demanding = |position: &&usize| demanded_of.get(**position).is_some_and(|names| names.contains(name));
            let demanded: Vec<&usize> = positions.iter().filter(demanding).collect();
            let of = |positions: &[&usize]| {
                let labels: Vec<&str> = positions.iter().filter_map(|p| labels.get(**p).map(String::as_str)).collect();
                where_is(&labels.join(", "))
            };
            let mut text = description(&schema).to_owned();
            let mut say =
                |sentence: String| text = format!("{text}{}{sentence}", if text.is_empty() { "" } else { " " });
            let everywhere = positions.len() == forms.len();
            let there = of(&positions.iter().collect::<Vec<_>>());
            match (everywhere, demanded.len()) {
                (true, count) if count == 0 || count == forms.len() => {}
                (true, _) => say(format!("Required {}.", of(&demanded))),
                (false, 0) => say(format!("Only {there}.")),
                (false, count) if count == positions.len() => say(format!("Only {there}, and required there.")),
                (false, _) => say(format!("Only {there}; required {}.", of(&demanded))),
            }
            describe(&mut schema, &text);
        }
        merged.insert((*name).to_owned(), Value::Object(schema));
    }

    let mut always =
        found.keys().copied().filter(|name| demanded_of.iter().all(|names| names.contains(name))).peekable();
    let mut object = Map::from_iter([("properties".to_owned(), Value::Object(merged))]);
    if always.peek().is_some() {
        object.insert("required".to_owned(), always.collect());
    }
    // What is left unsaid a strict export closes.
    if forms.iter().any(is_open) {
        object.insert("additionalProperties".to_owned(), json!(true));
    } else if forms.iter().all(|form| form.get("additionalProperties") == Some(&json!(false))) {
        object.insert("additionalProperties".to_owned(), json!(false));
    }
    let (heading, how) = match telling {
        Telling::Tag(tag) => (format!("`{tag}` says which form the arguments have:"), format!("told apart by `{tag}`")),
        Telling::Key => ("Give exactly one of these:".to_owned(), "of which a call gives one property".to_owned()),
        Telling::Shape => ("One of these forms:".to_owned(), "the forms listed in its description".to_owned()),
    };
    let lines: Vec<String> = forms.iter().zip(&labels).map(|(form, label)| form_line(form, label, &telling)).collect();
    let list = format!("{heading}\n{}", lines.join("\n"));
    describe(&mut object, &joined(told, &list));
    (object, how)
}

pub(super) fn ticked<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// What the list of forms says of one: its documentation, and what it takes.
fn form_line(form: &Form, label: &str, telling: &Telling<'_>) -> String {
    let mut line = format!("- {label}:");
    let doc = description(form).split_whitespace().collect::<Vec<_>>().join(" ");
    if !doc.is_empty() {
        line = format!("{line} {doc}{}", if doc.ends_with(['.', '!', '?']) { "" } else { "." });
    }
    let further = if is_open(form) { " Takes further properties." } else { "" };
    if matches!(telling, Telling::Key) {
        return format!("{line}{further}").trim_end_matches(':').to_owned();
    }
    let is_tag = |name: &str| matches!(telling, Telling::Tag(tag) if *tag == name);
    let demanded = required(form);
    let (takes, may): (Vec<&str>, Vec<&str>) =
        properties(form).map(|(name, _)| name).filter(|name| !is_tag(name)).partition(|name| demanded.contains(name));
    let listed = |names: Vec<&str>| {
        let constant = |name: &str| match property(form, name).and_then(texts_of)?.as_slice() {
            [text] => Some(format!("`{name}` \"{text}\"")),
            _ => None,
        };
        names.into_iter().map(|name| constant(name).unwrap_or(format!("`{name}`"))).collect::<Vec<_>>().join(", ")
    };
    match (takes.is_empty(), may.is_empty()) {
        (true, true) if further.is_empty() => line.push_str(" Takes nothing else."),
        (true, true) => {}
        (false, true) => line = format!("{line} Takes {}.", listed(takes)),
        (true, false) => line = format!("{line} May take {}.", listed(may)),
        (false, false) => line = format!("{line} Takes {}; may take {}.", listed(takes), listed(may)),
    }
    line + further
}

/// One schema for a property of several forms.
fn one_property(variants: &[(&str, &Map<String, Value>)], is_tag: bool) -> Map<String, Value> {
    let texts: Option<Vec<Vec<&str>>> = variants.iter().map(|(_, schema)| texts_of(schema)).collect();
    if let Some(texts) = texts {
        let mut values: Vec<&str> = Vec::new();
        values.extend(texts.iter().flatten());
        let mut seen = BTreeSet::new();
        values.retain(|text| seen.insert(*text));
        let mut folded = Map::from_iter([("type".to_owned(), json!("string")), ("enum".to_owned(), json!(values))]);
        let docs: Vec<String> = variants
            .iter()
            .zip(&texts)
            .filter(|((_, schema), _)| !description(schema).is_empty())
            .map(
                |((_, schema), texts)| {
                    if is_tag { variant_line(texts, description(schema)) } else { description(schema).to_owned() }
                },
            )
            .collect();
        let docs = docs
            .iter()
            .fold(String::new(), |text, doc| if is_tag { format!("{text}\n{doc}") } else { joined(&text, doc) });
        describe(&mut folded, docs.trim());
        return folded;
    }
    let mut distinct: Vec<Map<String, Value>> = Vec::new();
    let mut told = String::new();
    for (_, schema) in variants {
        let mut schema = (*schema).clone();
        let same = |known: &Map<String, Value>| {
            let undescribed = |schema: &Map<String, Value>| {
                let mut schema = schema.clone();
                schema.remove("description");
                schema
            };
            undescribed(known) == undescribed(&schema)
        };
        match distinct.iter_mut().find(|known| same(known)) {
            Some(known) => {
                let text = joined(description(known), description(&schema));
                describe(known, &text);
            }
            None => distinct.push(std::mem::take(&mut schema)),
        }
    }
    if let [only] = distinct.as_mut_slice() {
        return std::mem::take(only);
    }
    // What all of them are told by stands once.
    if let Some(first) = distinct.first().map(|schema| description(schema).to_owned())
        && distinct.iter().all(|schema| description(schema) == first)
    {
        told = first;
        for schema in &mut distinct {
            describe(schema, "");
        }
    }
    let mut union = Map::from_iter([("anyOf".to_owned(), json!(distinct))]);
    describe(&mut union, &told);
    union
}
