//! When two JSON values are the same, as a text that can be a key; and how long a value or a text is shown.

use serde::Serialize;
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::io::{self, Write};

/// Beyond this, two whole numbers may share one double, so that a double is no longer read as a whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// One text for all writings of the same value: the order of keys does not count, and `1`, `1.0` and `1e0` are one number.
///
/// Not RFC 8785, whose numbers are doubles: two order numbers of 17 digits would be one there.
pub(crate) fn key_of(value: &Value) -> String {
    let mut key = String::new();
    write_key(value, &mut key);
    key
}

/// Whether the key of this value is that of no other: a whole number beyond 64 bits is held as a double that it shares.
pub(crate) fn is_exact(value: &Value) -> bool {
    match value {
        Value::Number(number) if number.as_i64().is_none() && number.as_u64().is_none() => {
            number.as_f64().is_some_and(|double| double.abs() < EXACT)
        }
        Value::Array(items) => items.iter().all(is_exact),
        Value::Object(properties) => properties.values().all(is_exact),
        _ => true,
    }
}

fn write_key(value: &Value, key: &mut String) {
    match value {
        Value::Number(number) => key.push_str(&number_key(number)),
        Value::Array(items) => {
            key.push('[');
            for item in items {
                write_key(item, key);
                key.push(',');
            }
            key.push(']');
        }
        Value::Object(properties) => {
            // Sorted here: under serde_json's `preserve_order` a map keeps the order in which it was written.
            let mut properties: Vec<_> = properties.iter().collect();
            properties.sort_unstable_by_key(|(name, _)| *name);
            key.push('{');
            for (name, value) in properties {
                key.push_str(&Value::from(name.as_str()).to_string());
                key.push(':');
                write_key(value, key);
                key.push(',');
            }
            key.push('}');
        }
        Value::Null | Value::Bool(_) | Value::String(_) => key.push_str(&value.to_string()),
    }
}

fn number_key(number: &Number) -> String {
    // By value, since under serde_json's `arbitrary_precision` a number keeps its writing, `-0` included.
    if let Some(whole) = number.as_i64() {
        return whole.to_string();
    }
    if let Some(whole) = number.as_u64() {
        return whole.to_string();
    }
    match number.as_f64() {
        // Adding zero makes one of the two zeros.
        Some(double) if double.fract() == 0.0 && double.abs() < EXACT => format!("{:.0}", double + 0.0),
        Some(double) if double.abs() < EXACT => double.to_string(),
        _ => number.to_string(),
    }
}

/// How many characters the compact JSON of `value` has.
pub(crate) fn json_chars(value: &impl Serialize) -> usize {
    let mut counter = Characters(0);
    // What is measured here are texts and `Value`s, which are always JSON; the counter itself takes everything.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

/// Counts the characters of UTF-8 that is written to it, in whatever pieces.
struct Characters(usize);

impl Write for Characters {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.iter().filter(|byte| *byte & 0b1100_0000 != 0b1000_0000).count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The first `chars` characters of a text, with `…` where some are left out.
pub(crate) fn clipped(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn one_value_has_one_key_however_it_is_written() {
        for (one, other) in [
            (r#"{"a":1,"b":[2]}"#, r#"{ "b": [2.0], "a": 1e0 }"#),
            ("0", "-0.0"),
            ("100", "1e2"),
            ("0.5", "5e-1"),
            (r#""\u00e9""#, r#""é""#),
        ] {
            assert_eq!(key_of(&parsed(one)), key_of(&parsed(other)), "{one} {other}");
        }
    }

    #[test]
    fn two_values_have_two_keys() {
        for (one, other) in [
            ("9007199254740993", "9007199254740992"),
            ("18446744073709551615", "18446744073709551614"),
            ("1", r#""1""#),
            ("null", r#""null""#),
            ("[1,2]", "[12]"),
            ("[[1],2]", "[[1,2]]"),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#),
            (r#"{"a\":1,\"b":2}"#, r#"{"a":1,"b":2}"#),
            ("0.1", "0.2"),
            ("true", "1"),
        ] {
            assert_ne!(key_of(&parsed(one)), key_of(&parsed(other)), "{one} {other}");
        }
    }

    #[test]
    fn characters_are_counted_and_cut_whole() {
        assert_eq!(json_chars(&json!({"é": "日本"})), r#"{"é":"日本"}"#.chars().count());
        assert_eq!(clipped("日本語", 2), "日本…");
        assert_eq!(clipped("日本", 2), "日本");
        assert_eq!(clipped("", 0), "");
    }
}
