//! Where two answers, or two records, are not the same.

use std::fmt;

use serde_json::Value;

/// The first place at which two values differ, with both in whole.
#[derive(Debug, PartialEq)]
pub(super) struct Difference {
    /// Like `payment_history[1].amount`; empty if the values differ as such.
    path: String,
    expected: String,
    got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            writeln!(f, "  differs at {}", self.path)?;
        }
        writeln!(f, "  expected   {}", self.expected)?;
        write!(f, "  got        {}", self.got)
    }
}

/// Compares two answers: as JSON if both are, and otherwise as text.
pub(super) fn text_difference(expected: &str, got: &str) -> Option<Difference> {
    match (serde_json::from_str(expected), serde_json::from_str(got)) {
        (Ok(expected), Ok(got)) => value_difference(&expected, &got),
        _ if expected == got => None,
        _ => Some(Difference { path: String::new(), expected: expected.to_owned(), got: got.to_owned() }),
    }
}

/// Compares two JSON values; numbers by what they are worth, objects whatever the order of their keys.
pub(super) fn value_difference(expected: &Value, got: &Value) -> Option<Difference> {
    let path = first_difference(expected, got)?;
    Some(Difference {
        path: path.trim_start_matches('.').to_owned(),
        expected: expected.to_string(),
        got: got.to_string(),
    })
}

/// The path to the first difference, from here.
fn first_difference(expected: &Value, got: &Value) -> Option<String> {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            let missing_there = got.keys().filter(|key| !expected.contains_key(*key));
            expected.keys().chain(missing_there).find_map(|key| {
                let below = match (expected.get(key), got.get(key)) {
                    (Some(expected), Some(got)) => first_difference(expected, got),
                    _ => Some(String::new()),
                };
                below.map(|path| format!(".{key}{path}"))
            })
        }
        (Value::Array(expected), Value::Array(got)) => {
            let pairs = expected.iter().zip(got).enumerate();
            let within = pairs
                .map(|(index, (expected, got))| first_difference(expected, got).map(|path| format!("[{index}]{path}")));
            let length = (expected.len() != got.len()).then(|| format!("[{}]", expected.len().min(got.len())));
            within.flatten().next().or(length)
        }
        (Value::Number(expected), Value::Number(got)) => {
            // Whole numbers beyond 2^53 are told apart as they are written, and not as the doubles nearest to them.
            let both_whole = !expected.is_f64() && !got.is_f64();
            let same = expected == got || (!both_whole && expected.as_f64() == got.as_f64());
            (!same).then(String::new)
        }
        _ => (expected != got).then(String::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(expected: &str, got: &str) -> Option<String> {
        text_difference(expected, got).map(|difference| difference.path)
    }

    #[test]
    fn json_is_compared_by_value() {
        assert_eq!(path(r#"{"a": 3, "b": [1.50]}"#, r#"{"b":[1.5],"a":3.0}"#), None);
        assert_eq!(path("-0.0", "0"), None);
        assert_eq!(path("9007199254740993", "9007199254740992"), Some(String::new()));
    }

    #[test]
    fn a_difference_is_located() {
        assert_eq!(path(r#"{"a":[{"b":1},{"b":2}]}"#, r#"{"a":[{"b":1},{"b":3}]}"#), Some("a[1].b".into()));
        assert_eq!(path(r#"{"a":1}"#, r#"{"a":1,"c":2}"#), Some("c".into()));
        assert_eq!(path(r#"{"a":1,"c":2}"#, r#"{"a":1}"#), Some("c".into()));
        assert_eq!(path("[1,2]", "[1]"), Some("[1]".into()));
        assert_eq!(path(r#"{"a":"1"}"#, r#"{"a":1}"#), Some("a".into()));
    }

    #[test]
    fn text_that_is_not_json_is_compared_as_text() {
        assert_eq!(path("", ""), None);
        assert_eq!(path("Transfer successful", "Transfer successful"), None);
        assert_eq!(path("Transfer successful", "transfer successful"), Some(String::new()));
        assert_eq!(path("Error: order not found", "{}"), Some(String::new()));
    }
}
