//! A schema as the providers with a subset of JSON Schema see it: one shape a node. What no such provider can say is
//! kept by name, so that nothing is lost in silence.

use serde_json::Value;
use std::collections::BTreeMap;

use super::walk::weight;

/// Stands among the keywords that cannot be said, where a schema was not read on.
pub(super) const TOO_LARGE: &str = "(too large)";

/// A schema with its recursive (or otherwise referenced) parts.
pub(super) struct Document {
    pub(super) root: Node,
    pub(super) definitions: BTreeMap<String, Node>,
}

/// One schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    pub(super) description: String,
    pub(super) default: Option<Value>,
    pub(super) examples: Vec<Value>,
    /// Whether `null` is allowed besides.
    pub(super) nullable: bool,
    /// Bounds, `pattern`, `format` and such: keywords that hold for the shape.
    pub(super) bounds: BTreeMap<String, Value>,
    /// Keywords that have no place in this model.
    pub(super) unsaid: Vec<String>,
    pub(super) shape: Shape,
}

/// What values a schema allows, its bounds aside.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Shape {
    /// Any value.
    #[default]
    Anything,
    /// No value.
    Nothing,
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    /// One of these values, none of them `null`, an object or a list.
    Choice(Vec<Value>),
    List(List),
    Object(Object),
    Union(Union),
    /// A definition of the document, by its name there.
    Reference(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct List {
    /// What stands at the first positions.
    pub(super) first: Vec<Node>,
    /// What stands at all further ones.
    pub(super) rest: Box<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Object {
    pub(super) properties: BTreeMap<String, Property>,
    pub(super) additional: Additional,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Property {
    pub(super) node: Node,
    pub(super) required: bool,
}

/// Properties that are not named.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Additional {
    /// Not said. An object that names its properties may be closed: a model has no use for others.
    Unsaid,
    /// Refused.
    Closed,
    /// Any.
    Open,
    /// Each of this schema.
    Map(Box<Node>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Union {
    pub(super) branches: Vec<Node>,
    /// Whether a value that two branches allow is refused, and some value might be one.
    pub(super) exclusive: bool,
}

impl Node {
    pub(super) fn of(shape: Shape) -> Self {
        Self { shape, ..Self::default() }
    }

    /// How much there is to write of this one, in values of up to 32 bytes; what is below counts by itself.
    pub(super) fn weight(&self) -> usize {
        let values = self.bounds.values().chain(&self.default).chain(&self.examples);
        let texts = self.description.len() + self.unsaid.iter().map(String::len).sum::<usize>();
        let shape = match &self.shape {
            Shape::Choice(values) => values.iter().map(|value| weight(value, usize::MAX)).sum(),
            Shape::Object(object) => object.properties.keys().map(|name| name.len() / 32).sum(),
            _ => 0,
        };
        1 + texts / 32 + values.map(|value| weight(value, usize::MAX)).sum::<usize>() + shape
    }

    /// Whether both allow the same values.
    pub(super) fn allows_the_same(&self, other: &Self) -> bool {
        (self.nullable, &self.bounds, &self.unsaid, &self.shape)
            == (other.nullable, &other.bounds, &other.unsaid, &other.shape)
    }
}

impl List {
    /// The schema of each item, where all positions have the same.
    pub(super) fn uniform(&self, bounds: &BTreeMap<String, Value>) -> Option<&Node> {
        let Some(first) = self.first.first() else { return Some(&self.rest) };
        let longest = bounds.get("maxItems").and_then(Value::as_u64);
        let no_more = longest
            .is_some_and(|longest| usize::try_from(longest).is_ok_and(|longest| longest <= self.first.len()))
            || self.rest.shape == Shape::Nothing;
        let same = self.first.iter().all(|node| node.allows_the_same(first));
        (same && (no_more || self.rest.allows_the_same(first))).then_some(first)
    }
}
