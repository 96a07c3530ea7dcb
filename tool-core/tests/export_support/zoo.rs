//! Argument types of every shape that serde and schemars give, as tools.

#![allow(clippy::option_option, clippy::type_complexity)] // some animals are strange

mod details;
mod enums;
mod foreign;

use details::*;
use enums::*;
use foreign::foreign;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use tool_core::{ToolAnnotations, ToolDescriptor, input_schema, tool};

/// A tool for each type, and schemas as other generators write them.
pub fn zoo() -> Vec<ToolDescriptor> {
    let mut zoo = typed();
    zoo.extend(foreign());
    zoo.extend([
        ToolDescriptor::for_tool::<SearchOrders>("zoo")
            .with_title(Some("Search orders".into()))
            .with_annotations(ToolAnnotations::new().with_read_only(true)),
        ToolDescriptor::for_tool::<Ping>("zoo"),
    ]);
    zoo
}

macro_rules! tools {
    ($($type:ty as $id:literal),* $(,)?) => {
        fn typed() -> Vec<ToolDescriptor> {
            vec![$(ToolDescriptor::new("zoo", $id, concat!("Takes ", stringify!($type), "."), input_schema::<$type>(), None),)*]
        }
    };
}

tools! {
    () as "unit",
    Empty as "empty",
    Numbers as "numbers",
    Texts as "texts",
    Options as "options",
    Option<Options> as "optional_root",
    Defaults as "defaults",
    Required as "required_nullable",
    Lists as "lists",
    Sets as "sets",
    Tuples as "tuples",
    Pairs as "uniform_tuples",
    Maps as "maps",
    FlatMap as "flattened_map",
    Free as "free_form",
    FreeObject as "free_object",
    Nested as "nested",
    Documented as "documented",
    Tagged as "tagged",
    TaggedClosed as "tagged_closed",
    External as "externally_tagged",
    Adjacent as "adjacently_tagged",
    UntaggedRoot as "untagged",
    HoldsTagged as "holds_tagged",
    HoldsUntagged as "holds_untagged",
    HoldsMixed as "holds_mixed_enum",
    UnitEnums as "unit_enums",
    OneVariant as "one_variant",
    Flattened as "flattened",
    FlattenedEnum as "flattened_enum",
    Tree as "tree",
    Described as "described_recursion",
    Mutual as "mutual_recursion",
    Expression as "recursive_enum",
    Holder as "holds_recursion",
    Newtype as "newtype",
    Generic<Point> as "generic",
    Renamed as "renamed",
    Hostile as "hostile_names",
    Formats as "formats",
    Constrained as "constrained",
    Wide as "wide",
    Deep as "deep",
    Deprecated as "deprecated",
    Examples as "examples",
    Constant as "constant",
    TwoUnions as "two_unions",
    Numbered as "numbered_map",
    BTreeMap<u32, f64> as "numbered_root",
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Empty {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Numbers {
    /// A byte.
    small: u8,
    signed: i32,
    large: u64,
    index: usize,
    ratio: f64,
    single: f32,
    huge: i128,
    yes: bool,
    nonzero: std::num::NonZeroU32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    /// Any text.
    text: String,
    letter: char,
    path: std::path::PathBuf,
    nothing: (),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Perhaps a text.
    text: Option<String>,
    number: Option<u16>,
    flag: Option<bool>,
    list: Option<Vec<String>>,
    point: Option<Point>,
    sort: Option<Sort>,
    shape: Option<Tagged>,
    map: Option<BTreeMap<String, i64>>,
    twice: Option<Option<u8>>,
    free: Option<Value>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    /// What to look for.
    q: String,
    lim: Option<u32>,
    #[serde(default)]
    k: u32,
    #[serde(default = "ten")]
    limit: u32,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    sort: Sort,
    #[serde(default)]
    note: Option<String>,
}

fn ten() -> u32 {
    10
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Required {
    /// Null where there is none.
    #[schemars(required)]
    text: Option<String>,
    #[schemars(required)]
    point: Option<Point>,
    #[schemars(required)]
    sort: Option<Plain>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lists {
    /// Lines.
    texts: Vec<String>,
    points: Vec<Point>,
    nested: Vec<Vec<u8>>,
    sorts: Vec<Sort>,
    three: [f64; 3],
    maybe: Vec<Option<u8>>,
    boxed: Box<[i32]>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sets {
    /// Each once.
    tags: HashSet<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tuples {
    /// Name and age.
    person: (String, u8),
    triple: (String, Point, Option<bool>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pairs {
    /// Longitude and latitude.
    place: (f64, f64),
    pair: PointPair,
}

#[derive(Deserialize, JsonSchema)]
pub struct PointPair(Point, Point);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Maps {
    /// Prices by product.
    prices: HashMap<String, u64>,
    points: BTreeMap<String, Point>,
    lists: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Numbered {
    /// Prices by number.
    prices: BTreeMap<u32, f64>,
}

#[derive(Deserialize, JsonSchema)]
pub struct FlatMap {
    /// The name.
    name: String,
    #[serde(flatten)]
    more: HashMap<String, i32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Free {
    /// Anything at all.
    value: Value,
    values: Vec<Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreeObject {
    /// Any object.
    object: serde_json::Map<String, Value>,
}

/// A point on a plane.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// To the right.
    x: f64,
    /// Upwards.
    y: f64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nested {
    /// Where to start.
    from: Point,
    to: Point,
    legs: Vec<Leg>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Leg {
    /// Where it ends.
    end: Point,
    speed: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Documented {
    /// Where the parcel goes.
    address: Address,
    /// In which order.
    sort: Sort,
    /// Null for the default order.
    other: Option<Sort>,
}

/// A postal address.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// Street and number.
    #[schemars(length(min = 1, max = 80))]
    street: String,
    zip: String,
}

/// An order of results.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// The newest first.
    #[default]
    Newest,
    /// The oldest first,
    /// the newest last.
    Oldest,
    Random,
}

#[derive(Deserialize, JsonSchema)]
pub enum Plain {
    A,
    B,
}

#[derive(Deserialize, JsonSchema)]
pub struct Flattened {
    /// The name.
    name: String,
    #[serde(flatten)]
    point: Point,
    #[serde(flatten)]
    more: More,
}

#[derive(Deserialize, JsonSchema)]
pub struct More {
    /// More or less.
    more: Option<u8>,
}

#[derive(Deserialize, JsonSchema)]
pub struct FlattenedEnum {
    /// The name.
    name: String,
    #[serde(flatten)]
    shape: Tagged,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// What it says.
    label: String,
    children: Vec<Tree>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Described {
    /// The node before.
    left: Option<Box<Described>>,
    /// The node after.
    right: Option<Box<Described>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mutual {
    /// The other one.
    other: Option<Box<Lautum>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lautum {
    back: Vec<Mutual>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Expression {
    /// A number.
    Number { value: f64 },
    /// A sum.
    Add { left: Box<Expression>, right: Box<Expression> },
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Holder {
    /// The tree to walk.
    tree: Tree,
    /// What to compute.
    expression: Box<Expression>,
    /// Perhaps another one.
    second: Option<Tree>,
}

#[derive(Deserialize, JsonSchema)]
pub struct Newtype(Point);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generic<T> {
    /// What is held.
    held: T,
    more: Vec<T>,
}

/// Search a customer's orders, newest first.
#[tool(read_only)]
fn search_orders(
    /// Customer id, as printed on the invoice.
    customer: String,
    /// How many orders to return.
    #[arg(default = 10)]
    limit: u32,
    /// Orders with any of these tags alone.
    #[arg(default = Vec::new())]
    tags: Vec<String>,
    since: Option<String>,
) -> String {
    format!("{customer}{limit}{tags:?}{since:?}")
}

/// Answers.
#[tool]
fn ping() -> String {
    "pong".into()
}
