//! Enums of every tagging, at the root and within.

use super::{Plain, Point, Sort};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A shape to draw.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Tagged {
    /// Round.
    Circle {
        /// In metres.
        radius: f64,
        colour: Option<String>,
    },
    Square {
        /// In metres, too.
        side: f64,
        colour: Option<String>,
    },
    /// Nothing to see.
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "op", deny_unknown_fields)]
pub enum TaggedClosed {
    Set { key: String, value: u8 },
    Clear { key: String },
    Point(Point),
}

#[derive(Deserialize, JsonSchema)]
pub enum External {
    /// By its number.
    Number(u32),
    /// By a point.
    Point(Point),
    Named {
        name: String,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
pub enum Adjacent {
    Text(String),
    Pair(u8, String),
    Point { x: i8 },
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum UntaggedRoot {
    /// With an id.
    ById {
        id: u64,
    },
    ByName {
        name: String,
        exact: Option<bool>,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldsTagged {
    /// What to draw.
    shape: Tagged,
    shapes: Vec<TaggedClosed>,
    adjacent: Adjacent,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldsUntagged {
    /// A number or a text.
    id: NumberOrText,
    maybe: Option<NumberOrText>,
    many: OneOrMany,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NumberOrText {
    Number(i64),
    /// Such as `#12`.
    Text(String),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    One(Point),
    Many(Vec<Point>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldsMixed {
    /// Whom to tell.
    audience: Audience,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Everybody.
    All,
    Nobody,
    /// These alone.
    Some(Vec<String>),
    Role {
        name: String,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitEnums {
    /// Documented here.
    plain: Plain,
    sort: Sort,
    map: BTreeMap<String, Sort>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneVariant {
    /// Always the same.
    only: Only,
}

#[derive(Deserialize, JsonSchema)]
pub enum Only {
    One,
}

/// How many forms one object may have.
#[derive(Deserialize, JsonSchema)]
pub struct TwoUnions {
    #[serde(flatten)]
    kind: Kind,
    #[serde(flatten)]
    mode: Mode,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
pub enum Kind {
    Sized {
        /// How large it is.
        size: u32,
    },
    Plain,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "mode")]
pub enum Mode {
    Fast { retries: u32 },
    Slow,
}
