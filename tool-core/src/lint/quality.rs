//! Rules that hold for every reader of a tool.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

use super::values;
use crate::descriptor::ToolDescriptor;
use crate::export::walk::{DEEPEST, Place, below, description, each_below};
use crate::export::{Finding, Rule, tidied};

/// The least characters of a description.
const SHORTEST: usize = 10;
/// How alike two descriptions are that a model cannot tell apart, from 0 to 1.
const ALIKE: f64 = 0.9;
/// How much of a description is compared: the comparison takes quadratic time.
const COMPARED: usize = 200;
/// How many pairs are compared at most.
const MOST_PAIRS: usize = 10_000;

pub(super) fn findings(descriptors: &[&ToolDescriptor]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for descriptor in descriptors {
        described(descriptor, &mut findings);
        let schema = tidied(descriptor.input_schema());
        Linter { tool: descriptor.id(), root: &schema, findings: &mut findings, seen: BTreeSet::new() }.schema(
            &schema,
            "$",
            ("$defs", None),
            0,
            false,
        );
    }
    alike(descriptors, &mut findings);
    findings
}

fn described(descriptor: &ToolDescriptor, findings: &mut Vec<Finding>) {
    let length = descriptor.description().trim().chars().count();
    let finding = match length {
        0 => (Rule::DescriptionMissing, "there is no description; a model chooses a tool by it".to_owned()),
        _ if length < SHORTEST => (
            Rule::DescriptionShort,
            format!("the description has {length} characters; say what the tool does, and when to use it"),
        ),
        _ => return,
    };
    findings.push(Finding::new(None, descriptor.id(), "$", finding.0, finding.1));
}

struct Linter<'a> {
    tool: &'a str,
    root: &'a Value,
    findings: &'a mut Vec<Finding>,
    /// What has been found: the forms of a union may share a property.
    seen: BTreeSet<(String, Rule)>,
}

impl Linter<'_> {
    fn add(&mut self, path: &str, rule: Rule, message: &str) {
        if self.seen.insert((path.to_owned(), rule)) {
            self.findings.push(Finding::new(None, self.tool, path, rule, message));
        }
    }

    /// `inherited`: whether a description that stands around it tells of this schema.
    fn schema(&mut self, schema: &Value, path: &str, place: Place<'_>, depth: usize, inherited: bool) {
        let Some(object) = schema.as_object() else { return };
        if depth > DEEPEST {
            return;
        }
        let described = inherited || !description(object).is_empty();
        let told = described || told(object);
        // What tells the forms of a union apart is documented with them.
        let is_tag = object.contains_key("const");
        if place.0 == "properties" && !told && !is_tag {
            self.add(
                path,
                Rule::ParameterUndescribed,
                "the parameter has no description; say what it is, in which unit or form",
            );
        }
        let choices = object.get("enum").and_then(Value::as_array).map_or(0, Vec::len);
        if choices > 1 && !told {
            self.add(
                path,
                Rule::EnumUndocumented,
                "nothing says what the values mean; document the variants, or the parameter",
            );
        }
        for message in values::refused(object, self.root) {
            self.add(path, Rule::ValueRefused, &message);
        }
        each_below(object, &mut |place, value| {
            // A branch, or an item, of something described is described by it.
            let inherits = matches!(place.0, "anyOf" | "oneOf" | "allOf" | "items") && described && !has_text(value);
            self.schema(value, &below(path, place), place, depth + 1, inherits);
        });
    }
}

fn has_text(schema: &Value) -> bool {
    schema.as_object().is_some_and(|schema| !description(schema).is_empty())
}

/// Whether anything is said of the schema, or of what it is made of.
fn told(schema: &Map<String, Value>) -> bool {
    let branches = |keyword: &str| schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
    !description(schema).is_empty()
        || schema.get("title").is_some_and(Value::is_string)
        || ["anyOf", "oneOf", "allOf"].iter().any(|keyword| branches(keyword).any(has_text))
}

/// Finds each tool whose description is nearly that of an earlier one.
fn alike(descriptors: &[&ToolDescriptor], findings: &mut Vec<Finding>) {
    let texts: Vec<Words> = descriptors.iter().map(|descriptor| Words::of(descriptor.description())).collect();
    let mut pairs = 0;
    for (position, (one, descriptor)) in texts.iter().zip(descriptors).enumerate() {
        for (other, earlier) in texts.iter().zip(descriptors).take(position) {
            if !one.may_be_like(other) || descriptor.id() == earlier.id() {
                continue;
            }
            let same = one.text == other.text;
            pairs += usize::from(!same);
            if pairs > MOST_PAIRS {
                return;
            }
            if same || strsim::normalized_levenshtein(&one.text, &other.text) >= ALIKE {
                let message = format!("the description is nearly that of `{}`; say when to use which", earlier.id());
                findings.push(Finding::new(None, descriptor.id(), "$", Rule::DescriptionsAlike, message));
                break; // one is enough to act on
            }
        }
    }
}

/// A description as it is compared: its words in lower case, and how often it has each letter.
struct Words {
    text: String,
    length: usize,
    letters: [u16; 27],
}

impl Words {
    fn of(description: &str) -> Self {
        let words: Vec<String> = description.split_whitespace().map(str::to_lowercase).collect();
        let text: String = words.join(" ").chars().take(COMPARED).collect();
        let mut letters = [0; 27];
        for character in text.chars() {
            let place = if character.is_ascii_lowercase() { usize::from(character as u8 - b'a') } else { 26 };
            if let Some(count) = letters.get_mut(place) {
                *count += 1;
            }
        }
        Self { length: text.chars().count(), text, letters }
    }

    /// Whether the two can be alike at all: each change of a character changes two counts at most.
    fn may_be_like(&self, other: &Self) -> bool {
        let differing: u32 = self.letters.iter().zip(&other.letters).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        let longest = self.length.max(other.length);
        #[allow(clippy::cast_precision_loss)] // at most 200
        let allowed = (1.0 - ALIKE) * longest as f64;
        longest >= SHORTEST && f64::from(differing) <= 2.0 * allowed
    }
}
