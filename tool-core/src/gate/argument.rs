//! What a rule asks of an argument.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};
use std::cmp::Ordering;
use std::fmt;

use super::glob;
use super::path::{ArgumentPath, Place};

/// What a rule asks of the values at an argument path.
///
/// In JSON each is a key beside `argument`: `{"argument": "amount", "at_most": 100}`.
///
/// Numbers are compared exactly: integers of up to 64 bits by their digits, fractions as the nearest double, which is what
/// a tool decodes. A number beyond both is none that can be compared.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ArgumentTest {
    /// `equals`: the same text, number (`1` and `1.0` are one) or truth value.
    Equals(Value),
    /// `one_of`: equals one of these.
    OneOf(Vec<Value>),
    /// `glob`: a text that fits as a whole; `*` stands for any text, `?` for one character.
    Glob(String),
    /// `less_than`: a number below this one.
    LessThan(Number),
    /// `at_most`: a number not above this one.
    AtMost(Number),
    /// `more_than`: a number above this one.
    MoreThan(Number),
    /// `at_least`: a number not below this one.
    AtLeast(Number),
    /// `length_at_most`: a text of no more characters, or a list of no more elements.
    LengthAtMost(u64),
    /// `length_at_least`: a text of no fewer characters, or a list of no fewer elements.
    LengthAtLeast(u64),
    /// `exists`: something is there (`true`), or nothing (`false`).
    Exists(bool),
}

/// On which side a test errs where it cannot tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Holds: of a rule that refuses.
    Holds,
    /// Does not hold: of a rule that allows.
    Fails,
}

/// A test, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub(super) struct Condition {
    pub(super) path: ArgumentPath,
    pub(super) test: ArgumentTest,
}

impl Condition {
    pub(super) fn new(argument: &str, test: ArgumentTest) -> Result<Self, String> {
        let path = ArgumentPath::read(argument)?;
        test.problem()
            .map_or(Ok(Self { path, test }), |problem| Err(format!("the condition on {argument:?}: {problem}")))
    }

    /// Whether it holds: for a rule that allows, at every place; for one that refuses, at any, and there what the tool takes
    /// in place of an absent argument is looked at as well.
    pub(super) fn holds(&self, arguments: &Value, schema: Option<&Value>, doubt: Doubt) -> bool {
        let (mut every, mut any) = (true, false);
        let defaults = schema.filter(|_| doubt == Doubt::Holds);
        self.path.visit(arguments, defaults, &mut |place| {
            let holds = self.test.holds_at(place).unwrap_or(doubt == Doubt::Holds);
            every &= holds;
            any |= holds;
        });
        match doubt {
            Doubt::Holds => any,
            Doubt::Fails => every,
        }
    }
}

impl fmt::Display for Condition {
    /// Without a value that an argument has to be like: it may be what no log must see. A limit is no such value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.as_str();
        match &self.test {
            ArgumentTest::Equals(_) => write!(f, "{path} equals …"),
            ArgumentTest::OneOf(_) => write!(f, "{path} one_of …"),
            ArgumentTest::Glob(_) => write!(f, "{path} glob …"),
            ArgumentTest::LessThan(limit) => write!(f, "{path} less_than {limit}"),
            ArgumentTest::AtMost(limit) => write!(f, "{path} at_most {limit}"),
            ArgumentTest::MoreThan(limit) => write!(f, "{path} more_than {limit}"),
            ArgumentTest::AtLeast(limit) => write!(f, "{path} at_least {limit}"),
            ArgumentTest::LengthAtMost(limit) => write!(f, "{path} length_at_most {limit}"),
            ArgumentTest::LengthAtLeast(limit) => write!(f, "{path} length_at_least {limit}"),
            ArgumentTest::Exists(wanted) => write!(f, "{path} exists {wanted}"),
        }
    }
}

impl ArgumentTest {
    /// Whether it holds; `None` where that cannot be told.
    fn holds_at(&self, place: Place<'_>) -> Option<bool> {
        let value = match (place, self) {
            (Place::Value(value), _) => value,
            (Place::Absent, Self::Exists(wanted)) => return Some(!wanted),
            // Absence to most tools, and a value to some.
            (Place::Null, Self::Exists(_)) | (Place::Blocked, _) => return None,
            // Neither is like anything, nor more or less.
            (Place::Absent | Place::Null, _) => return Some(false),
        };
        match self {
            Self::Equals(wanted) => equal(value, wanted),
            Self::OneOf(wanted) => one_of(value, wanted),
            Self::Glob(pattern) => Some(glob::matches(pattern, value.as_str()?)),
            Self::LessThan(limit) => Some(compare(value, limit)?.is_lt()),
            Self::AtMost(limit) => Some(compare(value, limit)?.is_le()),
            Self::MoreThan(limit) => Some(compare(value, limit)?.is_gt()),
            Self::AtLeast(limit) => Some(compare(value, limit)?.is_ge()),
            Self::LengthAtMost(limit) => Some(length(value)? <= *limit),
            Self::LengthAtLeast(limit) => Some(length(value)? >= *limit),
            Self::Exists(wanted) => Some(*wanted),
        }
    }

    /// The JSON types of values about which it can tell something; `None` for all.
    pub(super) fn types(&self) -> Option<Vec<&'static str>> {
        let type_of = |value: &Value| match value {
            Value::Number(_) => vec!["number", "integer"],
            Value::Bool(_) => vec!["boolean"],
            _ => vec!["string"],
        };
        match self {
            Self::Equals(wanted) => Some(type_of(wanted)),
            Self::OneOf(wanted) => Some(wanted.iter().flat_map(type_of).collect()),
            Self::Glob(_) => Some(vec!["string"]),
            Self::LessThan(_) | Self::AtMost(_) | Self::MoreThan(_) | Self::AtLeast(_) => {
                Some(vec!["number", "integer"])
            }
            Self::LengthAtMost(_) | Self::LengthAtLeast(_) => Some(vec!["string", "array"]),
            Self::Exists(_) => None,
        }
    }

    /// Why nothing could ever be told by it.
    fn problem(&self) -> Option<String> {
        let value = |value: &Value| match value {
            Value::Null => Some("null is no value to compare with: write `\"exists\": false`".to_owned()),
            Value::Array(_) | Value::Object(_) => Some(
                "only a text, a number or a truth value can be compared: name the value inside it by its path"
                    .to_owned(),
            ),
            Value::Number(number) => limit(number),
            Value::Bool(_) | Value::String(_) => None,
        };
        match self {
            Self::Equals(wanted) => value(wanted),
            Self::OneOf(wanted) if wanted.is_empty() => {
                Some("`one_of` has nothing in it: list the values, or leave the rule out".to_owned())
            }
            Self::OneOf(wanted) => wanted.iter().find_map(value),
            Self::Glob(pattern) if pattern.is_empty() => {
                Some("an empty glob fits only the empty text: write `\"equals\": \"\"`".to_owned())
            }
            Self::LessThan(number) | Self::AtMost(number) | Self::MoreThan(number) | Self::AtLeast(number) => {
                limit(number)
            }
            Self::Glob(_) | Self::LengthAtMost(_) | Self::LengthAtLeast(_) | Self::Exists(_) => None,
        }
    }
}

fn limit(number: &Number) -> Option<String> {
    exact(number).is_none().then(|| {
        format!(
            "{number} cannot be compared exactly: write an integer of 64 bits, or a fraction below 9007199254740992"
        )
    })
}

/// Whether the two are the same; `None` for values of two types, of which nobody knows what they are to the tool.
fn equal(value: &Value, wanted: &Value) -> Option<bool> {
    match (value, wanted) {
        (Value::String(value), Value::String(wanted)) => Some(value == wanted),
        (Value::Bool(value), Value::Bool(wanted)) => Some(value == wanted),
        (_, Value::Number(wanted)) => Some(compare(value, wanted)?.is_eq()),
        _ => None,
    }
}

fn one_of(value: &Value, wanted: &[Value]) -> Option<bool> {
    let answers = wanted.iter().map(|wanted| equal(value, wanted));
    // A value of a type that is among the wanted ones was compared with all that it could equal.
    answers.max().flatten()
}

fn length(value: &Value) -> Option<u64> {
    let length = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(elements) => elements.len(),
        _ => return None,
    };
    u64::try_from(length).ok()
}

/// How a number stands to a limit; `None` for what is no number, or none that is known exactly.
fn compare(value: &Value, limit: &Number) -> Option<Ordering> {
    let Value::Number(number) = value else { return None };
    match (exact(number)?, exact(limit)?) {
        (Exact::Integer(number), Exact::Integer(limit)) => Some(number.cmp(&limit)),
        (Exact::Fraction(number), Exact::Fraction(limit)) => number.partial_cmp(&limit),
        (Exact::Integer(number), Exact::Fraction(limit)) => Some(integer_and_fraction(number, limit)),
        (Exact::Fraction(number), Exact::Integer(limit)) => Some(integer_and_fraction(limit, number).reverse()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Exact {
    Integer(i128),
    /// Below 2^53, and not whole.
    Fraction(f64),
}

/// A number as far as `serde_json` keeps it exactly, with and without its `arbitrary_precision`.
fn exact(number: &Number) -> Option<Exact> {
    /// From here on a double stands for several integers.
    const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;
    if let Some(integer) = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)) {
        return Some(Exact::Integer(integer));
    }
    let float = number.as_f64().filter(|float| float.abs() < FIRST_INEXACT)?;
    #[allow(clippy::cast_possible_truncation)] // whole and below 2^53
    Some(if float.fract() == 0.0 { Exact::Integer(float as i128) } else { Exact::Fraction(float) })
}

/// A fraction is never an integer: it is above or below it.
fn integer_and_fraction(integer: i128, fraction: f64) -> Ordering {
    #[allow(clippy::cast_possible_truncation)] // below 2^53
    let below = fraction.floor() as i128;
    if integer <= below { Ordering::Less } else { Ordering::Greater }
}

/// A condition as an operator writes it: a path, and one test.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    argument: String,
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    equals: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    one_of: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    glob: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    less_than: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more_than: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length_at_most: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length_at_least: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exists: Option<bool>,
}

/// `null` as a value, so that it is refused and not taken for a test that was left out.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl TryFrom<Written> for Condition {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let tests = [
            written.equals.map(ArgumentTest::Equals),
            written.one_of.map(ArgumentTest::OneOf),
            written.glob.map(ArgumentTest::Glob),
            written.less_than.map(ArgumentTest::LessThan),
            written.at_most.map(ArgumentTest::AtMost),
            written.more_than.map(ArgumentTest::MoreThan),
            written.at_least.map(ArgumentTest::AtLeast),
            written.length_at_most.map(ArgumentTest::LengthAtMost),
            written.length_at_least.map(ArgumentTest::LengthAtLeast),
            written.exists.map(ArgumentTest::Exists),
        ];
        let mut tests = tests.into_iter().flatten();
        let argument = written.argument;
        match (tests.next(), tests.next()) {
            (Some(test), None) => Self::new(&argument, test),
            (Some(_), Some(_)) => Err(format!(
                "the condition on {argument:?} asks for two things: write a condition for each, both have to hold"
            )),
            (None, _) => Err(format!(
                "the condition on {argument:?} asks for nothing: add one of `equals`, `one_of`, `glob`, `less_than`, \
                 `at_most`, `more_than`, `at_least`, `length_at_most`, `length_at_least` and `exists`"
            )),
        }
    }
}

impl From<Condition> for Written {
    fn from(Condition { path, test }: Condition) -> Self {
        let mut written = Self { argument: path.as_str().to_owned(), ..Self::default() };
        match test {
            ArgumentTest::Equals(value) => written.equals = Some(value),
            ArgumentTest::OneOf(values) => written.one_of = Some(values),
            ArgumentTest::Glob(pattern) => written.glob = Some(pattern),
            ArgumentTest::LessThan(limit) => written.less_than = Some(limit),
            ArgumentTest::AtMost(limit) => written.at_most = Some(limit),
            ArgumentTest::MoreThan(limit) => written.more_than = Some(limit),
            ArgumentTest::AtLeast(limit) => written.at_least = Some(limit),
            ArgumentTest::LengthAtMost(limit) => written.length_at_most = Some(limit),
            ArgumentTest::LengthAtLeast(limit) => written.length_at_least = Some(limit),
            ArgumentTest::Exists(wanted) => written.exists = Some(wanted),
        }
        written
    }
}
