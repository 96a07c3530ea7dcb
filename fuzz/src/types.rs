//! Argument types of every kind that serde has, for the target `arguments`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tool_core::{ArgumentMode, Tool, ToolError, async_trait, tool};

/// Plain fields.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plain {
    text: String,
    count: u32,
    large: u64,
    signed: Option<i8>,
    ratio: f64,
    #[serde(default)]
    flag: bool,
    #[serde(default)]
    limit: u16,
    list: Vec<i64>,
    note: Option<String>,
}

/// Fields with constraints of their own.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Constrained {
    #[schemars(range(min = 1, max = 10))]
    from_one: u32,
    #[schemars(range(min = -0.5, max = 0.5))]
    half: Option<f64>,
    #[schemars(length(min = 1, max = 3))]
    short: String,
    #[schemars(regex(pattern = "^[a-z]+$"))]
    word: Option<String>,
    #[schemars(length(min = 1, max = 2))]
    few: Vec<String>,
    set: Option<BTreeSet<u8>>,
    #[schemars(extend("multipleOf" = 5))]
    fives: Option<i32>,
    letter: Option<char>,
    pair: Option<(u8, String)>,
    triple: Option<[bool; 3]>,
}

/// An enum of bare names.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    Small,
    Large,
}

/// An internally tagged enum.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
pub enum Shape {
    Circle { radius: u32 },
    Named(Name),
    Group { members: Vec<Shape> },
    Point,
}

/// An adjacently tagged enum.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
pub enum Adjacent {
    One(u8),
    Two { x: u8 },
    Three,
}

/// An externally tagged enum.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum External {
    One(u8),
    Two { x: u8 },
    Pair(u8, String),
    Three,
    Four,
}

/// An untagged enum.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Untagged {
    Number(u8),
    Text(Size),
    Named(Name),
    Aged { name: String, age: u8 },
    List(Vec<bool>),
}

/// One field.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Name {
    name: String,
}

/// Every kind of enum.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Enums {
    size: Option<Size>,
    shape: Option<Shape>,
    adjacent: Option<Adjacent>,
    external: Option<External>,
    untagged: Option<Untagged>,
    many: Option<Vec<Untagged>>,
    required: Shape,
}

/// Structs, maps and trees within one another.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Nested {
    map: BTreeMap<String, Name>,
    numbered: Option<BTreeMap<u8, bool>>,
    free: Option<Value>,
    #[serde(flatten)]
    flat: Flat,
    tree: Option<Tree>,
    #[serde(default)]
    unit: (),
    deep: Option<Vec<Option<Vec<Option<u8>>>>>,
}

/// Flattened into another.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flat {
    inside: u8,
    choice: Option<Size>,
}

/// A recursive struct.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    value: u8,
    children: Vec<Tree>,
    next: Option<Box<Tree>>,
}

/// A struct with a map flattened into it.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlatMap {
    own: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

/// A struct with an enum flattened into it.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlatEnum {
    own: u8,
    #[serde(flatten)]
    shape: Shape,
}

/// A recursive untagged enum within a struct: alternatives within alternatives.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Formula {
    term: Term,
}

/// No property tells these apart by itself.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Term {
    Number(i32),
    Sum { left: Box<Term>, right: Box<Term> },
    Negated { left: Box<Term>, minus: bool },
    List(Vec<Term>),
}

/// A tool of the macro, lenient.
#[tool(id = "lenient")]
#[allow(clippy::too_many_arguments)]
pub fn lenient(
    /// A text.
    text: String,
    /// A number.
    #[arg(default = 10, range(1..=100))]
    limit: u32,
    /// Texts.
    tags: Vec<String>,
    /// Since when.
    since: Option<String>,
    /// How large.
    size: Option<Size>,
    /// A shape.
    shape: Option<Shape>,
) -> Value {
    serde_json::json!({
        "text": text, "limit": limit, "tags": tags, "since": since, "size": size, "shape": shape,
    })
}

/// A tool of the macro, strict, whose decoder is known to be so.
#[tool(id = "strict", strict)]
pub fn strict(
    /// A text.
    text: String,
    /// A number.
    count: u64,
    /// A switch.
    flag: Option<bool>,
    /// Numbers.
    list: Vec<i16>,
) -> Value {
    serde_json::json!({"text": text, "count": count, "flag": flag, "list": list})
}

/// A tool by hand.
pub struct ByHand;

#[async_trait]
impl Tool for ByHand {
    type Args = Nested;
    type Output = Nested;
    const ID: &'static str = "by_hand";
    const DESCRIPTION: &'static str = "Answers with its arguments.";

    fn argument_mode(&self) -> ArgumentMode {
        ArgumentMode::Lenient
    }

    async fn call(&self, args: Nested) -> Result<Nested, ToolError> {
        Ok(args)
    }
}
