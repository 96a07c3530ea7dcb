//! From the keywords of a schema to a [`Plan`].

use regex_lite::Regex;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::{
    Additional, Alternatives, ArrayRules, Kinds, Node, NodeId, NumberRules, ObjectRules, Plan, Property, StringRules,
    UnenforceableSchema, choose,
};
use crate::args::number::{self, Exact};

type Compiled<T> = Result<T, UnenforceableSchema>;

/// Keywords that constrain a value and are not implemented here: a schema that leans on one is refused, since it would
/// promise what nobody keeps. Everything else that is unknown is an annotation.
const UNENFORCED: [&str; 13] = [
    "$dynamicRef",
    "$recursiveRef",
    "additionalItems",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "minContains",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Whether such a keyword constrains something in this schema. `unevaluatedProperties: true`, which the generator writes for
/// a map that is flattened beside an enum, allows whatever is left.
fn constrains(object: &Map<String, Value>, keyword: &str) -> bool {
    let allows_all = |value: &Value| *value == Value::Bool(true) || value.as_object().is_some_and(Map::is_empty);
    object.get(keyword).is_some_and(|value| !keyword.starts_with("unevaluated") || !allows_all(value))
}

/// Whether an enum is flattened into the object that may be left out. The generator says so by a form `{}`, which takes
/// every object: the enum's own forms then demand nothing, and what fits none of them is dropped by the decoder.
fn is_optional_flattened(object: &Map<String, Value>) -> bool {
    let takes_all = |schema: &Map<String, Value>| {
        let forms = schema.get("anyOf").and_then(Value::as_array);
        forms.is_some_and(|forms| forms.len() > 1 && forms.contains(&Value::Object(Map::new())))
    };
    // Several flattened enums stand in an `allOf`.
    let parts = object.get("allOf").and_then(Value::as_array).into_iter().flatten();
    object.get("type").is_some_and(|kind| kind == "object")
        && parts.filter_map(Value::as_object).chain([object]).any(takes_all)
}

const OPTIONAL_FLATTENED: &str = "a form `{}` among others takes whatever fits none of them, and a decoder drops it. That is \
    what `#[serde(flatten)]` makes of an `Option` of an enum: give the enum a property of its own, without `flatten`, or \
    flatten the enum itself and give it a variant for nothing";

pub(super) fn plan(schema: &Value) -> Compiled<Plan> {
    let mut compiler = Compiler::over(schema);
    let root = compiler.referred("")?;
    compiler.finish(root)
}

/// A plan for an object whose one property `name` is a value of `schema`, which stands in `document` or may: references lead
/// there, also those to its root.
#[cfg(any(feature = "export", feature = "runtime"))]
pub(super) fn plan_of_value(name: &str, schema: &Value, document: &Value) -> Compiled<Plan> {
    let mut compiler = Compiler::over(document);
    let node = compiler.schema(schema, Trail::At(""))?;
    let properties = vec![Property { name: name.to_owned(), node, required: true, admits_null: false }];
    let root = compiler.reserve();
    compiler.nodes[root.0] = Node {
        kinds: Kinds::OBJECT,
        object: Some(ObjectRules { properties, additional: Additional::Refused, ..ObjectRules::default() }),
        ..Node::default()
    };
    compiler.finish(root)
}

struct Compiler<'s> {
    root: &'s Value,
    nodes: Vec<Node>,
    /// The targets of references, by pointer; in the map before they are compiled, so that recursion ends.
    referred: HashMap<String, NodeId>,
    /// Of these, the ones that are not compiled yet.
    waiting: Vec<(NodeId, &'s Value, String)>,
    /// How many schemas the one that is being compiled stands in.
    depth: usize,
    constrained: bool,
}

/// Where in the schema, as a list on the stack that is only written out for a refusal: a long name would count at all
/// that is below it.
#[derive(Clone, Copy)]
pub(in crate::args) enum Trail<'p> {
    /// A JSON pointer.
    At(&'p str),
    Step(&'p Trail<'p>, &'p str),
}

impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(pointer) => f.write_str(pointer),
            Self::Step(parent, step) => write!(f, "{parent}/{}", step.replace('~', "~0").replace('/', "~1")),
        }
    }
}

/// How deep schemas may stand in one another: no arguments are read as deep as that.
const DEEPEST: usize = 100;
/// Through how many references and alternatives one value may lead: the walk takes stack for each.
const MOST_LINKS: usize = 100;

impl<'s> Compiler<'s> {
    fn over(root: &'s Value) -> Self {
        Self { root, nodes: Vec::new(), referred: HashMap::new(), waiting: Vec::new(), depth: 0, constrained: false }
    }

    /// Compiles what is referred to, and what is only known once all nodes are there.
    fn finish(mut self, root: NodeId) -> Compiled<Plan> {
        // One after the other, so that a long chain of references takes no stack.
        while let Some((id, schema, pointer)) = self.waiting.pop() {
            self.nodes[id.0] = self.node(schema, Trail::At(&pointer))?;
        }
        self.refuse_loops()?;
        let mut nodes = self.nodes;
        choose::admitted(&mut nodes);
        choose::choices(&mut nodes);
        let widths = nodes.iter().flat_map(|node| &node.alternatives).map(|alternatives| alternatives.branches.len());
        let widest = widths.max().unwrap_or(0);
        Ok(Plan { nodes, root, widest, has_constraints: self.constrained })
    }

    fn reserve(&mut self) -> NodeId {
        self.nodes.push(Node::default());
        NodeId(self.nodes.len() - 1)
    }

    fn referred(&mut self, pointer: &str) -> Compiled<NodeId> {
        if let Some(id) = self.referred.get(pointer) {
            return Ok(*id);
        }
        let root: &'s Value = self.root;
        let Some(schema) = root.pointer(pointer) else {
            return Err(UnenforceableSchema::new(Trail::At(pointer), "a `$ref` leads here, and there is no schema"));
        };
        let id = self.reserve();
        self.referred.insert(pointer.to_owned(), id);
        self.waiting.push((id, schema, pointer.to_owned()));
        Ok(id)
    }

    fn schema(&mut self, schema: &'s Value, path: Trail<'_>) -> Compiled<NodeId> {
        if self.depth == DEEPEST {
            return Err(UnenforceableSchema::new(path, format!("more than {DEEPEST} schemas within one another")));
        }
        self.depth += 1;
        let node = self.node(schema, path)?;
        self.depth -= 1;
        self.nodes.push(node);
        Ok(NodeId(self.nodes.len() - 1))
    }

    fn node(&mut self, schema: &'s Value, path: Trail<'_>) -> Compiled<Node> {
        let object = match schema {
            Value::Bool(true) => return Ok(Node { kinds: Kinds::ALL, ..Node::default() }),
            Value::Bool(false) => return Ok(Node::default()),
            Value::Object(object) => object,
            _ => return Err(UnenforceableSchema::new(path, "a schema is an object or a boolean")),
        };
        if is_optional_flattened(object) {
            return Err(UnenforceableSchema::new(path, OPTIONAL_FLATTENED));
        }
        if let Some(keyword) = UNENFORCED.iter().find(|keyword| constrains(object, keyword)) {
            let reason = format!("the keyword `{keyword}` is not supported; say it in the description instead");
            return Err(UnenforceableSchema::new(path, reason));
        }
        let mut node = Node { kinds: kinds(object, path)?, allowed: allowed(object), ..Node::default() };
        self.constrained |= node.allowed.is_some();
        node.number = self.number(object, path, node.kinds)?;
        node.string = self.string(object, path)?;
        node.array = self.array(object, path)?;
        node.object = self.object(object, path)?;
        node.example = example(object);
        if let Some(target) = object.get("$ref").and_then(Value::as_str) {
            let Some(pointer) = target.strip_prefix('#') else {
                return Err(UnenforceableSchema::new(path, "only references within the schema are followed"));
            };
            node.all.push(self.referred(pointer)?);
        }
        if let Some(schemas) = object.get("allOf").and_then(Value::as_array) {
            node.all.extend(self.list(schemas, path, "allOf")?);
        }
        for (keyword, exactly_one) in [("anyOf", false), ("oneOf", true)] {
            if let Some(schemas) = object.get(keyword).and_then(Value::as_array) {
                self.alternatives(&mut node, schemas, path, keyword, exactly_one)?;
            }
        }
        if let Some(schema) = object.get("not") {
            self.constrained = true;
            node.not = Some(self.schema(schema, Trail::Step(&path, "not"))?);
        }
        Ok(node)
    }

    fn list(&mut self, schemas: &'s [Value], path: Trail<'_>, keyword: &str) -> Compiled<Vec<NodeId>> {
        let path = Trail::Step(&path, keyword);
        let compile = |(at, schema): (usize, _)| self.schema(schema, Trail::Step(&path, &at.to_string()));
        schemas.iter().enumerate().map(compile).collect()
    }

    fn alternatives(
        &mut self,
        node: &mut Node,
        schemas: &'s [Value],
        path: Trail<'_>,
        keyword: &str,
        exactly_one: bool,
    ) -> Compiled<()> {
        if node.allowed.is_none()
            && let Some(constants) = constants(schemas)
        {
            node.allowed = Some(constants);
            self.constrained = true;
            return Ok(());
        }
        let is_null = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "null");
        let or_null = match schemas {
            [null, schema] if !exactly_one && is_null(null) && !is_null(schema) => Some(schema),
            [schema, null] if !exactly_one && is_null(null) && !is_null(schema) => Some(schema),
            _ => None,
        };
        if let Some(schema) = or_null {
            node.or_null = Some(self.schema(schema, Trail::Step(&path, keyword))?);
            return Ok(());
        }
        self.constrained = true;
        let branches = self.list(schemas, path, keyword)?;
        node.alternatives.push(Alternatives { branches, exactly_one, choice: None });
        Ok(())
    }

    fn number(&mut self, schema: &Map<String, Value>, path: Trail<'_>, kinds: Kinds) -> Compiled<Option<NumberRules>> {
        let bound = |inclusive: &str, exclusive: &str, tighter: std::cmp::Ordering| {
            let read = |keyword: &str, is_exclusive| {
                let text = schema.get(keyword).filter(|bound| bound.is_number())?.to_string();
                Some((number::read(&text).exact, is_exclusive, text))
            };
            match (read(inclusive, false), read(exclusive, true)) {
                (Some(a), Some(b)) if b.0.compare(a.0) == tighter || b.0.compare(a.0).is_eq() => Some(b),
                (Some(a), _) => Some(a),
                (None, b) => b,
            }
        };
        let minimum = bound("minimum", "exclusiveMinimum", std::cmp::Ordering::Greater);
        let maximum = bound("maximum", "exclusiveMaximum", std::cmp::Ordering::Less);
        let multiple_of = schema.get("multipleOf").map(Value::to_string);
        if multiple_of.as_ref().is_some_and(|divisor| !number::read(divisor).is_positive()) {
            return Err(UnenforceableSchema::new(path, "`multipleOf` is a number above 0"));
        }
        if minimum.is_none() && maximum.is_none() && multiple_of.is_none() {
            return Ok(None);
        }
        let range = |bound: &Option<(Exact, bool, String)>| bound.as_ref().map(|(exact, ..)| *exact);
        self.constrained |= multiple_of.is_some()
            || kinds.holds(Kinds::NUMBER)
            || !is_range_of_a_type(range(&minimum), range(&maximum));
        let (minimum, minimum_text) = minimum.map_or((None, String::new()), |(a, b, text)| (Some((a, b)), text));
        let (maximum, maximum_text) = maximum.map_or((None, String::new()), |(a, b, text)| (Some((a, b)), text));
        Ok(Some(NumberRules { minimum, maximum, minimum_text, maximum_text, multiple_of }))
    }

    fn string(&mut self, schema: &Map<String, Value>, path: Trail<'_>) -> Compiled<Option<StringRules>> {
        let (min_length, max_length) = (count(schema, "minLength"), count(schema, "maxLength"));
        let pattern = schema.get("pattern").and_then(Value::as_str).map(|text| pattern(text, path)).transpose()?;
        if min_length.is_none() && max_length.is_none() && pattern.is_none() {
            return Ok(None);
        }
        self.constrained = true;
        Ok(Some(StringRules { min_length, max_length, pattern }))
    }

    fn array(&mut self, schema: &'s Map<String, Value>, path: Trail<'_>) -> Compiled<Option<ArrayRules>> {
        const KEYWORDS: [&str; 5] = ["items", "maxItems", "minItems", "prefixItems", "uniqueItems"];
        if !KEYWORDS.iter().any(|keyword| schema.contains_key(*keyword)) {
            return Ok(None);
        }
        let prefix = match schema.get("prefixItems").and_then(Value::as_array) {
            Some(schemas) => self.list(schemas, path, "prefixItems")?,
            None => Vec::new(),
        };
        let items = schema.get("items").map(|items| self.schema(items, Trail::Step(&path, "items"))).transpose()?;
        let (min_items, max_items) = (count(schema, "minItems"), count(schema, "maxItems"));
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        self.constrained |= min_items.is_some() || max_items.is_some() || unique;
        Ok(Some(ArrayRules { prefix, items, min_items, max_items, unique }))
    }

    fn object(&mut self, schema: &'s Map<String, Value>, path: Trail<'_>) -> Compiled<Option<ObjectRules>> {
        const KEYWORDS: [&str; 7] = [
            "additionalProperties",
            "maxProperties",
            "minProperties",
            "patternProperties",
            "properties",
            "propertyNames",
            "required",
        ];
        if !KEYWORDS.iter().any(|keyword| schema.contains_key(*keyword)) {
            return Ok(None);
        }
        let required: BTreeSet<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut properties: Vec<Property> = Vec::new();
        let below = Trail::Step(&path, "properties");
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let node = self.schema(property, Trail::Step(&below, name))?;
            let required = required.contains(name.as_str());
            properties.push(Property { name: name.clone(), node, required, admits_null: false });
        }
        properties.sort_by(|a, b| a.name.cmp(&b.name));
        let is_property = |name: &str| properties.binary_search_by(|property| property.name.as_str().cmp(name)).is_ok();
        let required_others: Vec<String> =
            required.iter().filter(|name| !is_property(name)).map(|name| (*name).to_owned()).collect();
        let mut patterns = Vec::new();
        let below = Trail::Step(&path, "patternProperties");
        for (text, property) in schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
            let path = Trail::Step(&below, text);
            patterns.push((pattern(text, path)?, self.schema(property, path)?));
        }
        let additional = match schema.get("additionalProperties") {
            None | Some(Value::Bool(true)) => Additional::Anything,
            Some(Value::Bool(false)) => Additional::Refused,
            Some(schema) => Additional::Schema(self.schema(schema, Trail::Step(&path, "additionalProperties"))?),
        };
        let names = schema.get("propertyNames");
        let names = names.map(|names| self.schema(names, Trail::Step(&path, "propertyNames"))).transpose()?;
        let (min_properties, max_properties) = (count(schema, "minProperties"), count(schema, "maxProperties"));
        self.constrained |= min_properties.is_some() || max_properties.is_some() || !patterns.is_empty();
        self.constrained |= names.is_some() || !required_others.is_empty();
        Ok(Some(ObjectRules {
            properties,
            patterns,
            additional,
            required_others,
            of_all_forms: Arc::default(),
            names,
            min_properties,
            max_properties,
        }))
    }

    /// A schema that is defined by itself, without a value in between, has no meaning and would be walked for ever; and
    /// one that leads through very many others would take the stack away.
    fn refuse_loops(&self) -> Compiled<()> {
        const LOOP: usize = usize::MAX;
        // The links that lead on from each node; `LOOP` while it is being looked at.
        fn links(nodes: &[Node], at: usize, depth: usize, known: &mut [Option<usize>]) -> Result<usize, &'static str> {
            match known[at] {
                Some(LOOP) => return Err("a `$ref` leads back to its own schema"),
                Some(links) => return Ok(links),
                None if depth > MOST_LINKS => {
                    return Err("one value leads through too many references and alternatives");
                }
                None => known[at] = Some(LOOP),
            }
            let node = &nodes[at];
            let branches = node.alternatives.iter().flat_map(|alternatives| &alternatives.branches);
            let mut most = 0;
            for next in node.all.iter().chain(branches).chain(&node.not).chain(&node.or_null) {
                most = most.max(links(nodes, next.0, depth + 1, known)? + 1);
            }
            known[at] = Some(most);
            Ok(most)
        }
        let mut known = vec![None; self.nodes.len()];
        for at in 0..self.nodes.len() {
            let links =
                links(&self.nodes, at, 0, &mut known).map_err(|why| UnenforceableSchema::new(Trail::At(""), why))?;
            if links > MOST_LINKS {
                return Err(UnenforceableSchema::new(
                    "",
                    "one value leads through too many references and alternatives",
                ));
            }
        }
        Ok(())
    }
}

fn kinds(schema: &Map<String, Value>, path: Trail<'_>) -> Compiled<Kinds> {
    let one = |name: &Value| {
        Ok(match name.as_str() {
            Some("null") => Kinds::NULL,
            Some("boolean") => Kinds::BOOL,
            Some("integer") => Kinds::INTEGER,
            Some("number") => Kinds::NUMBER,
            Some("string") => Kinds::STRING,
            Some("array") => Kinds::ARRAY,
            Some("object") => Kinds::OBJECT,
            _ => return Err(UnenforceableSchema::new(path, format!("{name} is no type of JSON"))),
        })
    };
    match schema.get("type") {
        None => Ok(Kinds::ALL),
        Some(Value::Array(names)) => names.iter().try_fold(Kinds::NONE, |kinds, name| Ok(kinds.with(one(name)?))),
        Some(name) => one(name),
    }
}

fn allowed(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(constant), Some(Value::Array(values))) if !values.contains(constant) => Some(Vec::new()),
        (Some(constant), _) => Some(vec![constant.clone()]),
        (None, values) => values.and_then(Value::as_array).cloned(),
    }
}

/// The values of alternatives that are constants one and all, as the variants of a documented enum are.
fn constants(schemas: &[Value]) -> Option<Vec<Value>> {
    const ANNOTATIONS: [&str; 5] = ["const", "deprecated", "description", "enum", "title"];
    let mut constants: Vec<Value> = Vec::new();
    let mut seen = HashSet::new();
    for schema in schemas {
        let schema = schema.as_object()?;
        let kind = schema.get("type").is_none_or(|kind| kind == "string");
        let values = allowed(schema)?;
        let is_constant = values.iter().all(Value::is_string)
            && kind
            && schema.keys().all(|key| key == "type" || ANNOTATIONS.contains(&key.as_str()))
            && values.iter().all(|value| seen.insert(value.clone()));
        if !is_constant {
            return None;
        }
        constants.extend(values);
    }
    Some(constants)
}

fn example(schema: &Map<String, Value>) -> Option<String> {
    let example = schema.get("examples").and_then(Value::as_array).and_then(|examples| examples.first());
    let text = example.or_else(|| schema.get("example"))?.to_string();
    (text.chars().count() <= 80).then_some(text)
}

fn pattern(text: &str, path: Trail<'_>) -> Compiled<Regex> {
    Regex::new(text).map_err(|error| UnenforceableSchema::new(path, format!("the pattern {text:?}: {error}")))
}

fn count(schema: &Map<String, Value>, keyword: &str) -> Option<u64> {
    let value = schema.get(keyword)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // `2.0` counts as 2
    value.as_u64().or_else(|| value.as_f64().map(|float| float.ceil() as u64))
}

/// Whether these are the bounds of an integer type, which its decoder keeps by itself.
fn is_range_of_a_type(minimum: Option<Exact>, maximum: Option<Exact>) -> bool {
    let integer = |bound| match bound {
        Some(Exact::Integer(integer)) => Some(integer),
        _ => None,
    };
    let (Some(minimum), Some(maximum)) = (integer(minimum), integer(maximum)) else { return false };
    [8, 16, 32, 64].iter().any(|bits| {
        let half = 1_i128 << (bits - 1);
        (minimum, maximum) == (0, 2 * half - 1) || (minimum, maximum) == (-half, half - 1)
    })
}
