//! A schema made ready for walking arguments: compiled once a tool.

mod choose;
mod compile;

use regex_lite::Regex;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

pub(super) use choose::{Choice, Own};
pub(super) use compile::Trail;

use super::input::{Kind, Text};
use super::number::Exact;

/// A schema as a graph of nodes; `$ref` is an edge like any other.
#[derive(Debug)]
pub(super) struct Plan {
    nodes: Vec<Node>,
    root: NodeId,
    /// How many forms the alternatives have that have most.
    pub(super) widest: usize,
    /// Whether any keyword says more than a decoder of the type knows by itself.
    pub(super) has_constraints: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeId(usize);

impl Plan {
    pub(super) fn compile(schema: &Value) -> Result<Self, UnenforceableSchema> {
        compile::plan(schema)
    }

    /// One value, as the property `name` of an object.
    #[cfg(any(feature = "export", feature = "runtime"))]
    pub(super) fn of_value(name: &str, schema: &Value, document: &Value) -> Result<Self, UnenforceableSchema> {
        compile::plan_of_value(name, schema, document)
    }

    /// Any object.
    pub(super) fn any_object() -> Self {
        Self::of(Kinds::OBJECT)
    }

    /// Any JSON.
    pub(super) fn anything() -> Self {
        Self::of(Kinds::ALL)
    }

    fn of(kinds: Kinds) -> Self {
        let mut node = Node { kinds, admits: kinds, ..Node::default() };
        node.free = node.free_scalars();
        Self { nodes: vec![node], root: NodeId(0), widest: 0, has_constraints: false }
    }

    pub(super) fn root(&self) -> NodeId {
        self.root
    }

    /// Whether any schema names a property so.
    pub(super) fn names(&self, name: Text<'_>) -> bool {
        self.nodes.iter().filter_map(|node| node.object.as_ref()).any(|object| object.find(name, 0).is_some())
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// Whether a property that is not named may be null: its null says something.
    pub(super) fn admits_null(&self, rules: &ObjectRules, name: &str) -> bool {
        let admits = |node: NodeId| self.node(node).admits.holds(Kinds::NULL);
        let mut matching = rules.patterns.iter().filter(|(pattern, _)| pattern.is_match(name)).peekable();
        match rules.additional {
            _ if matching.peek().is_some() => matching.all(|(_, node)| admits(*node)),
            Additional::Refused => false,
            Additional::Anything => true,
            Additional::Schema(node) => admits(node),
        }
    }

    /// What a schema says of an object, by itself or through a reference.
    pub(super) fn object_of(&self, id: NodeId) -> Option<&ObjectRules> {
        choose::resolved(&self.nodes, id).object.as_ref()
    }
}

/// One schema.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// What `type` allows.
    pub(super) kinds: Kinds,
    /// What all keywords together can allow.
    pub(super) admits: Kinds,
    /// The values of `enum` or `const`, or of alternatives that are constants one and all.
    pub(super) allowed: Option<Vec<Value>>,
    pub(super) number: Option<NumberRules>,
    pub(super) string: Option<StringRules>,
    pub(super) array: Option<ArrayRules>,
    pub(super) object: Option<ObjectRules>,
    /// Schemas that hold as well: `allOf`, a `$ref` with siblings.
    pub(super) all: Vec<NodeId>,
    /// `anyOf` and `oneOf`.
    pub(super) alternatives: Vec<Alternatives>,
    pub(super) not: Option<NodeId>,
    /// `anyOf` of one schema and null: null, or that.
    pub(super) or_null: Option<NodeId>,
    /// Scalar kinds that are all there is to say, so that such a value need not be looked into.
    pub(super) free: Kinds,
    /// Whether a value can be checked while it is decoded. Not so where several schemas read the same value.
    pub(super) in_one_reading: bool,
    /// The first of `examples`, as text.
    pub(super) example: Option<String>,
}

impl Node {
    /// Whether there is more to see to than the kind of a value.
    pub(super) fn has_rules(&self) -> bool {
        self.allowed.is_some()
            || self.number.is_some()
            || self.string.is_some()
            || self.array.is_some()
            || self.object.is_some()
            || (self.kinds.holds(Kinds::INTEGER) && !self.kinds.holds(Kinds::NUMBER))
    }

    /// Whether arrays and objects may hold anything, for all it says.
    pub(super) fn says_nothing_of_structure(&self) -> bool {
        let is_alone = !self.has_more() && self.not.is_none() && self.allowed.is_none();
        is_alone && self.array.is_none() && self.object.is_none()
    }

    /// See [`Node::free`]. A number is looked into at any rate: it may be out of range.
    pub(super) fn free_scalars(&self) -> Kinds {
        if self.has_more() || self.not.is_some() || self.allowed.is_some() {
            return Kinds::NONE;
        }
        let text = if self.string.is_none() { Kinds::STRING } else { Kinds::NONE };
        self.kinds.and(Kinds::NULL.with(Kinds::BOOL).with(text))
    }

    /// See [`Node::in_one_reading`].
    pub(super) fn is_read_once(&self) -> bool {
        let is_one = self.all.is_empty() && self.alternatives.is_empty() && self.not.is_none();
        if self.or_null.is_some() {
            return is_one && !self.has_rules();
        }
        let compares_structures =
            self.allowed.is_some() && self.kinds.and(Kinds::ARRAY.with(Kinds::OBJECT)) != Kinds::NONE;
        let knows_objects = match &self.object {
            Some(rules) => rules.patterns.is_empty() && rules.names.is_none(),
            None => !self.kinds.holds(Kinds::OBJECT),
        };
        is_one && !compares_structures && knows_objects && !self.array.as_ref().is_some_and(|rules| rules.unique)
    }

    /// Whether further schemas read the same value.
    pub(super) fn has_more(&self) -> bool {
        !self.all.is_empty() || !self.alternatives.is_empty() || self.or_null.is_some()
    }
}

#[derive(Debug)]
pub(super) struct NumberRules {
    /// The bounds, and whether the bound itself is out.
    pub(super) minimum: Option<(Exact, bool)>,
    pub(super) maximum: Option<(Exact, bool)>,
    /// The bounds as the schema writes them.
    pub(super) minimum_text: String,
    pub(super) maximum_text: String,
    pub(super) multiple_of: Option<String>,
}

#[derive(Debug)]
pub(super) struct StringRules {
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) pattern: Option<Regex>,
}

#[derive(Debug)]
pub(super) struct ArrayRules {
    pub(super) prefix: Vec<NodeId>,
    /// Every element after the prefix; `None` where any value will do.
    pub(super) items: Option<NodeId>,
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) unique: bool,
}

#[derive(Debug, Default)]
pub(super) struct ObjectRules {
    /// By name, sorted.
    pub(super) properties: Vec<Property>,
    pub(super) patterns: Vec<(Regex, NodeId)>,
    pub(super) additional: Additional,
    /// Names that are required and not among the properties.
    pub(super) required_others: Vec<String>,
    /// Names that some form of the same object knows, sorted. A provider that offers all forms as one object, each property
    /// required and nullable, has a model write `null` for those of other forms.
    pub(super) of_all_forms: Arc<[String]>,
    pub(super) names: Option<NodeId>,
    pub(super) min_properties: Option<u64>,
    pub(super) max_properties: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) node: NodeId,
    pub(super) required: bool,
    pub(super) admits_null: bool,
}

/// What holds for a property that the schema does not name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Additional {
    Refused,
    #[default]
    Anything,
    Schema(NodeId),
}

#[derive(Debug)]
pub(super) struct Alternatives {
    pub(super) branches: Vec<NodeId>,
    /// `oneOf`: not more than one may hold.
    pub(super) exactly_one: bool,
    /// How the branch is told from the value, where the branches are made so.
    pub(super) choice: Option<Choice>,
}

impl ObjectRules {
    /// Whether an object of these keys has all that are required, and no other than those that are named.
    pub(super) fn has_the_keys(&self, keys: &[Text<'_>]) -> bool {
        let required = self.properties.iter().filter(|property| property.required);
        keys.iter().all(|key| self.find(*key, 0).is_some())
            && required.map(|property| &property.name).all(|name| keys.iter().any(|key| key.is(name)))
            && self.required_others.is_empty()
    }

    /// The position of the property of this name; `next` is where it is most likely, since a model writes them in order.
    pub(super) fn find(&self, name: Text<'_>, next: usize) -> Option<usize> {
        const SCANNED: usize = 12;
        if self.properties.get(next).is_some_and(|property| name.is(&property.name)) {
            return Some(next);
        }
        if self.properties.len() <= SCANNED {
            return self.properties.iter().position(|property| name.is(&property.name));
        }
        self.properties.binary_search_by(|property| property.name.as_str().cmp(&name.decoded())).ok()
    }
}

/// A set of kinds of JSON values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOL: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    /// Any number; integers are among them.
    pub(super) const NUMBER: Self = Self(8 | 4);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ALL: Self = Self(127);

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of `other` are in it.
    pub(super) fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a value of this kind may be in it.
    pub(super) fn meets(self, kind: Kind) -> bool {
        let kinds = match kind {
            Kind::Null => Self::NULL,
            Kind::Bool => Self::BOOL,
            Kind::Number => Self::NUMBER,
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
        };
        self.and(kinds) != Self::NONE
    }
}

/// A schema that the parse boundary cannot hold a caller to, and so must not advertise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnenforceableSchema {
    path: String,
    reason: String,
}

impl UnenforceableSchema {
    pub(super) fn new(path: impl fmt::Display, reason: impl Into<String>) -> Self {
        Self { path: path.to_string(), reason: reason.into() }
    }

    /// Where in the schema, as a JSON pointer; empty for the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Why, and what to do.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for UnenforceableSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the schema at `#{}` cannot be enforced: {}", self.path, self.reason)
    }
}

impl std::error::Error for UnenforceableSchema {}
