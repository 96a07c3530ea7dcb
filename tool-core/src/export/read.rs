//! Reading a tidied schema into the [model](super::model).

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use super::merge::Merger;
use super::model::{Additional, Document, List, Node, Object, Property, Shape, TOO_LARGE, Union};
use super::walk::{DEEPEST, description, joined, resolve};

/// How many schemas are read of one document. What is beyond counts as free-form.
const MOST_NODES: usize = 20_000;

/// Keywords that demand something which the model has no place for.
const UNSAID: [&str; 14] = [
    "additionalItems",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxContains",
    "minContains",
    "not",
    "patternProperties",
    "propertyNames",
    "then",
    "unevaluatedItems",
];

pub(super) fn read(schema: &Value) -> Document {
    let mut reader = Reader {
        document: schema,
        merger: Merger::new(schema),
        names: BTreeMap::new(),
        taken: BTreeSet::new(),
        bases: BTreeMap::new(),
        waiting: VecDeque::new(),
        nodes: 0,
    };
    let root = reader.node(schema, 0);
    let mut definitions = BTreeMap::new();
    while let Some((name, target)) = reader.waiting.pop_front() {
        let node = reader.node(target, 0);
        definitions.insert(name, node);
    }
    Document { root, definitions }
}

struct Reader<'a> {
    document: &'a Value,
    merger: Merger<'a>,
    /// The names given to what is referred to, by reference.
    names: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    /// How many definitions have had a name, before it was made their own.
    bases: BTreeMap<String, usize>,
    waiting: VecDeque<(String, &'a Value)>,
    nodes: usize,
}

impl Reader<'_> {
    fn node(&mut self, schema: &Value, depth: usize) -> Node {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > MOST_NODES {
            return Node { unsaid: vec![TOO_LARGE.to_owned()], ..Node::default() };
        }
        match schema {
            Value::Bool(false) => Node::of(Shape::Nothing),
            Value::Object(object) if object.get("not").is_some_and(|not| not == &json!({}) || not == &json!(true)) => {
                Node::of(Shape::Nothing)
            }
            Value::Object(object) => self.object(object, depth),
            _ => Node::default(),
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Node {
        let flat;
        let mut unsaid = Vec::new();
        let only_annotated = schema
            .keys()
            .all(|key| matches!(key.as_str(), "$ref" | "$defs" | "definitions") || ANNOTATIONS.contains(&key.as_str()));
        let schema = if schema.contains_key("allOf") || schema.contains_key("$ref") && !only_annotated {
            match self.merger.flat(schema, depth) {
                Ok(merged) => {
                    flat = merged;
                    &flat
                }
                Err(conflict) => {
                    unsaid.push(if schema.contains_key("allOf") { "allOf".to_owned() } else { conflict });
                    schema
                }
            }
        } else {
            schema
        };
        unsaid.extend(
            UNSAID.iter().filter(|keyword| schema.contains_key(**keyword)).map(|keyword| (*keyword).to_owned()),
        );
        if schema.get("unevaluatedProperties").is_some_and(Value::is_object) {
            unsaid.push("unevaluatedProperties".to_owned());
        }
        let mut node = self.shape(schema, depth);
        node.description = joined(description(schema), &node.description);
        node.default = schema.get("default").cloned().or(node.default);
        match schema.get("examples") {
            Some(Value::Array(examples)) => node.examples.clone_from(examples),
            _ => node.examples.extend(schema.get("example").cloned()),
        }
        if node.description.is_empty() {
            // The only thing that is said of it; a generated title has gone by now.
            schema.get("title").and_then(Value::as_str).unwrap_or_default().clone_into(&mut node.description);
        }
        node.unsaid.extend(unsaid);
        node
    }

    fn shape(&mut self, schema: &Map<String, Value>, depth: usize) -> Node {
        if let Some(Value::String(reference)) = schema.get("$ref") {
            return self.reference(reference);
        }
        match (schema.get("anyOf"), schema.get("oneOf")) {
            (Some(Value::Array(branches)), None) => return self.union(schema, "anyOf", branches, depth),
            (None, Some(Value::Array(branches))) => return self.union(schema, "oneOf", branches, depth),
            (Some(_), Some(_)) => {
                let node = Node { unsaid: vec!["oneOf".to_owned()], ..self.typed(schema, depth) };
                return node;
            }
            _ => {}
        }
        match (schema.get("enum"), schema.get("const")) {
            (Some(Value::Array(values)), None) => choice(values.clone(), schema),
            (_, Some(value)) => choice(vec![value.clone()], schema),
            _ => self.typed(schema, depth),
        }
    }

    fn reference(&mut self, reference: &str) -> Node {
        if let Some(name) = self.names.get(reference) {
            return Node::of(Shape::Reference(name.clone()));
        }
        let Some(target) = resolve(self.document, reference) else {
            return Node { unsaid: vec![format!("$ref {reference}")], ..Node::default() };
        };
        let last = reference.rsplit('/').next().unwrap_or_default();
        let mut base: String =
            last.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        if reference == "#" {
            "Arguments".clone_into(&mut base);
        }
        base.truncate(48);
        // Each name is tried with the next number, so that many definitions of one name take no longer than others.
        let count = self.bases.entry(base.clone()).or_insert(0);
        let name = loop {
            *count += 1;
            let name = if *count == 1 && !base.is_empty() { base.clone() } else { format!("{base}_{count}") };
            if self.taken.insert(name.clone()) {
                break name;
            }
        };
        self.names.insert(reference.to_owned(), name.clone());
        self.waiting.push_back((name.clone(), target));
        Node::of(Shape::Reference(name))
    }

    fn union(&mut self, schema: &Map<String, Value>, keyword: &str, branches: &[Value], depth: usize) -> Node {
        let mut base = schema.clone();
        base.remove(keyword);
        ANNOTATIONS.iter().chain(["$defs", "definitions"].iter()).for_each(|key| drop(base.remove(*key)));
        let exclusive = keyword == "oneOf";
        let mut nodes = Vec::new();
        let mut unsaid = Vec::new();
        for branch in branches {
            // What stands beside the union holds in each branch.
            let joint = match branch {
                Value::Object(branch) if !base.is_empty() => {
                    let mut both = base.clone();
                    both.insert("allOf".to_owned(), json!([branch]));
                    let Ok(mut flat) = self.merger.flat(&both, depth) else {
                        unsaid = vec![keyword.to_owned()];
                        break; // without all branches there is no union
                    };
                    if flat.get("unevaluatedProperties") == Some(&json!(false)) {
                        flat.entry("additionalProperties").or_insert(json!(false));
                    }
                    Value::Object(flat)
                }
                branch => branch.clone(),
            };
            nodes.push(self.node(&joint, depth + 1));
        }
        if !unsaid.is_empty() {
            return Node { unsaid, ..self.typed(schema, depth) };
        }
        let nulls = nodes.iter().filter(|node| allows_null(node)).count();
        let mut node = union_of(nodes);
        if let Shape::Union(union) = &mut node.shape {
            // One branch may be all that is left, and be a union itself.
            union.exclusive |= exclusive && (nulls > 1 || !disjoint(&union.branches));
        }
        node
    }

    /// A schema by its `type`, or by what its keywords are about.
    fn typed(&mut self, schema: &Map<String, Value>, depth: usize) -> Node {
        let kinds: Vec<&str> = match schema.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => inferred(schema).into_iter().collect(),
        };
        union_of(kinds.into_iter().map(|kind| self.kind(schema, kind, depth)).collect())
    }

    fn kind(&mut self, schema: &Map<String, Value>, kind: &str, depth: usize) -> Node {
        let shape = match kind {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "integer" => Shape::Integer,
            "number" => Shape::Number,
            "string" => Shape::Text,
            "array" => Shape::List(self.list(schema, depth)),
            "object" => Shape::Object(self.properties(schema, depth)),
            _ => Shape::Anything,
        };
        let description = if kind == "object" { names_matched(schema) } else { String::new() };
        let mut bounds: BTreeMap<String, Value> = bounds_of(kind)
            .iter()
            .filter_map(|keyword| Some(((*keyword).to_owned(), schema.get(*keyword)?.clone())))
            .filter(|(keyword, value)| !(keyword == "uniqueItems" && value == &json!(false)))
            .collect();
        weaker_bounds_go(&mut bounds);
        Node { description, bounds, ..Node::of(shape) }
    }

    fn list(&mut self, schema: &Map<String, Value>, depth: usize) -> List {
        // Before 2020-12, the positions stood in `items` and the rest in `additionalItems`.
        let (first, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Value::Array(first)), rest) => (first.as_slice(), rest),
            (_, Some(Value::Array(first))) => (first.as_slice(), schema.get("additionalItems")),
            (_, rest) => (&[][..], rest),
        };
        List {
            first: first.iter().map(|node| self.node(node, depth + 1)).collect(),
            rest: Box::new(rest.map(|rest| self.node(rest, depth + 1)).unwrap_or_default()),
        }
    }

    fn properties(&mut self, schema: &Map<String, Value>, depth: usize) -> Object {
        let required: BTreeSet<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut properties = BTreeMap::new();
        for (name, value) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let node = self.node(value, depth + 1);
            properties.insert(name.clone(), Property { node, required: required.contains(name.as_str()) });
        }
        let additional = match schema.get("additionalProperties").or_else(|| schema.get("unevaluatedProperties")) {
            // What a pattern allows is not refused; what several do is not told apart.
            Some(Value::Bool(false)) => match patterns(schema).map(|(_, each)| each).collect::<Vec<_>>().as_slice() {
                [] => Additional::Closed,
                [each] => Additional::Map(Box::new(self.node(each, depth + 1))),
                _ => Additional::Open,
            },
            _ if patterns(schema).next().is_some() => Additional::Open,
            Some(Value::Bool(true)) => Additional::Open,
            Some(Value::Object(any)) if any.is_empty() => Additional::Open,
            Some(value) => Additional::Map(Box::new(self.node(value, depth + 1))),
            None => Additional::Unsaid,
        };
        // A property that is required and not described is any value, if it is allowed at all.
        for name in required
            .into_iter()
            .filter(|name| schema.get("properties").is_none_or(|properties| properties.get(*name).is_none()))
        {
            if let Additional::Unsaid | Additional::Open = additional {
                properties.insert(name.to_owned(), Property { node: Node::default(), required: true });
            }
        }
        Object { properties, additional }
    }
}

fn patterns(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
}

/// Which names a map takes, where one pattern says it all.
fn names_matched(schema: &Map<String, Value>) -> String {
    let mut patterns = patterns(schema);
    match (patterns.next(), patterns.next(), schema.get("additionalProperties")) {
        (Some((pattern, _)), None, Some(Value::Bool(false))) => {
            format!("Each free property name matches the regular expression `{pattern}`.")
        }
        _ => String::new(),
    }
}

/// Keywords that say something of a schema and demand nothing.
const ANNOTATIONS: [&str; 9] =
    ["default", "deprecated", "description", "example", "examples", "readOnly", "title", "writeOnly", "$comment"];

fn bounds_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "string" => &["format", "maxLength", "minLength", "pattern"],
        "integer" | "number" => &["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"],
        "array" => &["maxItems", "minItems", "uniqueItems"],
        "object" => &["maxProperties", "minProperties"],
        _ => &[],
    }
}

/// Of two bounds on one side, the one that demands more is enough.
fn weaker_bounds_go(bounds: &mut BTreeMap<String, Value>) {
    for (inclusive, exclusive, upwards) in
        [("minimum", "exclusiveMinimum", true), ("maximum", "exclusiveMaximum", false)]
    {
        let bound = |keyword: &str| bounds.get(keyword).and_then(Value::as_f64);
        if let (Some(least), Some(above)) = (bound(inclusive), bound(exclusive)) {
            let exclusive_is_tighter = if upwards { above >= least } else { above <= least };
            bounds.remove(if exclusive_is_tighter { inclusive } else { exclusive });
        }
    }
}

/// The type that a schema without one is about.
fn inferred(schema: &Map<String, Value>) -> Option<&'static str> {
    let has = |keywords: &[&str]| keywords.iter().any(|keyword| schema.contains_key(*keyword));
    if has(&["properties", "additionalProperties", "required"]) || has(bounds_of("object")) {
        Some("object")
    } else if has(&["items", "prefixItems"]) || has(bounds_of("array")) {
        Some("array")
    } else if has(bounds_of("number")) {
        Some("number")
    } else if has(bounds_of("string")) {
        Some("string")
    } else {
        None
    }
}

/// The values as a choice, `null` apart, and only those that the schema's other keywords allow.
fn choice(mut values: Vec<Value>, schema: &Map<String, Value>) -> Node {
    let allowed = |value: &Value| match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| is_of(value, kind)),
        Some(kind) => is_of(value, kind),
    };
    values.retain(allowed);
    let count = values.len();
    values.retain(|value| !value.is_null());
    let nullable = values.len() < count;
    let unsaid = if values.iter().any(|value| value.is_object() || value.is_array()) {
        vec!["enum of lists or objects".to_owned()]
    } else {
        Vec::new()
    };
    let shape = match (values.is_empty(), nullable, unsaid.is_empty()) {
        (true, true, _) => return Node::of(Shape::Null),
        (true, false, _) => Shape::Nothing,
        (false, _, false) => Shape::Anything,
        (false, _, true) => Shape::Choice(values),
    };
    Node { nullable, unsaid, ..Node::of(shape) }
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    }
}

/// Any of these: `null` becomes a mark, a single one stays itself.
fn union_of(nodes: Vec<Node>) -> Node {
    let count = nodes.len();
    let mut branches: Vec<Node> = nodes.into_iter().filter(|node| node.shape != Shape::Null).collect();
    let nullable = branches.len() < count;
    if branches.len() == 1
        && let Some(only) = branches.pop()
    {
        return Node { nullable: nullable || only.nullable, ..only };
    }
    if branches.is_empty() {
        return Node::of(if nullable { Shape::Null } else { Shape::Anything });
    }
    let nullable = nullable || branches.iter().any(|node| node.nullable);
    for node in &mut branches {
        node.nullable = false;
    }
    Node { nullable, ..Node::of(Shape::Union(Union { branches, exclusive: false })) }
}

/// Whether no value can be of two branches, as far as that is easily seen.
fn disjoint(branches: &[Node]) -> bool {
    /// Each is compared with each other one.
    const MOST_COMPARED: usize = 200;
    branches.len() <= MOST_COMPARED
        && branches
            .iter()
            .enumerate()
            .all(|(position, one)| branches.iter().skip(position + 1).all(|other| apart(one, other)))
}

fn allows_null(node: &Node) -> bool {
    node.nullable || node.shape == Shape::Null
}

fn apart(one: &Node, other: &Node) -> bool {
    if allows_null(one) && allows_null(other) {
        return false;
    }
    match (&one.shape, &other.shape) {
        (Shape::Reference(_) | Shape::Union(_) | Shape::Anything, _)
        | (_, Shape::Reference(_) | Shape::Union(_) | Shape::Anything)
        | (Shape::Integer, Shape::Number)
        | (Shape::Number, Shape::Integer) => false,
        (Shape::Choice(one), Shape::Choice(other)) => {
            let other: HashSet<&Value> = other.iter().collect();
            !one.iter().any(|value| other.contains(value))
        }
        (Shape::Choice(values), shape) | (shape, Shape::Choice(values)) => values.iter().all(|value| match shape {
            Shape::Text => !value.is_string(),
            Shape::Integer | Shape::Number => !value.is_number(),
            Shape::Boolean => !value.is_boolean(),
            _ => true,
        }),
        (Shape::Object(one), Shape::Object(other)) => {
            let demands = |one: &Object, other: &Object| {
                one.properties.iter().any(|(name, property)| {
                    property.required
                        && match other.properties.get(name) {
                            Some(theirs) => theirs.required && apart(&property.node, &theirs.node),
                            None => other.additional == Additional::Closed,
                        }
                })
            };
            demands(one, other) || demands(other, one)
        }
        (one, other) => std::mem::discriminant(one) != std::mem::discriminant(other),
    }
}
