//! The words in which a model is told what it sent and what is expected: JSON's terms, the schema's names, short.

use serde_json::Value;
use std::fmt::Write;

use super::input::Token;
use super::number::{self, Exact};
use super::plan::{Kinds, Node, NodeId, NumberRules, Plan};
use super::walk::Path;
use crate::suggest;

/// How much of a faulty value, name or path is quoted.
const QUOTED_CHARS: usize = 120;
/// How many names are listed.
const LISTED: usize = 12;
/// How many alternatives are described.
const DESCRIBED: usize = 4;
/// The bounds of a double, as it writes them.
const DOUBLE: (&str, &str) = ("-1.7976931348623157e+308", "1.7976931348623157e+308");
/// Alternatives within how many alternatives are described. Where schemas refer to each other, each doubles the words.
const DESCRIBED_WITHIN: usize = 2;

/// `items[2].price`. It takes no longer for long keys or deep places, since each repair has one.
pub(super) fn path(path: &Path<'_>) -> String {
    let mut text = String::new();
    write_path(path, &mut text);
    if text.len() > QUOTED_CHARS { shortened(&text) } else { text }
}

fn write_path(path: &Path<'_>, text: &mut String) {
    match path {
        Path::Root => {}
        Path::Key(parent, key) => {
            write_path(parent, text);
            if text.len() > QUOTED_CHARS * 4 {
                return; // it is cut there at any rate
            }
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(&shortened(&key.beginning(QUOTED_CHARS + 1)));
        }
        Path::Index(parent, at) => {
            write_path(parent, text);
            if text.len() <= QUOTED_CHARS * 4 {
                let _ = write!(text, "[{at}]");
            }
        }
    }
}

/// At most [`QUOTED_CHARS`] characters, cut between characters.
pub(super) fn shortened(text: &str) -> String {
    // No text has more characters than bytes.
    let end = if text.len() > QUOTED_CHARS { text.char_indices().nth(QUOTED_CHARS) } else { None };
    match end {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What was sent.
pub(super) fn got<E, M>(token: &Token<'_, E, M>) -> String {
    match token {
        Token::Null => "null".to_owned(),
        Token::Bool(value) => format!("the boolean {value}"),
        Token::Number(number) => got_number(&number.text()),
        Token::String(text) => got_string(&text.decoded()),
        Token::Array(_) => "an array".to_owned(),
        Token::Object(_) => "an object".to_owned(),
    }
}

pub(super) fn got_number(text: &str) -> String {
    format!("the number {}", shortened(text))
}

pub(super) fn got_string(text: &str) -> String {
    format!("the string {}", quoted(text))
}

pub(super) fn got_value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => got_number(&number.to_string()),
        Value::String(text) => got_string(text),
        Value::Array(_) => format!("the array {}", shortened(&value.to_string())),
        Value::Object(_) => format!("the object {}", shortened(&value.to_string())),
    }
}

pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(text))
}

/// What is expected of a value.
pub(super) fn expected(plan: &Plan, id: NodeId) -> String {
    expected_within(plan, id, 0)
}

/// [`expected`], `within` as many alternatives.
fn expected_within(plan: &Plan, id: NodeId, within: usize) -> String {
    let node = plan.node(id);
    if let Some(allowed) = &node.allowed {
        return one_of(allowed);
    }
    if let Some(inner) = node.or_null {
        return format!("{} or null", expected_within(plan, inner, within));
    }
    if let Some(alternatives) = node.alternatives.first().filter(|_| within < DESCRIBED_WITHIN) {
        return forms(plan, &mut alternatives.branches.iter().copied(), within);
    }
    if let ([only], Kinds::ALL) = (node.all.as_slice(), node.kinds) {
        return expected_within(plan, *only, within);
    }
    by_kind(node, Limits { rules: node.number.as_ref(), but: exception(plan, node) })
}

/// What is expected of a number that no type holds: with the bounds of the largest types, where the schema has none.
pub(super) fn expected_in_reach(plan: &Plan, id: NodeId) -> String {
    let node = plan.node(id);
    if node.allowed.is_some() {
        return expected(plan, id);
    }
    if node.kinds == Kinds::ALL {
        return any_number();
    }
    let is_integer = !node.kinds.holds(Kinds::NUMBER);
    let whole = (&*i128::MIN.to_string(), &*u128::MAX.to_string());
    let (low, high) = if is_integer { whole } else { DOUBLE };
    let own = node.number.as_ref();
    let bound = |own: Option<(Exact, bool, &str)>, text: &str| {
        own.map_or_else(
            || (Some((number::read(text).exact, false)), text.to_owned()),
            |(exact, is_out, text)| (Some((exact, is_out)), text.to_owned()),
        )
    };
    let least = own.and_then(|own| own.minimum.map(|(exact, is_out)| (exact, is_out, own.minimum_text.as_str())));
    let most = own.and_then(|own| own.maximum.map(|(exact, is_out)| (exact, is_out, own.maximum_text.as_str())));
    let ((minimum, minimum_text), (maximum, maximum_text)) = (bound(least, low), bound(most, high));
    let multiple_of = own.and_then(|own| own.multiple_of.clone());
    let rules = NumberRules { minimum, maximum, minimum_text, maximum_text, multiple_of };
    by_kind(node, Limits { rules: Some(&rules), but: exception(plan, node) })
}

/// What is expected where any number will do.
pub(super) fn any_number() -> String {
    format!("a number from {} to {}", DOUBLE.0, DOUBLE.1)
}

/// What is said of a kind of value, beside the node's own rules.
struct Limits<'n> {
    rules: Option<&'n NumberRules>,
    /// What is not allowed.
    but: Option<String>,
}

/// The values that are not allowed, where these are known.
fn exception(plan: &Plan, node: &Node) -> Option<String> {
    let refused = plan.node(node.not?);
    let is_all = !refused.has_more() && refused.not.is_none();
    refused.allowed.as_ref().filter(|values| is_all && !values.is_empty()).map(|values| one_of(values))
}

/// Whether it can be said what the node's `not` refuses.
pub(super) fn has_known_exception(plan: &Plan, id: NodeId) -> bool {
    exception(plan, plan.node(id)).is_some()
}

/// Where every kind is allowed, those of which the node has something to say.
fn spoken_of(node: &Node) -> Kinds {
    let rules = [
        (node.number.is_some(), Kinds::NUMBER),
        (node.string.is_some(), Kinds::STRING),
        (node.array.is_some(), Kinds::ARRAY),
        (node.object.is_some(), Kinds::OBJECT),
    ];
    rules.iter().filter(|(has_rules, _)| *has_rules).fold(Kinds::NONE, |kinds, (_, kind)| kinds.with(*kind))
}

/// What is expected where one of several schemas has to hold.
pub(super) fn any_of(plan: &Plan, mut branches: impl Iterator<Item = NodeId>) -> String {
    forms(plan, &mut branches, 0)
}

fn forms(plan: &Plan, branches: &mut dyn Iterator<Item = NodeId>, within: usize) -> String {
    let listed: Vec<NodeId> = (&mut *branches).take(LISTED).collect();
    // Several arrays are told apart by what they hold, if at all.
    let has_arrays = listed.iter().filter(|branch| plan.node(**branch).kinds == Kinds::ARRAY).count() > 1;
    let mut forms: Vec<String> = Vec::new();
    for branch in listed {
        let of_each = if has_arrays { each_of(plan, branch, within + 1) } else { String::new() };
        let form = form(plan, branch, within + 1) + &of_each;
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    let more = forms.len().saturating_sub(DESCRIBED) + branches.count();
    forms.truncate(DESCRIBED);
    let forms = forms.join(" or ");
    if more == 0 { forms } else { format!("{forms} or one of {more} other forms") }
}

/// What every element of an array is, as an addition to what is said of the array.
fn each_of(plan: &Plan, id: NodeId, within: usize) -> String {
    let node = plan.node(id);
    let is_said = node.kinds == Kinds::ARRAY && !node.has_more() && node.allowed.is_none();
    let each = node.array.as_ref().filter(|rules| is_said && rules.prefix.is_empty()).and_then(|rules| rules.items);
    each.map_or_else(String::new, |each| format!(" (each element {})", form(plan, each, within)))
}

/// [`expected`]; an object by the properties that it must have.
fn form(plan: &Plan, id: NodeId, within: usize) -> String {
    let node = plan.node(id);
    let required: Vec<&str> = node
        .object
        .iter()
        .flat_map(|object| &object.properties)
        .filter(|property| property.required)
        .map(|property| property.name.as_str())
        .collect();
    if required.is_empty() || node.kinds != Kinds::OBJECT {
        return expected_within(plan, id, within);
    }
    format!(
        "an object with {}",
        required.iter().take(LISTED).map(|name| format!("`{}`", shortened(name))).collect::<Vec<_>>().join(", ")
    )
}

/// A required property that was left out.
pub(super) fn missing(plan: &Plan, id: NodeId) -> String {
    "required, but missing".to_owned() + &example(plan, id)
}

/// The schema's example, if it has one.
pub(super) fn example(plan: &Plan, id: NodeId) -> String {
    plan.node(id).example.as_ref().map_or_else(String::new, |example| format!(" (for example {example})"))
}

fn by_kind(node: &Node, limits: Limits<'_>) -> String {
    let of = if node.kinds == Kinds::ALL { spoken_of(node) } else { node.kinds };
    let Limits { rules, mut but } = limits;
    let mut kinds = Vec::new();
    let has = |kind| of.holds(kind);
    if has(Kinds::NUMBER) {
        kinds.push(number("a number", rules, but.take()));
    } else if has(Kinds::INTEGER) {
        kinds.push(number("an integer", rules, but.take()));
    }
    if has(Kinds::STRING) {
        let rules = node.string.as_ref();
        let length = rules.map(|rules| (rules.min_length, rules.max_length));
        let mut text = match length {
            Some((least, most)) => counted("string", "character", least, most),
            None => "a string".to_owned(),
        };
        if let Some(pattern) = rules.and_then(|rules| rules.pattern.as_ref()) {
            let _ = write!(text, " that matches `{}`", shortened(pattern.as_str()));
        }
        kinds.push(text);
    }
    if has(Kinds::BOOL) {
        kinds.push("true or false".to_owned());
    }
    if has(Kinds::ARRAY) {
        let length = node.array.as_ref().map(|rules| (rules.min_items, rules.max_items));
        kinds.push(length.map_or_else(|| "an array".to_owned(), |(least, most)| counted("array", "item", least, most)));
    }
    if has(Kinds::OBJECT) {
        kinds.push("an object".to_owned());
    }
    if has(Kinds::NULL) {
        kinds.push("null".to_owned());
    }
    match (kinds.is_empty(), node.kinds) {
        (true, Kinds::ALL) => "another value".to_owned(),
        (true, _) => "no value at all".to_owned(),
        _ => kinds.join(" or ") + &but.map_or_else(String::new, |but| format!(" other than {but}")),
    }
}

fn number(kind: &str, rules: Option<&NumberRules>, but: Option<String>) -> String {
    let kind = match (but, rules) {
        (None, _) => kind.to_owned(),
        (Some(but), None) => format!("{kind} other than {but}"),
        (Some(but), Some(_)) => format!("{kind} other than {but},"),
    };
    let Some(rules) = rules else { return kind };
    let (low, high) = (&rules.minimum_text, &rules.maximum_text);
    let range = match (rules.minimum, rules.maximum) {
        (Some((_, false)), Some((_, false))) => format!(" from {low} to {high}"),
        (low_bound, high_bound) => {
            let low = low_bound.map(|(_, out)| format!("{} {low}", if out { "above" } else { "of at least" }));
            let high = high_bound.map(|(_, out)| format!("{} {high}", if out { "below" } else { "of at most" }));
            let words: Vec<String> = [low, high].into_iter().flatten().collect();
            if words.is_empty() { String::new() } else { format!(" {}", words.join(" and ")) }
        }
    };
    let multiple = rules.multiple_of.as_ref().map_or_else(String::new, |of| format!(" that is a multiple of {of}"));
    format!("{kind}{range}{multiple}")
}

/// `an array of 2 to 4 items`.
pub(super) fn counted(whole: &str, part: &str, least: Option<u64>, most: Option<u64>) -> String {
    let article = if whole.starts_with(['a', 'o']) { "an" } else { "a" };
    let parts = |count: u64| match (count, part) {
        (1, _) => part.to_owned(),
        (_, "property") => "properties".to_owned(),
        _ => format!("{part}s"),
    };
    let range = match (least.filter(|least| *least > 0), most) {
        (None, None) => return format!("{article} {whole}"),
        (Some(least), Some(most)) if least == most => format!("{most} {}", parts(most)),
        (Some(least), Some(most)) => format!("{least} to {most} {}", parts(most)),
        (Some(least), None) => format!("at least {least} {}", parts(least)),
        (None, Some(most)) => format!("at most {most} {}", parts(most)),
    };
    format!("{article} {whole} of {range}")
}

pub(super) fn one_of(allowed: &[Value]) -> String {
    match allowed {
        [] => "no value at all".to_owned(),
        [Value::String(only)] => format!("`{}`", shortened(only)),
        [only] => shortened(&only.to_string()),
        _ => format!("one of {}", listed_values(allowed)),
    }
}

fn listed_values(values: &[Value]) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let texts: Vec<String> = values.iter().take(LISTED).map(text).collect();
    listed_of(texts.iter().map(String::as_str), values.len())
}

/// A key that its type does not take; `plain` is the spelling that it would.
pub(super) fn wrong_name(expected: &str, name: &str, plain: Option<String>) -> String {
    let hint = plain.map_or_else(String::new, |plain| format!(" (write {})", quoted(&plain)));
    format!("the name of this property has to be {expected}, got {}{hint}", quoted(name))
}

/// The name of a form that stands alone, where the form's content has to come with it: an object, an array or whatever.
pub(super) fn form_without_content(name: &str, content: Kinds) -> String {
    let quoted = Value::from(shortened(name));
    let content = match content {
        Kinds::OBJECT => "{…}",
        Kinds::ARRAY => "[…]",
        _ => "…",
    };
    format!("expected an object that holds this form's content, {{{quoted}: {content}}}, got {}", got_string(name))
}

/// A string that is none of the allowed values.
pub(super) fn unknown_value(given: &str, allowed: &[Value]) -> String {
    let names: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
    if names.len() < allowed.iter().filter(|value| !value.is_null()).count() {
        return format!("expected {}, got {}", one_of(allowed), got_string(given));
    }
    unknown_name(given, "value", &names)
}

/// A property that the schema does not know.
pub(super) fn unknown_property(given: &str, names: &[&str], patterns: &[&str]) -> String {
    if names.is_empty() && !patterns.is_empty() {
        let patterns = patterns.iter().take(DESCRIBED).map(|text| format!("`{}`", shortened(text))).collect::<Vec<_>>();
        return format!("unknown property {}; a name has to match {}", quoted(given), patterns.join(" or "));
    }
    unknown_name(given, "property", names)
}

/// A name that is none of the known ones, with the nearest of those.
pub(super) fn unknown_name(given: &str, what: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return format!("unknown {what}; there are no known ones");
    }
    let nearest = suggest::nearest(given, known.iter().copied());
    let hint = nearest.map_or_else(|| ".".to_owned(), |name| format!("; did you mean `{}`?", shortened(name)));
    format!("unknown {what} {}{hint} Known: {}", quoted(given), listed(known.iter().copied()))
}

/// Names, as many as a short message holds.
pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str> + Clone) -> String {
    let all = names.clone().count();
    listed_of(names, all)
}

/// The first names of `all`.
fn listed_of<'n>(names: impl Iterator<Item = &'n str>, all: usize) -> String {
    const LISTED_CHARS: usize = 400;
    let mut text = String::new();
    let mut shown = 0;
    for name in names.take(LISTED) {
        if text.len() > LISTED_CHARS {
            break;
        }
        if shown > 0 {
            text.push_str(", ");
        }
        let _ = write!(text, "`{}`", shortened(name));
        shown += 1;
    }
    match all - shown {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}
