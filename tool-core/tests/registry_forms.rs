//! Values of several forms, as the registry takes or refuses them: what a model is promised is what a body gets.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::marker::PhantomData;
use tool_core::{RawToolRegistry, Tool, ToolError, async_trait, erase};

/// A tool that is only registered.
struct Takes<A>(PhantomData<fn() -> A>);

#[async_trait]
impl<A: DeserializeOwned + JsonSchema + Send + 'static> Tool for Takes<A> {
    type Args = A;
    type Output = String;
    const ID: &'static str = "takes";
    const DESCRIPTION: &'static str = "Takes arguments.";

    async fn call(&self, _: A) -> Result<String, ToolError> {
        Ok("ran".to_owned())
    }
}

/// Why a tool of these arguments is refused; empty where it is not.
fn refusal<A: DeserializeOwned + JsonSchema + Send + 'static>() -> String {
    let registry = RawToolRegistry::new([erase(Takes::<A>(PhantomData))]);
    registry.problems().iter().map(ToString::to_string).collect()
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct One<T> {
    p: T,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Small {
    a: u8,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Large {
    a: u8,
    b: Option<u8>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only registered
struct Closed {
    a: u8,
}

/// Untagged forms of two.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only registered
enum First<A, B> {
    First(A),
    Second(B),
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Inner<T> {
    inner: T,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Chain<T> {
    own: T,
    next: Option<Box<Chain<T>>>,
    others: Vec<Chain<T>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code)] // only registered
enum Told<T> {
    Here { at: T },
    There,
}

#[test]
fn a_form_that_drops_what_is_meant_for_a_later_one_is_refused_however_deep_it_lies() {
    for (refused, lost) in [
        (refusal::<One<First<Vec<Small>, Vec<Large>>>>(), "`[].b`"),
        (refusal::<One<First<Inner<Small>, Inner<Large>>>>(), "`inner.b`"),
        (refusal::<One<First<Inner<Option<Small>>, Inner<Option<Large>>>>>(), "`inner.b`"),
        (refusal::<One<First<BTreeMap<String, Small>, BTreeMap<String, Large>>>>(), "`*.b`"),
        (refusal::<One<First<BTreeMap<u8, Small>, BTreeMap<u8, Large>>>>(), "`*.b`"),
        (refusal::<One<First<(Small, u8), (Large, u8)>>>(), "`[0].b`"),
        (refusal::<One<First<Chain<Small>, Chain<Large>>>>(), "`next.own.b`"),
        (refusal::<One<First<Told<Small>, Told<Large>>>>(), "`at.b`"),
        (refusal::<One<Option<First<Vec<Inner<Small>>, Vec<Inner<Large>>>>>>(), "`[].inner.b`"),
        (refusal::<One<First<First<u8, Small>, Large>>>(), "`b`"),
    ] {
        assert!(
            refused.contains(&format!("number 1 takes what is meant for number 2, and drops its {lost}")),
            "{refused}"
        );
        assert!(refused.contains("#/properties/p") && refused.contains("deny_unknown_fields"), "{refused}");
    }
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Paged {
    a: u8,
    page: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "sort")]
#[allow(dead_code)] // only registered
enum Other {
    Here { at: Large },
    There,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only registered
enum Expression {
    Sum { sum: Vec<Expression> },
    Times { left: Box<Expression>, right: Box<Expression> },
    Scaled { of: Box<Expression>, by: f64 },
    Name(String),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only registered
enum ByTypeBelow {
    Number { inner: Inner<u8>, a: Small },
    Text { inner: Inner<String>, a: Large },
}

#[test]
fn forms_that_lose_nothing_are_taken_however_alike_they_are() {
    for refused in [
        refusal::<One<First<Vec<Large>, Vec<Small>>>>(),
        refusal::<One<First<Inner<Large>, Inner<Small>>>>(),
        refusal::<One<First<Vec<Closed>, Vec<Paged>>>>(),
        refusal::<One<First<BTreeMap<String, Closed>, BTreeMap<String, Large>>>>(),
        refusal::<One<First<Small, Vec<Large>>>>(),
        refusal::<One<First<(Small, u8), (Large, u8, u8)>>>(),
        refusal::<One<First<[Small; 2], [Large; 3]>>>(),
        refusal::<One<First<Told<Small>, Other>>>(),
        refusal::<One<First<First<Large, Small>, Large>>>(),
        refusal::<One<ByTypeBelow>>(),
        refusal::<One<Expression>>(),
        refusal::<One<First<Chain<Large>, Chain<Large>>>>(),
        refusal::<One<First<Vec<String>, Value>>>(),
    ] {
        assert_eq!(refused, "");
    }
}

macro_rules! bounded {
    ($($name:ident: $type:ty, $bound:meta;)*) => {
        $(
            #[derive(Deserialize, JsonSchema)]
            #[allow(dead_code)] // only registered
            struct $name {
                #[schemars($bound)]
                n: $type,
            }
        )*
    };
}

bounded! {
    Few: u32, range(max = 10);
    OneToTen: u32, range(min = 1, max = 10);
    Above: f64, extend("exclusiveMinimum" = 0);
    Even: u32, extend("multipleOf" = 2);
    Short: String, length(max = 3);
    Coded: String, regex(pattern = "^[A-Z]+$");
    AtLeastOne: Vec<u8>, length(min = 1);
    Positive: f64, range(min = 0);
}

#[test]
fn a_form_that_takes_what_only_its_bounds_would_refuse_is_refused() {
    for (refused, keyword) in [
        (refusal::<One<First<f32, f64>>>(), "`minimum`"),
        (refusal::<One<First<Vec<f32>, Vec<f64>>>>(), "`minimum` of `[]`"),
        (refusal::<One<First<Few, Counted<u32>>>>(), "`maximum` of `n`"),
        (refusal::<One<First<Few, Counted<f64>>>>(), "`maximum` of `n`"),
        (refusal::<One<First<OneToTen, Few>>>(), "`minimum` of `n`"),
        (refusal::<One<First<Above, Positive>>>(), "`exclusiveMinimum` of `n`"),
        (refusal::<One<First<Even, Counted<u32>>>>(), "`multipleOf` of `n`"),
        (refusal::<One<First<Short, Counted<String>>>>(), "`maxLength` of `n`"),
        (refusal::<One<First<Coded, Counted<String>>>>(), "`pattern` of `n`"),
        (refusal::<One<First<AtLeastOne, Counted<Vec<u8>>>>>(), "`minItems` of `n`"),
        (refusal::<One<First<HashSet<u8>, Vec<u8>>>>(), "`uniqueItems`"),
        (refusal::<One<First<Few, BTreeMap<String, u8>>>>(), "`maximum` of `n`"),
    ] {
        assert!(refused.contains("number 1 takes what only number 2 allows"), "{keyword}: {refused}");
        assert!(refused.contains(keyword) && refused.contains("write the wider form first"), "{keyword}: {refused}");
    }
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Counted<T> {
    n: T,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only registered
struct ClosedFew {
    #[schemars(range(max = 10))]
    n: u32,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct NamedMany {
    n: u32,
    name: String,
}

#[test]
fn bounds_that_a_decoder_knows_and_those_that_are_wider_are_taken() {
    for refused in [
        refusal::<One<First<u8, u32>>>(),
        refusal::<One<First<i8, u64>>>(),
        refusal::<One<First<u64, f64>>>(),
        refusal::<One<First<u128, f64>>>(),
        refusal::<One<First<std::num::NonZeroU8, u32>>>(),
        refusal::<One<First<f64, f32>>>(),
        refusal::<One<First<f32, f32>>>(),
        refusal::<One<First<f32, u64>>>(),
        refusal::<One<First<char, String>>>(),
        refusal::<One<First<[u8; 2], Vec<u8>>>>(),
        refusal::<One<First<(u8, u8), Vec<u8>>>>(),
        refusal::<One<First<Vec<u8>, HashSet<u8>>>>(),
        refusal::<One<First<Counted<u32>, Few>>>(),
        refusal::<One<First<Few, OneToTen>>>(),
        refusal::<One<First<Few, Counted<String>>>>(),
        refusal::<One<First<Positive, Above>>>(),
        refusal::<One<First<ClosedFew, NamedMany>>>(),
    ] {
        assert_eq!(refused, "");
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "paint", deny_unknown_fields)]
#[allow(dead_code)] // only registered
enum ClosedPaint {
    Red { shade: u32 },
    Plain,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "paint")]
#[allow(dead_code)] // only registered
enum Paint {
    Red { shade: u32 },
    Plain,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
#[allow(dead_code)] // only registered
enum ClosedPlace {
    Id { id: u8 },
    Name { name: String },
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Flat<A, B> {
    #[serde(flatten)]
    first: A,
    #[serde(flatten)]
    second: B,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct Beside<T> {
    limit: Option<u8>,
    #[serde(flatten)]
    rest: T,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct OwnShade<T> {
    shade: u32,
    #[serde(flatten)]
    rest: T,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only registered
struct OwnTag {
    paint: String,
    #[serde(flatten)]
    rest: Paint,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // only registered
enum External {
    Grams(u8),
    Stones { weight: u8 },
    None,
}

#[test]
fn a_flattened_enum_that_shares_a_property_with_its_object_is_refused() {
    for (refused, name) in [
        (refusal::<OwnTag>(), "`paint`"),
        (refusal::<OwnShade<Paint>>(), "`shade`"),
        (refusal::<One<OwnTag>>(), "`paint`"),
    ] {
        assert!(refused.contains(&format!("{name} is a property of this object and of a form")), "{refused}");
    }
}

#[derive(Deserialize)]
#[allow(dead_code)] // only registered
struct Narrowed {
    a: Option<u8>,
    b: Option<u8>,
}

/// One of two properties, as it is written by hand.
impl JsonSchema for Narrowed {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Narrowed".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "oneOf": [
                {"properties": {"a": {"minimum": 1}}, "required": ["a"]},
                {"properties": {"b": {"minimum": 1}}, "required": ["b"]},
            ],
        })
    }
}

#[test]
fn a_flattened_enum_beside_what_it_leaves_alone_is_taken() {
    for refused in [
        refusal::<Flat<Told<u8>, Paint>>(),
        refusal::<Flat<Closed, Paint>>(),
        refusal::<Flat<External, Paint>>(),
        refusal::<Beside<External>>(),
        refusal::<Beside<ClosedPaint>>(),
        refusal::<One<Beside<ClosedPlace>>>(),
        refusal::<Beside<Flat<Paint, Told<u8>>>>(),
        refusal::<ClosedPaint>(),
        refusal::<One<ClosedPlace>>(),
        refusal::<Narrowed>(),
    ] {
        assert_eq!(refused, "");
    }
}
