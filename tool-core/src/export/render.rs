//! Writing a schema in a provider's subset of JSON Schema.

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

use super::dialect::{Dialect, Null, Optional, References};
use super::finding::{Notes, Rule};
use super::model::{Additional, Document, List, Node, Object, Shape, TOO_LARGE, Union};
use super::walk::{DEEPEST, describe, joined, property_path};
use super::words;

/// How many schemas are written out for one tool, so that references within references stay within bounds.
const MOST_WRITTEN: usize = 20_000;
/// How much is copied where a definition is written out, in values of up to 32 bytes: some texts are long.
const MOST_COPIED: usize = 50_000;

type Schema = Map<String, Value>;

/// Why a tool that takes its arguments as they stand is not offered where every property is required.
pub(super) const NULL_REFUSED: &str = "the provider has a model write null for what it leaves out, which the tool's \
    argument mode `Strict` refuses; make it `Lenient`, or the property an `Option`";

/// Why a schema cannot be said strictly: where, and what.
pub(super) type Obstacle = (String, String);

/// The document in a dialect, or why a strict dialect cannot say it.
pub(super) fn render(document: &Document, dialect: &Dialect, notes: &mut Notes<'_>) -> Result<Value, Vec<Obstacle>> {
    let mut writer = Writer {
        document,
        dialect,
        notes,
        obstacles: Vec::new(),
        within: Vec::new(),
        used: BTreeSet::new(),
        waiting: Vec::new(),
        cut: BTreeSet::new(),
        written: 0,
        copied: 0,
        depth: 0,
    };
    let mut root = writer.node(&document.root, "$", false);
    if root.get("type") != Some(&json!("object")) {
        writer.cannot("$", Rule::KeywordDropped, "the arguments are an object and something else at once");
        root = plain_object();
    }
    let mut definitions = Map::new();
    while let Some(name) = writer.waiting.pop() {
        if let Some(node) = document.definitions.get(&name) {
            writer.within = vec![name.clone()];
            let schema = writer.node(node, &format!("$defs.{name}"), false);
            definitions.insert(name, Value::Object(schema));
        }
    }
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    writer.obstacles.dedup();
    if writer.obstacles.is_empty() { Ok(Value::Object(root)) } else { Err(writer.obstacles) }
}

struct Writer<'a, 'n, 't> {
    document: &'a Document,
    dialect: &'a Dialect,
    notes: &'n mut Notes<'t>,
    obstacles: Vec<Obstacle>,
    /// The definitions that are being written out.
    within: Vec<String>,
    /// The definitions that are referred to.
    used: BTreeSet<String>,
    /// Of these, the ones that are not written yet.
    waiting: Vec<String>,
    /// The definitions that have been cut off where they come back to themselves.
    cut: BTreeSet<String>,
    written: usize,
    /// How much has been written of definitions that stand elsewhere as well.
    copied: usize,
    /// How many schemas the one that is being written stands in.
    depth: usize,
}

impl Writer<'_, '_, '_> {
    /// Something that this dialect cannot say: a reason not to be strict, or a loss.
    fn cannot(&mut self, path: &str, rule: Rule, what: &str) {
        if self.dialect.strict {
            self.obstacles.push((path.to_owned(), what.to_owned()));
        } else {
            self.notes.add(path, rule, what);
        }
    }

    /// Said once: whatever comes then is too large as well.
    fn too_large(&mut self, path: &str) {
        if self.cut.insert(TOO_LARGE.to_owned()) {
            self.cannot(path, Rule::SchemaTooLarge, "the schema is too deep or too large; the rest is left open");
        }
    }

    fn unsaid(&mut self, keyword: &str, path: &str) {
        if keyword == TOO_LARGE {
            self.too_large(path);
        } else if let Some(reference) = keyword.strip_prefix("$ref ") {
            self.cannot(
                path,
                Rule::ReferenceUnresolved,
                &format!("`$ref: {reference}` leads nowhere within the schema"),
            );
        } else {
            self.cannot(path, Rule::KeywordDropped, &format!("the provider's schemas cannot say `{keyword}`"));
        }
    }

    /// The schema of a node; `optional` where it is a property that may be left out.
    fn node(&mut self, node: &Node, path: &str, optional: bool) -> Schema {
        self.written += 1;
        if !self.within.is_empty() {
            self.copied += node.weight();
        }
        // A definition that is written out within another one stands as deep as that.
        if self.written > MOST_WRITTEN || self.copied > MOST_COPIED || self.depth > DEEPEST {
            self.too_large(path);
            return plain_object();
        }
        self.depth += 1;
        let schema = self.shape(node, path, optional);
        self.depth -= 1;
        schema
    }

    fn shape(&mut self, node: &Node, path: &str, optional: bool) -> Schema {
        for keyword in &node.unsaid {
            self.unsaid(keyword, path);
        }
        let mut told = node.description.clone();
        let mut schema = match &node.shape {
            Shape::Reference(name) => return self.reference(node, name, path, optional),
            Shape::Anything => self.anything(path),
            Shape::Nothing => {
                self.cannot(path, Rule::KeywordDropped, "the provider's schemas cannot refuse every value");
                plain_object()
            }
            Shape::Null => typed("null"),
            Shape::Boolean => typed("boolean"),
            Shape::Integer => typed("integer"),
            Shape::Number => typed("number"),
            Shape::Text => typed("string"),
            Shape::Choice(values) => self.choice(values, path, &mut told),
            Shape::List(list) => self.list(list, node, path, &mut told),
            Shape::Object(object) => self.object(object, path, &mut told),
            Shape::Union(union) => self.union(union, path),
        };
        self.fewer_than_all(node, path);
        self.bounds(node, path, &mut schema, &mut told);
        self.finish(node, schema, told, optional)
    }

    /// Adds what goes for every shape.
    fn finish(&self, node: &Node, mut schema: Schema, mut told: String, optional: bool) -> Schema {
        let nullable = match self.dialect.optional {
            Optional::RequiredNull => node.nullable || optional,
            Optional::AbsentNotNull => node.nullable && !optional,
            Optional::Absent | Optional::RequiredAlone => node.nullable,
        };
        // That an option is not there when it is left out goes without saying.
        if let Some(default) = node.default.as_ref().filter(|default| !default.is_null()) {
            let plain = !["$ref", "anyOf", "oneOf"].iter().any(|keyword| schema.contains_key(*keyword));
            if self.dialect.default && plain {
                schema.insert("default".to_owned(), default.clone());
            } else {
                told = words::added(&told, &format!("Default: {default}."));
            }
        }
        if let Some(example) = node.examples.first() {
            if self.dialect.example && self.dialect.null == Null::Keyword && !schema.contains_key("anyOf") {
                schema.insert("example".to_owned(), example.clone());
            } else {
                let shown: Vec<String> = node.examples.iter().take(3).map(Value::to_string).collect();
                told = words::added(&told, &format!("For example {}.", shown.join(", ")));
            }
        }
        if nullable {
            schema = self.with_null(schema);
        }
        self.described(schema, &told)
    }

    fn described(&self, mut schema: Schema, told: &str) -> Schema {
        if schema.contains_key("$ref") && !told.is_empty() {
            schema = Map::from_iter([("anyOf".to_owned(), json!([schema]))]);
        }
        // Where a union stands alone, its first branch is read first.
        let first = match schema.get_mut("anyOf") {
            Some(Value::Array(branches)) if self.dialect.lone_unions => branches.first_mut(),
            _ => None,
        };
        if let Some(Value::Object(first)) = first {
            let text = joined(told, super::walk::description(first));
            describe(first, &text);
        } else {
            describe(&mut schema, told);
        }
        schema
    }

    fn with_null(&self, mut schema: Schema) -> Schema {
        if self.dialect.null == Null::Keyword {
            match schema.get_mut("anyOf") {
                Some(Value::Array(branches)) => {
                    for branch in branches.iter_mut().filter_map(Value::as_object_mut) {
                        branch.insert("nullable".to_owned(), json!(true));
                    }
                }
                _ => drop(schema.insert("nullable".to_owned(), json!(true))),
            }
            return schema;
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = schema.get_mut(keyword) {
                branches.push(json!({"type": "null"}));
                return schema;
            }
        }
        match schema.get("type").cloned() {
            Some(Value::String(kind)) if kind == "null" => schema,
            Some(Value::String(kind)) if !schema.contains_key("enum") && kind != "object" => {
                schema.insert("type".to_owned(), json!([kind, "null"]));
                schema
            }
            None if schema.is_empty() => schema, // anything
            _ => {
                let default = schema.remove("default");
                let mut union = Map::from_iter([("anyOf".to_owned(), json!([schema, {"type": "null"}]))]);
                union.extend(default.map(|default| ("default".to_owned(), default)));
                union
            }
        }
    }

    fn anything(&mut self, path: &str) -> Schema {
        if self.dialect.strict {
            self.cannot(path, Rule::FreeForm, "a free-form value cannot be said strictly; give it a type");
            return Map::new();
        }
        if self.dialect.additional {
            return Map::new();
        }
        self.notes.add(
            path,
            Rule::FreeForm,
            "the provider wants a type, so that a free-form value is one of the basic types",
        );
        let kinds = json!([
            {"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "object"},
            {"type": "array", "items": {"type": "string"}},
        ]);
        Map::from_iter([("anyOf".to_owned(), kinds)])
    }

    fn choice(&mut self, values: &[Value], path: &str, told: &mut String) -> Schema {
        let mut kinds: Vec<(&str, Vec<Value>)> = Vec::new();
        for value in values {
            let kind = match value {
                Value::String(_) => "string",
                Value::Bool(_) => "boolean",
                Value::Number(number) if number.is_f64() => "number",
                _ => "integer",
            };
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, values)) => values.push(value.clone()),
                None => kinds.push((kind, vec![value.clone()])),
            }
        }
        let mut branches: Vec<Value> = Vec::new();
        for (kind, mut values) in kinds {
            let mut schema = typed(kind);
            if !self.dialect.only_text_choices || kind == "string" {
                let count = values.len();
                if self.dialect.only_text_choices {
                    values.retain(|value| value != ""); // refused: "enum[0]: cannot be empty"
                }
                if values.len() < count {
                    *told = words::added(told, "May be an empty text.");
                    self.notes.add(path, Rule::ConstraintInWords, "an empty text in an enum stands in the description");
                }
                if !values.is_empty() {
                    schema.insert("enum".to_owned(), Value::Array(values));
                }
            } else if !(kind == "boolean" && values.len() == 2) {
                *told = words::added(told, &words::one_of(&values));
                self.notes.add(
                    path,
                    Rule::ConstraintInWords,
                    "an enum of anything but texts stands in the description",
                );
            }
            branches.push(Value::Object(schema));
        }
        match branches.as_mut_slice() {
            [Value::Object(only)] => std::mem::take(only),
            _ => Map::from_iter([("anyOf".to_owned(), Value::Array(branches))]),
        }
    }

    fn list(&mut self, list: &List, node: &Node, path: &str, told: &mut String) -> Schema {
        let item = format!("{path}[*]");
        let mut schema = typed("array");
        if let Some(each) = list.uniform(&node.bounds) {
            let items = self.node(each, &item, false);
            schema.insert("items".to_owned(), Value::Object(items));
            return schema;
        }
        if self.dialect.tuples {
            let first: Vec<Value> =
                list.first.iter().map(|node| Value::Object(self.node(node, &item, false))).collect();
            schema.insert("prefixItems".to_owned(), Value::Array(first));
            if list.rest.shape != Shape::Anything && list.rest.shape != Shape::Nothing {
                let rest = self.node(&list.rest, &item, false);
                schema.insert("items".to_owned(), Value::Object(rest));
            }
            if list.rest.shape == Shape::Nothing {
                schema.insert("maxItems".to_owned(), json!(list.first.len()));
            }
            return schema;
        }
        self.cannot(
            path,
            Rule::TupleInWords,
            "a list of fixed positions cannot be said; use an object with named properties",
        );
        let positions: Vec<String> = list.first.iter().map(words::kind).collect();
        let order = format!("In this order: {}.", positions.join(", then "));
        self.copied += order.len() / 32;
        *told = words::added(told, &order);
        let mut kinds: Vec<&Node> = Vec::new();
        for node in &list.first {
            // Beyond a few, a kind may stand there twice rather than be compared with each.
            if !kinds.iter().take(64).any(|known| known.allows_the_same(node)) {
                kinds.push(node);
            }
        }
        let items = match kinds.as_slice() {
            [only] => self.node(only, &item, false),
            _ => {
                let branches: Vec<Value> =
                    kinds.iter().map(|node| Value::Object(self.node(node, &item, false))).collect();
                Map::from_iter([("anyOf".to_owned(), self.spliced(branches))])
            }
        };
        schema.insert("items".to_owned(), Value::Object(items));
        schema
    }

    fn object(&mut self, object: &Object, path: &str, told: &mut String) -> Schema {
        let mut schema = typed("object");
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (name, property) in &object.properties {
            // A property that may be left out and has no value is no property.
            if property.node.shape == Shape::Nothing && !property.required {
                continue;
            }
            let path = property_path(path, name);
            let written = self.node(&property.node, &path, !property.required);
            if self.dialect.optional == Optional::RequiredAlone
                && !property.required
                && !self.takes_null(&property.node)
            {
                self.cannot(&path, Rule::KeywordDropped, NULL_REFUSED);
            }
            properties.insert(name.clone(), Value::Object(written));
            if property.required || self.requires_all() {
                required.push(name.as_str());
            }
        }
        let is_root = path == "$";
        let closes = match &object.additional {
            Additional::Closed => true,
            // No arguments, or a struct: a model has no use for other properties.
            Additional::Unsaid => is_root || !properties.is_empty(),
            Additional::Open | Additional::Map(_) => false,
        };
        if self.dialect.additional {
            let additional = match &object.additional {
                Additional::Closed => Some(json!(false)),
                Additional::Map(each) => Some(Value::Object(self.node(each, &format!("{path}.*"), false))),
                Additional::Unsaid | Additional::Open => None,
            };
            schema.extend(additional.map(|additional| ("additionalProperties".to_owned(), additional)));
        } else if self.dialect.strict {
            match &object.additional {
                _ if closes => drop(schema.insert("additionalProperties".to_owned(), json!(false))),
                Additional::Map(_) => self.cannot(path, Rule::MapInWords, "a map of free keys cannot be said strictly"),
                _ => self.cannot(path, Rule::MapInWords, "an object of free properties cannot be said strictly"),
            }
        } else if let Additional::Map(each) = &object.additional {
            self.notes.add(path, Rule::MapInWords, "the provider's schemas have no maps of free keys");
            let each = format!("Free property names, each value {}.", words::kind(each));
            self.copied += each.len() / 32;
            *told = words::added(told, &each);
        }
        if !(properties.is_empty() && self.dialect.lone_unions) {
            schema.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() || self.dialect.empty_required {
            schema.insert("required".to_owned(), json!(required));
        }
        schema
    }

    /// Where every property is required, an object that takes a few of them at once has no value that would do.
    fn fewer_than_all(&mut self, node: &Node, path: &str) {
        let Shape::Object(object) = &node.shape else { return };
        let most = node.bounds.get("maxProperties").and_then(Value::as_u64).filter(|_| self.requires_all());
        if let Some(most) = most.filter(|most| *most < object.properties.len() as u64) {
            let what = format!("the provider requires every property, of which the tool takes {most} at once");
            self.cannot(path, Rule::KeywordDropped, &what);
        }
    }

    /// Whether a property that may be left out is required all the same.
    fn requires_all(&self) -> bool {
        matches!(self.dialect.optional, Optional::RequiredNull | Optional::RequiredAlone)
    }

    fn takes_null(&self, node: &Node) -> bool {
        node.nullable
            || match &node.shape {
                Shape::Null | Shape::Anything => true,
                Shape::Reference(name) => self.document.definitions.get(name).is_some_and(|target| target.nullable),
                _ => false,
            }
    }

    fn union(&mut self, union: &Union, path: &str) -> Schema {
        let branches: Vec<Value> =
            union.branches.iter().map(|branch| Value::Object(self.node(branch, path, false))).collect();
        if union.exclusive && !self.dialect.one_of {
            self.notes.add(path, Rule::UnionWidened, "exactly one of several forms is offered as any of them");
        }
        let keyword = if union.exclusive && self.dialect.one_of { "oneOf" } else { "anyOf" };
        Map::from_iter([(keyword.to_owned(), self.spliced(branches))])
    }

    /// The branches of a union. Where a union stands alone, one within it is spliced in: its branches take what is said
    /// of it.
    fn spliced(&self, branches: Vec<Value>) -> Value {
        if !self.dialect.lone_unions {
            return Value::Array(branches);
        }
        let mut flat = Vec::new();
        for mut branch in branches {
            match branch.get_mut("anyOf").map(Value::take) {
                Some(Value::Array(inner)) => flat.extend(inner),
                _ => flat.push(branch),
            }
        }
        Value::Array(flat)
    }

    fn reference(&mut self, node: &Node, name: &str, path: &str, optional: bool) -> Schema {
        if self.dialect.references == References::Kept {
            if self.used.insert(name.to_owned()) {
                self.waiting.push(name.to_owned());
            }
            let reference = Map::from_iter([("$ref".to_owned(), json!(format!("#/$defs/{name}")))]);
            return self.finish(node, reference, node.description.clone(), optional);
        }
        let Some(target) = self.document.definitions.get(name) else { return plain_object() };
        if self.within.iter().any(|outer| outer == name) {
            // Once a definition: it comes back to itself at many places.
            if self.cut.insert(name.to_owned()) {
                let what = format!("`{name}` contains itself, which the provider's schemas cannot say without end");
                self.cannot(path, Rule::RecursionCut, &what);
            }
            let told = joined(&node.description, &target.description);
            return self.finish(node, plain_object(), told, optional);
        }
        if self.written > MOST_WRITTEN || self.copied > MOST_COPIED {
            self.too_large(path); // before it is copied
            return plain_object();
        }
        let outer = Node {
            description: joined(&node.description, &target.description),
            default: node.default.clone().or_else(|| target.default.clone()),
            nullable: node.nullable || target.nullable,
            ..target.clone()
        };
        self.within.push(name.to_owned());
        let schema = self.node(&outer, path, optional);
        self.within.pop();
        schema
    }

    /// Writes the bounds that the dialect has, and says the others in words.
    fn bounds(&mut self, node: &Node, path: &str, schema: &mut Schema, told: &mut String) {
        let mut said = node.bounds.clone();
        said.retain(|keyword, value| {
            let written = (self.dialect.bound)(&node.shape, keyword, value);
            if written {
                schema.insert(keyword.clone(), value.clone());
            }
            !written && !words::is_noise(value)
        });
        if node.shape == Shape::Integer {
            whole_bounds(&mut said, schema, self.dialect);
        }
        if said.is_empty() {
            return;
        }
        let keywords: Vec<&str> = said.keys().map(String::as_str).collect();
        *told = words::added(told, &words::bounds(&said));
        let message =
            format!("the provider's schemas cannot say {}, so that the description does", keywords.join(", "));
        self.notes.add(path, Rule::ConstraintInWords, message);
    }
}

/// A whole number above 3 is at least 4.
fn whole_bounds(said: &mut BTreeMap<String, Value>, schema: &mut Schema, dialect: &Dialect) {
    for (exclusive, inclusive, step) in [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)] {
        let bound = said.get(exclusive).and_then(Value::as_i64).and_then(|bound| bound.checked_add(step));
        if let Some(bound) = bound.map(|bound| json!(bound))
            && (dialect.bound)(&Shape::Integer, inclusive, &bound)
        {
            schema.insert(inclusive.to_owned(), bound);
            said.remove(exclusive);
        }
    }
}

fn typed(kind: &str) -> Schema {
    Map::from_iter([("type".to_owned(), json!(kind))])
}

fn plain_object() -> Schema {
    typed("object")
}
