//! What serde says, in JSON's terms: its own sentences, those of its derives, and of the types of `std`.
//!
//! They name types of Rust and speak of variants, sequences and units. Whatever else a decoder says is its author's, and
//! stays.

use std::fmt::Write;

use super::describe::{got_number, shortened};
use super::plan::Kinds;

/// What serde says of a value that it does not take.
pub(super) enum Said {
    /// All of it.
    Words(String),
    /// What is expected; what was got is left out or told.
    Expected(String, Option<String>),
    /// The name of a form stands where that form's content, of this kind, has to come with it.
    FormWithoutContent(Kinds),
    /// None of several forms fits.
    NoForm,
}

/// What is said of a key, which is a string that holds a number: what is expected, where the sentence is one of serde's.
pub(super) fn expected_of_a_name(sentence: &str) -> Option<String> {
    match parts(sentence, "invalid type: ").or_else(|| parts(sentence, "invalid value: ")) {
        Some((_, expected)) => Some(range(expected).unwrap_or_else(|| kind(expected))),
        None => match said(sentence)? {
            Said::Expected(expected, _) => Some(expected),
            Said::Words(_) | Said::FormWithoutContent(_) | Said::NoForm => None,
        },
    }
}

/// The sentence in JSON's terms; nothing where it is none of serde's.
pub(super) fn said(sentence: &str) -> Option<Said> {
    if let Some((got, expected)) = parts(sentence, "invalid type: ").or_else(|| parts(sentence, "invalid value: ")) {
        return Some(mistaken(got, expected, sentence.starts_with("invalid value: ")));
    }
    if let Some((length, expected)) = parts(sentence, "invalid length ") {
        return Some(of_length(length, expected));
    }
    if sentence.starts_with("data did not match any variant of untagged enum ") {
        return Some(Said::NoForm);
    }
    if sentence.starts_with("no variant of enum ") {
        return Some(Said::Words("expected a property whose name is that of one of the allowed forms".to_owned()));
    }
    if let Some(address) = sentence.strip_prefix("invalid ").and_then(|rest| rest.strip_suffix(" syntax")) {
        return text_of_std(address).map(|expected| Said::Expected(expected, None));
    }
    let words = match sentence {
        "overflow deserializing Duration" => "expected a shorter duration: this one is longer than can be told",
        "overflow deserializing SystemTime" | "overflow deserializing SystemTime epoch offset" => {
            "expected a time that is nearer: this one is further off than can be told"
        }
        "i128 is not supported" | "u128 is not supported" => "the tool cannot take an integer here",
        "can only flatten structs and maps" | "cannot deserialize `!`" => "the tool takes no value here",
        _ if sentence.starts_with("cannot deserialize ") && sentence.contains(" OS string ") => {
            "expected a text as this system has it, got that of another one"
        }
        _ if sentence.starts_with("nul byte found in provided data") => "expected bytes of which none is 0",
        _ => return None,
    };
    Some(Said::Words(words.to_owned()))
}

/// What was got and what is expected, of a sentence that begins so.
fn parts<'s>(sentence: &'s str, begins: &str) -> Option<(&'s str, &'s str)> {
    sentence.strip_prefix(begins)?.rsplit_once(", expected ")
}

fn mistaken(got: &str, expected: &str, is_value: bool) -> Said {
    if got == "unit variant" {
        return Said::FormWithoutContent(match expected {
            "struct variant" => Kinds::OBJECT,
            "tuple variant" => Kinds::ARRAY,
            _ => Kinds::ALL,
        });
    }
    let (got, expected) = match number(got) {
        // Whatever has no name for an integer so large is read into memory as it comes.
        Some(number) if expected.ends_with("any value") || expected.ends_with("any other value") => {
            (got_number(number), "a number of at most 64 bits".to_owned())
        }
        Some(number) => {
            let in_range = is_value || is_beyond_64_bits(number);
            let range = if in_range || expected.starts_with(NONZERO) { range(expected) } else { None };
            (got_number(number), range.unwrap_or_else(|| kind(expected)))
        }
        None => (self::got(got), kind(expected)),
    };
    Said::Expected(expected, Some(got))
}

const NONZERO: &str = "a nonzero ";

/// The digits of a number that was got.
fn number(got: &str) -> Option<&str> {
    let written = got.strip_prefix("integer `").or_else(|| got.strip_prefix("floating point `"))?;
    let digits = written.split('`').next()?;
    // A float that is large enough has no fraction, and Rust writes one all the same.
    let whole = digits.strip_suffix(".0").filter(|whole| whole.len() > 16);
    Some(whole.unwrap_or(digits))
}

fn is_beyond_64_bits(number: &str) -> bool {
    let is_whole = !number.contains(['.', 'e', 'E']);
    is_whole && number.parse::<i64>().is_err() && number.parse::<u64>().is_err()
}

fn got(got: &str) -> String {
    let term = match got {
        "map" => "an object".to_owned(),
        "sequence" | "byte array" => "an array".to_owned(),
        "unit value" | "Option value" => "null".to_owned(),
        "newtype struct" | "enum" | "newtype variant" | "tuple variant" | "struct variant" => {
            "another value".to_owned()
        }
        _ => match (got.strip_prefix("string "), got.strip_prefix("boolean `"), got.strip_prefix("character `")) {
            (Some(text), ..) => format!("the string {text}"),
            (_, Some(value), _) => format!("the boolean {}", value.trim_end_matches('`')),
            (.., Some(value)) => format!("the string \"{}\"", value.strip_suffix('`').unwrap_or(value)),
            _ => got.to_owned(),
        },
    };
    shortened(&term)
}

/// The range of a type of numbers; with what is left out of it.
fn range(expected: &str) -> Option<String> {
    let nonzero = expected.strip_prefix(NONZERO);
    let (minimum, maximum) = match nonzero.unwrap_or(expected) {
        "f32" => return Some("a number from -3.4028235e+38 to 3.4028235e+38".to_owned()),
        "f64" => return Some("a number from -1.7976931348623157e+308 to 1.7976931348623157e+308".to_owned()),
        "i8" => (i128::from(i8::MIN), i8::MAX as u128),
        "i16" => (i128::from(i16::MIN), i16::MAX as u128),
        "i32" => (i128::from(i32::MIN), i32::MAX as u128),
        "i64" | "isize" => (i128::from(i64::MIN), i64::MAX as u128),
        "i128" => (i128::MIN, i128::MAX as u128),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" | "usize" => (0, u64::MAX.into()),
        "u128" => (0, u128::MAX),
        _ => return None,
    };
    Some(match nonzero {
        Some(_) if minimum < 0 => format!("an integer other than 0, from {minimum} to {maximum}"),
        Some(_) => format!("an integer from 1 to {maximum}"),
        None => format!("an integer from {minimum} to {maximum}"),
    })
}

/// The kind of value that is expected.
fn kind(expected: &str) -> String {
    if let Some(primitive) = expected.strip_prefix(NONZERO)
        && range(primitive).is_some()
    {
        return "an integer other than 0".to_owned();
    }
    let word = match expected {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a non-negative integer",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "integer with support for saturating semantics" => {
            "an integer"
        }
        "f32" | "f64" => "a number",
        "unit" => "null",
        "a boolean" => "true or false",
        "a character" => "a string of 1 character",
        "a borrowed string" | "a borrowed path" | "path string" | "variant identifier" => "a string",
        "a sequence" | "tuple variant" => "an array",
        "byte array" | "a borrowed byte array" => "an array of integers from 0 to 255",
        "a map" | "struct variant" => "an object",
        "os string" | "string or map" | "enum" => "a string or an object",
        "map with a single key" => "an object with one property",
        "newtype variant" | "option" | "any value" | "anything at all" => "another value",
        _ => "",
    };
    if !word.is_empty() {
        return word.to_owned();
    }
    // The variants of an enum of `std`: `Ok` or `Err`.
    if expected.starts_with('`') && expected.contains("` or `") {
        return "a string".to_owned();
    }
    named(expected).or_else(|| text_of_std(expected)).unwrap_or_else(|| expected.to_owned())
}

/// What is expected by the kind of Rust type that it becomes, whose name follows.
fn named(expected: &str) -> Option<String> {
    const KINDS: [(&str, &str); 12] = [
        ("a tuple of size ", "an array"),
        ("adjacently tagged enum ", "an object"),
        ("enum ", "a string or an object"),
        ("internally tagged enum ", "an object"),
        ("struct variant ", "an object"),
        ("struct ", "an object"),
        ("tuple struct ", "an array"),
        ("tuple variant ", "an array"),
        ("unit struct ", "null"),
        ("unit variant ", "null"),
        ("variant index ", "a string"),
        ("variant of enum ", "a string"),
    ];
    let (kind, rest) = KINDS.iter().find_map(|(begins, kind)| Some((kind, expected.strip_prefix(begins)?)))?;
    let length = match rest.split_once(" with ") {
        Some((_, elements)) => elements.split(' ').next(),
        None if expected.starts_with("a tuple of size ") => Some(rest),
        None => None,
    };
    let mut text = (*kind).to_owned();
    if let Some(length) = length.filter(|_| *kind == "an array") {
        let _ = write!(text, " of length {length}");
    }
    Some(text)
}

/// A string that a type of `std` reads.
fn text_of_std(expected: &str) -> Option<String> {
    match expected {
        "IP address" | "IPv4 address" | "IPv6 address" | "IPv4 socket address" | "IPv6 socket address" => {
            Some(format!("an {expected} in a string"))
        }
        "socket address" => Some("an IP address with a port, in a string".to_owned()),
        _ => None,
    }
}

fn of_length(length: &str, expected: &str) -> Said {
    if let Some((count, whole)) = expected.split_once(" element in ").or_else(|| expected.split_once(" elements in ")) {
        return match whole {
            "map" => Said::Words(format!("expected an object of {count} properties, got one of {length}")),
            _ => Said::Words(format!("expected an array of length {count}, got one of length {length}")),
        };
    }
    Said::Words(format!("expected {}, got one of length {length}", kind(expected)))
}

/// Without where in a text of its own `serde_json` stood: a decoder that reads JSON out of a string says so.
pub(super) fn without_position(sentence: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_position = |at: &str| at.split_once(" column ").is_some_and(|(line, column)| digits(line) && digits(column));
    match sentence.rsplit_once(" at line ") {
        Some((before, at)) if is_position(at) => before,
        _ => sentence,
    }
}
