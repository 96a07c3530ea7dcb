//! Values of which no schema speaks: what a type's own decoder takes beside what JSON has for it is refused all the same.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tool_core::{ArgumentParser, ToolArguments, parse_tool_args};

#[derive(Debug, PartialEq, Deserialize)]
struct One<T> {
    p: T,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Point {
    x: i64,
    y: i64,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Pair(i64, i64);

#[derive(Debug, PartialEq, Deserialize)]
#[allow(dead_code)] // the variants are only decoded
enum Shape {
    Circle { r: i64 },
    Box(i64, i64),
    At(Point),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "kind")]
#[allow(dead_code)]
enum Tagged {
    Dot,
    Circle { r: i64 },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", content = "of")]
#[allow(dead_code)]
enum Adjacent {
    Circle { r: i64 },
}

/// What `p` is read as, or what is said; the same of a text and of a value.
fn read<T: DeserializeOwned + Debug + PartialEq>(given: &str) -> Result<T, String> {
    let text = format!(r#"{{"p":{given}}}"#);
    let read = |arguments: ToolArguments| {
        let read = parse_tool_args::<One<T>>(&arguments).map(|one| one.p).map_err(|error| error.to_string());
        read.map_err(|said| said.strip_prefix("Invalid arguments: ").unwrap().to_owned())
    };
    let from_text = read(ToolArguments::from(text.as_str()));
    // A value has a spelling of its own for a number.
    assert_eq!(from_text, read(ToolArguments::from(serde_json::from_str::<Value>(&text).unwrap())), "{text}");
    from_text
}

#[test]
fn a_struct_is_never_taken_from_an_array_however_deep_it_is() {
    macro_rules! refused {
        ($($ty:ty: $given:literal at $path:literal)*) => {
            $(
                let said = read::<$ty>($given).unwrap_err();
                assert_eq!(said, concat!("`", $path, "`: expected an object, got an array"), "{}", stringify!($ty));
            )*
        };
    }
    refused! {
        Point: "[1,2]" at "p"
        Point: "[]" at "p"
        Option<Point>: "[1,2]" at "p"
        Box<Point>: "[1,2]" at "p"
        Vec<Point>: r#"[{"x":1,"y":2},[1,2]]"# at "p[1]"
        (u8, Point): "[1,[1,2]]" at "p[1]"
        One<Vec<Option<Point>>>: r#"{"p":[null,[1,2]]}"# at "p.p[1]"
        BTreeMap<String, Point>: r#"{"a":[1,2]}"# at "p.a"
        Shape: r#"{"Circle":[1]}"# at "p.Circle"
        Shape: r#"{"At":[1,2]}"# at "p.At"
        Tagged: "[]" at "p"
        Tagged: r#"["Dot"]"# at "p"
        Tagged: r#"["Circle",1]"# at "p"
        Vec<Tagged>: r#"[{"kind":"Dot"},["Circle",1]]"# at "p[1]"
        Adjacent: r#"["Circle",{"r":1}]"# at "p"
        Adjacent: r#"{"kind":"Circle","of":[1]}"# at "p.of"
        Duration: "[1,2]" at "p"
        std::ops::Range<u8>: "[1,2]" at "p"
    }
}

#[test]
fn what_is_an_array_in_json_stays_one() {
    assert_eq!(read("[1,2]"), Ok((1, 2)));
    assert_eq!(read("[1,2]"), Ok(Pair(1, 2)));
    assert_eq!(read("[[1,2]]"), Ok(vec![Pair(1, 2)]));
    assert_eq!(read(r#"{"Box":[1,2]}"#), Ok(Shape::Box(1, 2)));
    assert_eq!(read(r#"[{"x":1,"y":2}]"#), Ok(vec![Point { x: 1, y: 2 }]));
    assert_eq!(read("[[1],{}]"), Ok(json!([[1], {}])));
    let said = read::<(u8, u8)>("[1,2,3]").unwrap_err();
    assert_eq!(said, "`p`: expected an array of length 2, got one of length 3");
}

#[test]
fn a_schema_that_has_an_array_for_a_struct_is_kept_and_one_that_says_nothing_is_no_leave() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Places {
        #[schemars(with = "(i64, i64)")]
        listed: Point,
        #[schemars(with = "Option<Vec<(i64, i64)>>")]
        more: Option<Vec<Point>>,
        #[schemars(with = "Value")]
        untold: Option<Point>,
        #[schemars(with = "Option<Value>")]
        untold_list: Option<Vec<Point>>,
    }
    let parser = ArgumentParser::new(&tool_core::input_schema::<Places>()).unwrap();
    let read = |text: &str| parser.parse::<Places>(&text.into()).map(|parsed| parsed.args);
    let places = read(r#"{"listed":[1,2],"more":[[3,4]],"untold":{"x":5,"y":6}}"#).unwrap();
    assert_eq!((places.listed, places.more), (Point { x: 1, y: 2 }, Some(vec![Point { x: 3, y: 4 }])));
    for (text, path) in [
        (r#"{"listed":[1,2],"untold":[5,6]}"#, "untold"),
        (r#"{"listed":[1,2],"untold":null,"untold_list":[[5,6]]}"#, "untold_list[0]"),
    ] {
        let said = read(text).unwrap_err().to_string();
        assert_eq!(said, format!("Invalid arguments: `{path}`: expected an object, got an array"));
    }
}

#[test]
fn where_a_schema_may_have_an_array_the_faulty_place_is_another_one() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the refusal is looked at
    struct Places {
        #[schemars(with = "ListedOrNamed")]
        either: Vec<Point>,
        #[schemars(with = "String")]
        address: IpAddr,
    }
    #[derive(JsonSchema)]
    #[schemars(untagged)]
    #[allow(dead_code)] // only the schema is looked at
    enum ListedOrNamed {
        Listed(Vec<(i64, i64)>),
        Named(String),
    }
    let parser = ArgumentParser::new(&tool_core::input_schema::<Places>()).unwrap();
    let said = parser.parse::<Places>(&r#"{"either":[[1,2]],"address":"x"}"#.into()).unwrap_err().to_string();
    assert_eq!(said, "Invalid arguments: `address`: expected an IP address in a string, got the string \"x\"");
}

#[test]
fn an_integer_of_128_bits_is_read_by_all_its_digits_or_not_at_all() {
    // A value holds no more than 64 bits of them.
    fn read<T: DeserializeOwned>(given: &str) -> Result<T, String> {
        let read = parse_tool_args::<One<T>>(&format!(r#"{{"p":{given}}}"#).into());
        read.map(|one| one.p).map_err(|error| error.to_string())
    }
    assert_eq!(read("340282366920938463463374607431768211455"), Ok(u128::MAX));
    assert_eq!(read("-170141183460469231731687303715884105728"), Ok(i128::MIN));
    for given in ["1.5", "1.0", "1e40", "7e0"] {
        assert!(read::<u128>(given).is_err(), "{given}");
        assert!(read::<i128>(given).is_err(), "{given}");
    }
}

#[test]
fn a_float_of_32_bits_is_never_infinite() {
    let range = "expected a number from -3.4028235e+38 to 3.4028235e+38";
    assert_eq!(read("3.4028235e38"), Ok(f32::MAX));
    assert_eq!(read("[-3.4028235e38,7]"), Ok(vec![f32::MIN, 7.0]));
    assert!(read::<f32>("1e+39").unwrap_err().starts_with(&format!("`p`: {range}, got the number 1e")));
    assert!(read::<Vec<Option<f32>>>("[null,-1e+39]").unwrap_err().starts_with(&format!("`p[1]`: {range}, got ")));
}

#[test]
fn two_spellings_of_one_key_are_not_two_entries() {
    for (said, given, expected) in [
        (read::<BTreeMap<IpAddr, u8>>(r#"{"::1":1,"0:0:0:0:0:0:0:1":2}"#).map(|_| ()), "0:0:0:0:0:0:0:1", "::1"),
        (read::<BTreeMap<SocketAddr, u8>>(r#"{"[::1]:80":1,"[0::1]:80":2}"#).map(|_| ()), "[0::1]:80", "[::1]:80"),
        (read::<BTreeMap<u8, u8>>(r#"{"1":1,"01":2}"#).map(|_| ()), "01", "1"),
        (read::<BTreeMap<Float, u8>>(r#"{"1":1,"1.0":2}"#).map(|_| ()), "1.0", "1"),
        (read::<BTreeMap<Float, u8>>(r#"{"0":1,"-0":2}"#).map(|_| ()), "-0", "0"),
        (read::<BTreeMap<Float, u8>>(r#"{"10":1,"1e1":2}"#).map(|_| ()), "1e1", "10"),
    ] {
        let said = said.unwrap_err();
        assert!(said.starts_with(&format!("`p.{given}`: the name of this property has to be ")), "{said}");
        assert!(said.ends_with(&format!(", got \"{given}\" (write \"{expected}\")")), "{said}");
    }
    let right = read::<BTreeMap<IpAddr, u8>>(r#"{"::1":1,"10.0.0.1":2}"#).unwrap();
    assert_eq!(right.len(), 2);
    assert_eq!(read::<BTreeMap<Float, u8>>(r#"{"1":1,"1.5":2,"-0.25":3}"#).unwrap().len(), 3);
    assert_eq!(read::<BTreeMap<String, u8>>(r#"{"::1":1,"0:0:0:0:0:0:0:1":2}"#).unwrap().len(), 2);
}

/// A float as a key.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct Float(f64);

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Float {}

impl PartialOrd for Float {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Float {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.partial_cmp(&other.0).unwrap()
    }
}
