//! The words of a refusal that only a type's own decoder makes: JSON's terms, never those of Rust or of serde.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::net::{IpAddr, SocketAddr, SocketAddrV4};
use std::num::{NonZeroI8, NonZeroU64, Saturating, Wrapping};
use std::ops::{Bound, Range};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use tool_core::{ArgumentParser, ToolArguments, input_schema, parse_tool_args};

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only refusals are looked at
struct One<T> {
    p: T,
}

/// What is said of `p` where no schema is known.
fn said<T: DeserializeOwned>(given: &str) -> String {
    let text = format!(r#"{{"p":{given}}}"#);
    plain(parse_tool_args::<One<T>>(&ToolArguments::from(text.as_str())).err().unwrap().to_string())
}

/// What is said of `p` under the schema of its type.
fn said_under_schema<T: DeserializeOwned + JsonSchema>(given: &str) -> String {
    let parser = ArgumentParser::new(&input_schema::<One<T>>()).unwrap();
    let text = format!(r#"{{"p":{given}}}"#);
    plain(parser.parse::<One<T>>(&ToolArguments::from(text.as_str())).err().unwrap().to_string())
}

/// Without its beginning, which all have.
fn plain(message: String) -> String {
    message.strip_prefix("Invalid arguments: ").unwrap().to_owned()
}

#[derive(Deserialize)]
#[allow(dead_code)]
struct Point {
    x: i64,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Pair(u8, u8);

#[derive(Deserialize)]
struct Nothing;

#[derive(Deserialize)]
#[allow(dead_code)]
enum Shape {
    Dot,
    Circle { r: u8 },
    Size(u8),
    Box(u8, u8),
}

#[derive(Deserialize)]
#[serde(tag = "kind")]
#[allow(dead_code)]
enum Tagged {
    Dot,
    Circle { r: u8 },
}

#[derive(Deserialize)]
#[serde(tag = "kind", content = "of")]
#[allow(dead_code)]
enum Adjacent {
    Dot,
    Size(u8),
    Box(u8, u8),
}

#[derive(Deserialize)]
#[serde(untagged)]
#[allow(dead_code)]
enum Untagged {
    Small(u8),
    Point(Point),
    Pair(Pair),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct FlatShape {
    a: u8,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Deserialize)]
#[allow(dead_code)]
struct FlatHuge {
    a: u8,
    #[serde(flatten)]
    huge: One<i128>,
}

const HUGE: &str = "from 0 to 340282366920938463463374607431768211455";

macro_rules! says {
    ($($ty:ty: $given:literal says $words:literal)*) => {
        $( assert_eq!(said::<$ty>($given), $words, "{} {}", stringify!($ty), $given); )*
    };
}

#[test]
fn what_a_derive_expects_is_said_in_terms_of_json() {
    says! {
        Point: "5" says "`p`: expected an object, got the number 5"
        Pair: "5" says "`p`: expected an array, got the number 5"
        Pair: "{}" says "`p`: expected an array, got an object"
        Pair: "[1]" says "`p`: expected an array of length 2, got one of length 1"
        Pair: "[1,2,3]" says "`p`: expected an array of length 2, got one of length 3"
        Nothing: "{}" says "`p`: expected null, got an object"
        Shape: "5" says "`p`: expected a string or an object, got the number 5"
        Shape: "null" says "`p`: expected a string or an object, got null"
        Shape: "{}" says "`p`: expected an object with one property, got an object"
        Shape: r#"{"Dot":5}"# says "`p.Dot`: expected null, got the number 5"
        Shape: r#"{"Box":5}"# says "`p.Box`: expected an array, got the number 5"
        Shape: r#"{"Box":[1]}"# says "`p.Box`: expected an array of length 2, got one of length 1"
        Tagged: "5" says "`p`: expected an object, got the number 5"
        Tagged: r#"{"kind":0}"# says "`p.kind`: expected a string, got the number 0"
        Adjacent: "5" says "`p`: expected an object, got the number 5"
        Adjacent: r#"{"kind":"Dot","of":5}"# says "`p.of`: expected null, got the number 5"
        Adjacent: r#"{"of":5,"kind":"Box"}"# says "`p`: expected an array, got the number 5"
        Adjacent: r#"{"kind":5}"# says "`p.kind`: expected a string or an object, got the number 5"
        Untagged: "300" says "`p`: expected one of several forms, got the number 300 that fits none"
        Untagged: r#"{"y":1}"# says "`p`: expected one of several forms, got the object {\"y\":1} that fits none"
        FlatShape: r#"{"a":1}"# says "`p`: expected a property whose name is that of one of the allowed forms"
        FlatShape: r#"{"a":1,"Size":1,"b":2}"# says "`p.b`: unknown property \"b\""
        FlatHuge: r#"{"a":1,"p":3}"# says "`p`: the tool cannot take an integer here"
    }
}

#[test]
fn the_name_of_a_form_alone_is_told_what_to_write() {
    says! {
        Shape: r#""Circle""# says "`p`: expected an object that holds this form's content, {\"Circle\": {…}}, got the string \"Circle\""
        Shape: r#""Box""# says "`p`: expected an object that holds this form's content, {\"Box\": […]}, got the string \"Box\""
        Vec<Shape>: r#"["Dot","Size"]"# says "`p[1]`: expected an object that holds this form's content, {\"Size\": …}, got the string \"Size\""
        Bound<u8>: r#""Included""# says "`p`: expected an object that holds this form's content, {\"Included\": …}, got the string \"Included\""
        Result<u8, u8>: r#""Ok""# says "`p`: expected an object that holds this form's content, {\"Ok\": …}, got the string \"Ok\""
    }
}

#[test]
fn what_a_type_of_std_expects_is_said_in_terms_of_json() {
    says! {
        bool: "5" says "`p`: expected true or false, got the number 5"
        char: r#""ab""# says "`p`: expected a string of 1 character, got the string \"ab\""
        (u8, u8): "[1]" says "`p`: expected an array of length 2, got one of length 1"
        (u8, u8): "5" says "`p`: expected an array of length 2, got the number 5"
        [u8; 3]: "[1,2,3,4]" says "`p`: expected an array of length 3, got one of length 4"
        NonZeroU64: "0" says "`p`: expected an integer from 1 to 18446744073709551615, got the number 0"
        NonZeroI8: "0" says "`p`: expected an integer other than 0, from -128 to 127, got the number 0"
        NonZeroI8: "200" says "`p`: expected an integer other than 0, from -128 to 127, got the number 200"
        NonZeroI8: r#""x""# says "`p`: expected an integer other than 0, got the string \"x\""
        Saturating<u8>: r#""x""# says "`p`: expected an integer, got the string \"x\""
        Wrapping<u8>: "300" says "`p`: expected an integer from 0 to 255, got the number 300"
        Duration: "5" says "`p`: expected an object, got the number 5"
        Duration: r#"{"secs":18446744073709551615,"nanos":4294967295}"# says
            "`p`: expected a shorter duration: this one is longer than can be told"
        SystemTime: r#"{"secs_since_epoch":18446744073709551615,"nanos_since_epoch":1}"# says
            "`p`: expected a time that is nearer: this one is further off than can be told"
        SystemTime: r#"{"secs_since_epoch":18446744073709551615,"nanos_since_epoch":4294967295}"# says
            "`p`: expected a time that is nearer: this one is further off than can be told"
        Range<u8>: "5" says "`p`: expected an object, got the number 5"
        Bound<u8>: "5" says "`p`: expected a string or an object, got the number 5"
        IpAddr: "5" says "`p`: expected an IP address in a string, got the number 5"
        IpAddr: r#""x""# says "`p`: expected an IP address in a string, got the string \"x\""
        SocketAddr: r#""x""# says "`p`: expected an IP address with a port, in a string, got the string \"x\""
        SocketAddrV4: r#""x""# says "`p`: expected an IPv4 socket address in a string, got the string \"x\""
        PathBuf: "5" says "`p`: expected a string, got the number 5"
        OsString: "5" says "`p`: expected a string or an object, got the number 5"
        CString: "5" says "`p`: expected an array of integers from 0 to 255, got the number 5"
        CString: "[1,0]" says "`p`: expected bytes of which none is 0"
    }
}

#[test]
fn an_integer_is_told_its_range_and_quoted_as_it_was_written() {
    says! {
        u64: "18446744073709551616" says
            "`p`: expected an integer from 0 to 18446744073709551615, got the number 18446744073709551616"
        i64: "99999999999999999999999999999999999999999" says
            "`p`: expected an integer from -9223372036854775808 to 9223372036854775807, got the number 99999999999999999999999999999999999999999"
        u64: "1.5" says "`p`: expected a non-negative integer, got the number 1.5"
        i128: "1.5" says "`p`: expected an integer, got the number 1.5"
    }
    for given in ["340282366920938463463374607431768211456", "-1"] {
        let words = format!("`p`: expected an integer {HUGE}, got the number {given}");
        assert_eq!(said::<u128>(given), words);
        assert_eq!(said_under_schema::<One<Huge>>(&format!(r#"{{"p":{given}}}"#)).replace("p.p", "p"), words);
    }
}

/// Any integer, for all that its schema says.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
#[allow(dead_code)]
struct Huge(#[schemars(extend("minimum" = -1_000))] u128);

#[test]
fn under_a_schema_a_type_says_the_same_of_its_range() {
    assert_eq!(
        said_under_schema::<NonZeroI8>("0"),
        "`p`: expected an integer other than 0, from -128 to 127, got the number 0",
    );
    assert_eq!(
        said_under_schema::<Vec<NonZeroI8>>(r#"["0"]"#),
        "`p[0]`: expected an integer other than 0, from -128 to 127, got the number 0",
    );
    let single =
        |given: &str| format!("expected a number from -3.4028235e+38 to 3.4028235e+38, got the number {given}");
    assert_eq!(said_under_schema::<f32>("1e39"), format!("`p`: {}", single("1e39")));
    assert_eq!(
        said_under_schema::<Option<f32>>("-1e39"),
        format!("`p`: {}", single("-1e39")).replace(", got", " or null, got")
    );
    assert_eq!(said_under_schema::<Vec<f32>>("[1,1e400]"), format!("`p[1]`: {}", single("1e400")));
    assert_eq!(said_under_schema::<BTreeMap<String, f32>>(r#"{"a":1e39}"#), format!("`p.a`: {}", single("1e39")));
    assert_eq!(
        said_under_schema::<Option<Box<f32>>>(r#""1e39""#).replace(" or null", ""),
        format!("`p`: {}", single("1e39"))
    );
}

#[test]
fn a_key_is_told_what_the_name_of_the_property_has_to_be() {
    says! {
        BTreeMap<u8, u8>: r#"{"300":1}"# says "`p.300`: the name of this property has to be an integer from 0 to 255, got \"300\""
        BTreeMap<u8, u8>: r#"{"x":1}"# says "`p.x`: the name of this property has to be an integer from 0 to 255, got \"x\""
        BTreeMap<NonZeroI8, u8>: r#"{"0":1}"# says
            "`p.0`: the name of this property has to be an integer other than 0, from -128 to 127, got \"0\""
        BTreeMap<bool, u8>: r#"{"x":1}"# says "`p.x`: the name of this property has to be true or false, got \"x\""
        BTreeMap<IpAddr, u8>: r#"{"x":1}"# says "`p.x`: the name of this property has to be an IP address in a string, got \"x\""
        BTreeMap<u8, u8>: r#"{"7":"x"}"# says "`p.7`: expected a non-negative integer, got the string \"x\""
    }
    assert_eq!(
        said_under_schema::<BTreeMap<u8, u8>>(r#"{"300":1}"#),
        "`p.300`: the name of this property has to be an integer from 0 to 255, got \"300\"",
    );
}

/// An even number, or so it says.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "u8")]
struct Even(#[allow(dead_code)] u8);

impl TryFrom<u8> for Even {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, &'static str> {
        if number.is_multiple_of(2) { Ok(Self(number)) } else { Err("an odd number, where an even one is needed") }
    }
}

/// JSON within a string.
struct Within;

impl<'de> Deserialize<'de> for Within {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        serde_json::from_str::<Point>(&text).map_err(D::Error::custom)?;
        Ok(Self)
    }
}

#[test]
fn what_the_author_of_a_type_says_stays_as_it_is_and_what_serde_says_through_him_does_not() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code)]
    enum EvenOrName {
        Even(Even),
        Name { name: String },
    }
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a struct or an enum, whatever these are")]
    #[allow(dead_code)]
    enum Told {
        Even(Even),
    }
    says! {
        Even: "3" says "`p`: an odd number, where an even one is needed"
        Told: "3" says "`p`: expected a struct or an enum, whatever these are"
        EvenOrName: "3" says "`p`: expected one of several forms, got the number 3 that fits none"
        Within: r#""5""# says "`p`: expected an object, got the number 5"
        Within: r#""{}""# says "`p.x`: required, but missing"
        Within: r#""{""# says "`p`: EOF while parsing an object at line 1 column 1"
    }
    assert_eq!(said_under_schema::<Even>("3"), "`p`: an odd number, where an even one is needed");
    assert_eq!(
        said_under_schema::<EvenOrName>("3"),
        "`p`: expected an integer from 0 to 255 or an object with `name`, got the number 3 that fits none",
    );
    assert_eq!(
        said_under_schema::<Vec<Option<EvenOrName>>>("[null,3]"),
        "`p[1]`: expected an integer from 0 to 255 or an object with `name` or null, got the number 3 that fits none",
    );
}

#[test]
fn a_value_that_fits_no_form_is_quoted_in_short() {
    let long = Value::from("x".repeat(10_000)).to_string();
    assert!(said::<Untagged>(&long).chars().count() < 300);
    assert!(said::<Shape>(&long).chars().count() < 1_000);
}
