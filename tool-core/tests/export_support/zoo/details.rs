//! Structs whose names, formats, bounds or size are what matters.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use std::borrow::Cow;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Renamed {
    /// When it was made.
    created_at: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "title")]
    heading: Option<String>,
    #[serde(rename = "properties")]
    list: Vec<String>,
    #[serde(rename = "$ref")]
    reference: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hostile {
    /// With a space.
    #[serde(rename = "two words")]
    words: String,
    #[serde(rename = "größe/~1")]
    size: u8,
    #[serde(rename = "")]
    empty: Option<u8>,
    /// Says `"quotes"`, \ and
    /// a line end.
    quotes: String,
}

macro_rules! formatted {
    ($($name:ident = $format:literal),*) => {$(
        #[derive(Deserialize)]
        pub struct $name(pub String);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schemars::json_schema!({"type": "string", "format": $format})
            }
        }
    )*};
}

formatted! { Moment = "date-time", Day = "date", Span = "duration", Id = "uuid", Link = "uri", Local = "partial-date-time" }

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Formats {
    /// When.
    at: Moment,
    day: Option<Day>,
    span: Span,
    id: Id,
    /// Where.
    link: Link,
    local: Local,
    address: std::net::Ipv4Addr,
    either: std::net::IpAddr,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constrained {
    /// How many.
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    #[schemars(extend("exclusiveMinimum" = 0.5))]
    price: f64,
    #[schemars(extend("exclusiveMinimum" = 3, "multipleOf" = 2))]
    even: i64,
    #[schemars(length(min = 3, max = 20))]
    name: String,
    #[schemars(regex(pattern = "^[A-Z]{2}[0-9]+$"))]
    code: String,
    #[schemars(regex(pattern = r"^(?!x)\bword$"))]
    tricky: String,
    #[schemars(length(min = 2, max = 5))]
    list: Vec<u8>,
    #[schemars(length(min = 1))]
    some: Vec<String>,
    #[schemars(length(max = 3))]
    maybe: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wide {
    a: Option<u8>,
    b: Option<u8>,
    c: Option<u8>,
    d: Option<u8>,
    e: Option<u8>,
    f: Option<u8>,
    g: Option<u8>,
    h: Option<u8>,
    i: Option<u8>,
    j: Option<u8>,
    k: Option<u8>,
    l: Option<u8>,
    m: Option<u8>,
    n: Option<u8>,
    o: Option<u8>,
    p: Option<u8>,
    q: Option<u8>,
    r: Option<u8>,
    s: Option<u8>,
    t: Option<u8>,
    u: Option<u8>,
    v: Option<u8>,
    w: Option<u8>,
    x: Option<u8>,
    y: Option<u8>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deep {
    /// Eleven levels down.
    a: Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<u8>>>>>>>>>>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deprecated {
    /// The old way.
    #[deprecated]
    old: Option<String>,
    new: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// A customer's id.
    #[schemars(example = &"yusuf_rossi_9620", example = &"mei_kovacs_8020")]
    customer: String,
    #[schemars(title = "The number of pages")]
    pages: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// The version of the form.
    #[schemars(extend("const" = "v1"))]
    version: String,
    #[schemars(extend("enum" = [1, 2, 3]))]
    level: u8,
    #[schemars(extend("enum" = ["", "x"]))]
    maybe_empty: String,
}
