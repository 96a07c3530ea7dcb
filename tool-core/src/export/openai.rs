//! The exports for Chat Completions and Responses, strict and not.

use serde_json::{Map, Value, json};

use super::dialect::{OPENAI_STRICT, OPENAI_STRICT_AS_IT_STANDS};
use super::finding::{Notes, Rule};
use super::read::read;
use super::render::{NULL_REFUSED, Obstacle, render};
use super::root::{Kept, object_root, required, ticked};
use super::tidy::tidied;
use super::walk::{each_below, each_below_mut};
use crate::behaviour::ArgumentMode;
use crate::descriptor::ToolDescriptor;

/// The shape of a tool entry.
#[derive(Clone, Copy)]
pub(super) enum Api {
    ChatCompletions,
    Responses,
}

/// The most tools of one request.
pub(super) const MOST_TOOLS: usize = 128;
/// The longest description of a function, in characters.
const LONGEST_DESCRIPTION: usize = 1_024;

pub(super) fn entry(descriptor: &ToolDescriptor, name: &str, api: Api, strict: bool, notes: &mut Notes<'_>) -> Value {
    let length = descriptor.description().chars().count();
    if length > LONGEST_DESCRIPTION {
        let message = format!(
            "the description has {length} characters, of which the provider takes {LONGEST_DESCRIPTION}; shorten it"
        );
        notes.add("$", Rule::DescriptionTooLong, message);
    }
    let schema = tidied(descriptor.input_schema());
    let mode = descriptor.behaviour().argument_mode;
    let (parameters, strict) = if strict { strictly(schema, mode, notes) } else { (loosely(schema, notes), false) };
    // Responses takes a missing `strict` for true.
    let function = json!({
        "name": name,
        "description": descriptor.description(),
        "parameters": parameters,
        "strict": strict,
    });
    match (api, function) {
        (Api::Responses, Value::Object(mut function)) => {
            function.insert("type".to_owned(), json!("function"));
            Value::Object(function)
        }
        (_, function) => json!({"type": "function", "function": function}),
    }
}

/// The strict form, or where that cannot be, the loose one, and whether it is the strict one.
fn strictly(schema: Value, mode: ArgumentMode, notes: &mut Notes<'_>) -> (Value, bool) {
    let mut found = Notes::for_same(notes);
    let mut root = schema.clone();
    let reason = match (object_root(&mut root, &mut found), mode) {
        (Kept::WithoutForms, _) => Some(without_forms()),
        (Kept::AsOneObject { .. }, ArgumentMode::Strict) if has_optional(&root) => {
            Some(("$".to_owned(), NULL_REFUSED.to_owned()))
        }
        (Kept::AsOneObject { by_null }, _) if !by_null.is_empty() => Some(untold(&by_null)),
        _ => None,
    };
    if let Some(reason) = reason {
        not_strict(&[reason], notes);
        return (loosely(schema, notes), false);
    }
    let dialect = match mode {
        ArgumentMode::Lenient => &OPENAI_STRICT,
        ArgumentMode::Strict => &OPENAI_STRICT_AS_IT_STANDS,
    };
    let strict = render(&read(&root), dialect, &mut found).and_then(|schema| {
        let obstacles = beyond_limits(&schema);
        if obstacles.is_empty() { Ok(schema) } else { Err(obstacles) }
    });
    match strict {
        Ok(schema) => {
            notes.extend(found);
            (schema, true)
        }
        Err(obstacles) => {
            not_strict(&obstacles, notes);
            (loosely(schema, notes), false)
        }
    }
}

/// Whether the root has a property that may be left out.
fn has_optional(root: &Value) -> bool {
    let Some(root) = root.as_object() else { return false };
    let required = required(root);
    let properties = root.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().any(|(name, _)| !required.contains(name.as_str()))
}

/// Why a root whose forms were lost is not strict: closed, it would refuse what belongs to them.
pub(super) fn without_forms() -> Obstacle {
    let reason =
        "the provider takes no forms at the root, and these cannot be told one by one; put them into a property";
    ("$".to_owned(), reason.to_owned())
}

/// Why a root of forms is not strict where every property is sent, and some forms are told apart by properties that may
/// be null.
fn untold(by_null: &[String]) -> Obstacle {
    let names = ticked(by_null.iter().map(String::as_str));
    let reason = format!(
        "the provider has a model write null for what it leaves out, and null is what {names} may hold, so that nothing \
         tells which form is meant; put the enum into a property of its own, or give it a tag"
    );
    ("$".to_owned(), reason)
}

/// Says why a tool is not exported strictly.
pub(super) fn not_strict(obstacles: &[Obstacle], notes: &mut Notes<'_>) {
    for (path, reason) in obstacles {
        notes.add(path, Rule::NotStrict, format!("exported non-strict: {reason}"));
    }
}

/// The limits of one strict schema, as published.
fn beyond_limits(schema: &Value) -> Vec<Obstacle> {
    #[derive(Default)]
    struct Count {
        properties: usize,
        levels: usize,
        values: usize,
        characters: usize,
        long_enum: bool,
    }
    fn count(schema: &Value, level: usize, total: &mut Count) {
        let Some(object) = schema.as_object() else { return };
        let nests = ["properties", "items"].iter().any(|keyword| object.contains_key(*keyword));
        let level = level + usize::from(nests);
        total.levels = total.levels.max(level);
        if let Some(Value::Array(values)) = object.get("enum") {
            let characters: usize = values.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
            total.values += values.len();
            total.characters += characters;
            total.long_enum |= values.len() > 250 && characters > 15_000;
        }
        each_below(object, &mut |(keyword, name), below| {
            total.properties += usize::from(keyword == "properties");
            total.characters += name.map_or(0, |name| name.chars().count());
            count(below, if keyword == "$defs" { 0 } else { level }, total);
        });
    }
    let mut total = Count::default();
    count(schema, 0, &mut total);
    let mut obstacles = Vec::new();
    let mut check = |beyond: bool, reason: String| {
        if beyond {
            obstacles.push(("$".to_owned(), reason));
        }
    };
    check(total.properties > 5_000, format!("{} properties, of which the provider takes 5,000", total.properties));
    check(total.levels > 10, format!("{} levels of nesting, of which the provider takes 10", total.levels));
    check(total.values > 1_000, format!("{} enum values, of which the provider takes 1,000", total.values));
    check(total.long_enum, "an enum of more than 250 values has more than 15,000 characters".to_owned());
    check(total.characters > 120_000, "names and enum values have more than 120,000 characters".to_owned());
    obstacles
}

/// Keywords that the API refuses at the root, strict or not; the unions are merged before.
const REFUSED_AT_THE_ROOT: [&str; 3] = ["const", "enum", "not"];

/// The whole schema, with what the API refuses put right.
pub(super) fn loosely(mut schema: Value, notes: &mut Notes<'_>) -> Value {
    object_root(&mut schema, notes);
    if let Some(root) = schema.as_object_mut() {
        for keyword in REFUSED_AT_THE_ROOT {
            if root.remove(keyword).is_some() {
                notes.add("$", Rule::KeywordDropped, format!("the provider takes no `{keyword}` at the root"));
            }
        }
    }
    with_items(&mut schema, 0);
    schema
}

/// The API refuses a list whose `items` are not given: "array schema missing items".
fn with_items(schema: &mut Value, depth: usize) {
    let Some(object) = schema.as_object_mut() else { return };
    if depth > super::walk::DEEPEST {
        return;
    }
    let is_list = object.get("type").is_some_and(|kind| match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "array"),
        kind => kind == "array",
    });
    if is_list && !object.contains_key("items") {
        object.insert("items".to_owned(), Value::Object(Map::new()));
    }
    each_below_mut(object, &mut |_, value| with_items(value, depth + 1));
}
