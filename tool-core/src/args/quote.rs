//! What a message may show of what was got: all of it, but for secrets.
//!
//! A secret is known by its path, and what is wrong need not stand at its path. So a value is not quoted either where a
//! secret is expected within it, where it is a text that speaks of a secret (JSON that was cut off, say), or where it is a
//! whole object or array of a tool that has secrets.

use serde_json::Value;
use std::fmt::Write;

use super::decode::Segment;
use super::describe;
use super::input::{Kind, Token};
use crate::error::ArgumentFault;
use crate::secrets::Secrets;

/// What may be quoted at one place.
#[derive(Clone, Copy)]
pub(super) struct Quote<'p> {
    /// `None` for a tool without secrets.
    secrets: Option<&'p Secrets>,
    standing: Standing,
}

/// Where a place stands to the secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Apart,
    /// A secret is expected within what stands here.
    Near,
    Secret,
    /// Within a secret, under a key that no schema names.
    Within,
}

impl<'p> Quote<'p> {
    pub(super) const EVERYTHING: Self = Self { secrets: None, standing: Standing::Apart };

    pub(super) fn at(secrets: &'p Secrets, standing: Standing) -> Self {
        Self { secrets: Some(secrets), standing }
    }

    pub(super) fn hides_scalars(self) -> bool {
        self.standing != Standing::Apart
    }

    /// Whether the last key of the path is part of a secret.
    pub(super) fn hides_the_key(self) -> bool {
        self.standing == Standing::Within
    }

    pub(super) fn hides_string(self, text: &str) -> bool {
        self.hides_scalars() || self.secrets.is_some_and(|secrets| secrets.is_mentioned_in(text))
    }

    pub(super) fn got<E, M>(self, token: &Token<'_, E, M>) -> String {
        match token {
            Token::Number(number) => self.number(&number.text()),
            Token::String(text) => self.string(&text.decoded()),
            Token::Bool(_) if self.hides_scalars() => not_shown("a boolean"),
            Token::Null | Token::Bool(_) | Token::Array(_) | Token::Object(_) => describe::got(token),
        }
    }

    pub(super) fn number(self, text: &str) -> String {
        if self.hides_scalars() { not_shown("a number") } else { describe::got_number(text) }
    }

    pub(super) fn string(self, text: &str) -> String {
        if self.hides_string(text) { not_shown("a string") } else { describe::got_string(text) }
    }

    pub(super) fn value(self, value: &Value) -> String {
        match value {
            Value::Bool(_) if self.hides_scalars() => not_shown("a boolean"),
            Value::Number(number) => self.number(&number.to_string()),
            Value::String(text) => self.string(text),
            Value::Array(_) if self.secrets.is_some() => not_shown("an array"),
            Value::Object(_) if self.secrets.is_some() => not_shown("an object"),
            _ => describe::got_value(value),
        }
    }

    /// How many characters, elements or properties a value has, which says something of it as well.
    pub(super) fn count(self, kind: Kind, count: u64) -> String {
        match (self.standing, kind) {
            (Standing::Apart | Standing::Near, _) => count.to_string(),
            (_, Kind::Array) => not_shown("an array"),
            (_, Kind::Object) => not_shown("an object"),
            _ => not_shown("a string"),
        }
    }

    /// A string that is none of the allowed values.
    pub(super) fn unknown_value(self, given: &str, allowed: &[Value]) -> String {
        if self.hides_string(given) {
            return format!("expected {}, got {}", describe::one_of(allowed), not_shown("a string"));
        }
        describe::unknown_value(given, allowed)
    }

    /// A property that the schema does not know.
    pub(super) fn unknown_property(self, given: &str, names: &[&str], patterns: &[&str]) -> String {
        if !self.hides_the_key() {
            return describe::unknown_property(given, names, patterns);
        }
        let known = describe::listed(names.iter().copied());
        if names.is_empty() {
            not_shown("an unknown property")
        } else {
            format!("an unknown property (not shown). Known: {known}")
        }
    }

    /// A tag that stands for no form.
    pub(super) fn unknown_tag(self, given: &str, known: &[&str]) -> String {
        if self.hides_string(given) {
            let known = describe::listed(known.iter().copied());
            return format!("expected one of {known}, got {}", not_shown("a string"));
        }
        describe::unknown_name(given, "value", known)
    }
}

fn not_shown(what: &str) -> String {
    format!("{what} (not shown)")
}

/// The fault that stands for a decoder's own refusal, where its sentence may hold a secret: a decoder says what it will,
/// and of all that it has read.
pub(super) fn unquotable(
    sentence: &str,
    segments: &[Segment<'_>],
    text: &str,
    secrets: &Secrets,
) -> Option<ArgumentFault> {
    if secrets.is_empty() {
        return None;
    }
    let fault = |path: &str| {
        let words = "the tool does not accept this value; why is not shown, since there may be a secret in it";
        Some(ArgumentFault::new(describe::shortened(path), words))
    };
    let whole: Value = serde_json::from_str(text).unwrap_or_default();
    let mut path = String::new();
    let mut value = Some(&whole);
    let mut followed = secrets.start();
    for segment in segments {
        let key = match segment {
            Segment::Element(index) => {
                let _ = write!(path, "[{index}]");
                value = value.and_then(|value| value.get(index));
                continue;
            }
            Segment::Member(key) | Segment::Form(key) => &**key,
        };
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(&describe::shortened(key));
        value = value.and_then(|value| value.get(key));
        match secrets.enter(&followed, key) {
            Some(next) => followed = next,
            None => return fault(&path),
        }
    }
    let may_be_repeated = value.is_none_or(|value| secrets.may_be_in(&followed, value));
    if may_be_repeated || secrets.is_spilt_by(sentence, &whole) { fault(&path) } else { None }
}
