//! Where an argument stands: `amount`, `address.country`, `items[*].sku`.

use serde_json::Value;
use std::collections::HashSet;

/// More steps than any argument is deep; each is a level of recursion.
const MAX_STEPS: usize = 32;

/// A path that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArgumentPath {
    text: String,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// The property of this name.
    Property(String),
    /// Every element.
    Elements,
}

/// What stands at a path, at one of the places that it names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place<'v> {
    /// A value, `null` aside.
    Value(&'v Value),
    /// `null`, or something inside it.
    Null,
    /// Nothing. A list without elements has nothing in the place of an element.
    Absent,
    /// Nobody knows: the way there leads through a value of another type.
    Blocked,
}

impl ArgumentPath {
    /// Reads a path; what is wrong with it is said with what to write.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let steps = steps(text).map_err(|problem| format!("the argument path {text:?} {problem}"))?;
        Ok(Self { text: text.to_owned(), steps })
    }

    /// The path as it was written.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Visits every place of `arguments` that the path names. Where something is absent, `defaults` (the tool's schema)
    /// may say what the tool takes in its place.
    pub(super) fn visit<'v>(&self, arguments: &'v Value, defaults: Option<&'v Value>, see: &mut dyn FnMut(Place<'v>)) {
        match arguments {
            Value::Object(_) => self.visit_from(0, Some(arguments), defaults, see),
            _ => see(Place::Blocked),
        }
    }

    fn visit_from<'v>(
        &self,
        from: usize,
        value: Option<&'v Value>,
        defaults: Option<&'v Value>,
        see: &mut dyn FnMut(Place<'v>),
    ) {
        let absent = match value {
            None => Some(Place::Absent),
            Some(Value::Null) => Some(Place::Null),
            Some(_) => None,
        };
        if let Some(absent) = absent {
            see(absent);
            let taken = defaults.map(|schema| schemas_at(schema, &self.steps[..from])).unwrap_or_default();
            for default in taken.into_iter().filter_map(|schema| schema.get("default")) {
                self.visit_from(from, Some(default).filter(|default| !default.is_null()), None, see);
            }
            return;
        }
        match (self.steps.get(from), value) {
            (None, Some(value)) => see(Place::Value(value)),
            (Some(Step::Property(name)), Some(Value::Object(map))) => {
                self.visit_from(from + 1, map.get(name), defaults, see);
            }
            (Some(Step::Elements), Some(Value::Array(elements))) if elements.is_empty() => see(Place::Absent),
            (Some(Step::Elements), Some(Value::Array(elements))) => {
                for element in elements {
                    self.visit_from(from + 1, Some(element), defaults, see);
                }
            }
            _ => see(Place::Blocked),
        }
    }

    /// Whether arguments of this schema may have something at the path. Where a schema leaves it open, they may.
    pub(super) fn is_in(&self, schema: &Value) -> bool {
        !schemas_at(schema, &self.steps).is_empty()
    }

    /// Whether that may be of one of these types.
    pub(super) fn may_be(&self, schema: &Value, types: &[&str]) -> bool {
        const BRANCHES: [&str; 4] = ["$ref", "allOf", "anyOf", "oneOf"];
        schemas_at(schema, &self.steps).into_iter().any(|schema| match schema.get("type") {
            Some(Value::String(stated)) => types.contains(&stated.as_str()),
            Some(Value::Array(stated)) => stated.iter().any(|stated| types.iter().any(|of| stated == of)),
            // The branches were visited, and say more.
            _ => !BRANCHES.iter().any(|keyword| schema.get(keyword).is_some()),
        })
    }
}

fn steps(text: &str) -> Result<Vec<Step>, String> {
    const SHAPE: &str = "write it like `amount`, `address.country` or `items[*].sku`";
    let mut steps = Vec::new();
    for part in text.split('.') {
        let (name, elements) = part.find('[').map_or((part, ""), |at| part.split_at(at));
        if name.is_empty() || name != name.trim() {
            return Err(format!("has a property without a name, or with white space around it: {SHAPE}"));
        }
        if name == "$" {
            return Err("begins at the root: leave `$.` out, an argument's name comes first".to_owned());
        }
        if name.contains(['*', ']']) {
            return Err(format!("names a property {name:?}, and a path has no other wildcard than `[*]`: {SHAPE}"));
        }
        steps.push(Step::Property(name.to_owned()));
        let mut rest = elements;
        while !rest.is_empty() {
            rest = rest.strip_prefix("[*]").ok_or_else(|| {
                format!("has {rest:?} in it: all elements of a list are meant together, as `{name}[*]`")
            })?;
            steps.push(Step::Elements);
        }
    }
    if steps.len() > MAX_STEPS {
        return Err(format!("has more than {MAX_STEPS} steps"));
    }
    Ok(steps)
}

/// The schemas that speak of what stands at `steps`: through `$ref` and every branch of every alternative, once each.
fn schemas_at<'s>(root: &'s Value, steps: &[Step]) -> Vec<&'s Value> {
    let (mut found, mut seen, mut open) = (Vec::new(), HashSet::new(), vec![(root, 0)]);
    while let Some((schema, at)) = open.pop() {
        // A list, not recursion: references may go round in circles, and alternatives be many.
        if !seen.insert((std::ptr::from_ref(schema), at)) || *schema == Value::Bool(false) {
            continue;
        }
        match steps.get(at) {
            None => found.push(schema),
            Some(step) => open.extend(below(schema, step).map(|schema| (schema, at + 1))),
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let branches = schema.get(keyword).and_then(Value::as_array);
            open.extend(branches.into_iter().flatten().map(|branch| (branch, at)));
        }
        open.extend(["then", "else"].into_iter().filter_map(|keyword| schema.get(keyword)).map(|branch| (branch, at)));
        let reference = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        open.extend(reference.and_then(|target| root.pointer(target)).map(|schema| (schema, at)));
    }
    found
}

/// The schemas of what one step leads to.
fn below<'s>(schema: &'s Value, step: &Step) -> impl Iterator<Item = &'s Value> + use<'s> {
    const ANYTHING: &Value = &Value::Bool(true);
    let list = |keyword| schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
    let patterns =
        || schema.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(|map| map.values());
    let found: Vec<_> = match step {
        Step::Property(name) => match schema.get("properties").and_then(|properties| properties.get(name)) {
            Some(named) => vec![named],
            // Which of these applies is not asked: what may stand there is enough.
            None => patterns()
                .chain(["additionalProperties", "unevaluatedProperties"].iter().filter_map(|key| schema.get(key)))
                .collect(),
        },
        Step::Elements => list("prefixItems")
            .chain(list("items"))
            .chain(["items", "additionalItems"].iter().filter_map(|key| schema.get(key)).filter(|one| !one.is_array()))
            .collect(),
    };
    let anything = (found.is_empty() && is_open(schema, step)).then_some(ANYTHING);
    found.into_iter().chain(anything)
}

/// Whether a schema says nothing of what stands below it.
fn is_open(schema: &Value, step: &Step) -> bool {
    const SPEAKS: [&str; 10] = [
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "enum",
        "items",
        "oneOf",
        "prefixItems",
        "properties",
        "$ref",
    ];
    let kind = match step {
        Step::Property(_) => "object",
        Step::Elements => "array",
    };
    let of_kind = match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|of| of == kind),
        Some(of) => of == kind,
    };
    of_kind && !SPEAKS.iter().any(|keyword| schema.get(keyword).is_some())
}
