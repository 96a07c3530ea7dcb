//! What arguments are read from: JSON text or a parsed value, through one interface, so that there is one set of rules.
//!
//! Text is read by an own [reader](super::reader), not through serde: a schema decides on a number's digits and on each
//! key as it was written, both of which a serde decoder has lost (or, under `arbitrary_precision`, hands out as a map of
//! one magic key); an alternative is tried again from its place in the text instead of from a buffer; and nothing is
//! allocated.

use serde::de::{Deserializer, Error, Visitor};
use serde_json::{Map, Value, map};
use std::borrow::Cow;
use std::slice;

use super::number::{self, Numeric};

/// Why a walk ends before the end of the arguments.
///
/// One byte, so that a result of the walk fits a register; the reader knows why a text is no JSON, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The walk only asks whether there is something to find, and there is.
    Found,
    /// The text is no JSON.
    Syntax,
    /// Nested deeper than the limit.
    TooDeep,
    /// Alternatives within alternatives, more than can be tried in reasonable time.
    TooManyTries,
}

/// The kind of a JSON value, as its first byte tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// One value: a scalar as a whole, or the inside of an array or object, which must then be read to its end.
pub(super) enum Token<'s, E, M> {
    Null,
    Bool(bool),
    Number(Num<'s>),
    String(Text<'s>),
    Array(E),
    Object(M),
}

/// A value that is to be read. Of text, the handle is a reader that stands before the value; it is read from front to back.
pub(super) trait Input<'s>: Copy {
    /// The elements of an array.
    type Elements: Elements<Self>;
    /// The members of an object.
    type Members: Members<'s, Self>;

    /// What comes, without reading it.
    fn kind(self) -> Result<Kind, Halt>;
    /// Reads it.
    fn open(self) -> Result<Token<'s, Self::Elements, Self::Members>, Halt>;
    /// Reads a null (`None`) or a boolean, where one comes; so the others.
    fn constant(self) -> Result<Option<bool>, Halt>;
    fn number(self) -> Result<Num<'s>, Halt>;
    fn string(self) -> Result<Text<'s>, Halt>;
    fn elements(self) -> Result<Self::Elements, Halt>;
    fn members(self) -> Result<Self::Members, Halt>;
    /// Reads past a scalar of which nothing more is asked.
    fn pass_scalar(self) -> Result<(), Halt>;
    /// Where the reader stands, in bytes.
    fn mark(self) -> usize;
    /// Puts the reader back to a mark.
    fn rewind(self, mark: usize);
    /// What tells this value from any other of the same text or value, before it is read.
    fn place(self) -> usize;
    /// The value as a whole, as far as it is one.
    fn to_value(self) -> Option<Value>;
    /// Lets `serde_json` read a type of its own (`RawValue`) from the value that begins at `start`; it has been read.
    fn newtype_of_serde_json<V: Visitor<'s>>(
        self,
        start: usize,
        name: &'static str,
        visitor: V,
    ) -> serde_json::Result<V::Value>;
}

pub(super) trait Elements<I> {
    fn next(&mut self) -> Result<Option<I>, Halt>;

    /// How many there are still, where that is known.
    fn left(&self) -> Option<usize> {
        None
    }
}

pub(super) trait Members<'s, I> {
    /// The next key, where it begins, and its value.
    fn next(&mut self) -> Result<Option<(Text<'s>, usize, I)>, Halt>;
}

/// A string as it stands in its source. Compared and counted without being decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'s> {
    /// What stands between the quotes.
    raw: &'s str,
    /// Whether there is a backslash in it; its escapes are valid.
    escaped: bool,
}

impl<'s> Text<'s> {
    pub(super) fn new(raw: &'s str, escaped: bool) -> Self {
        Self { raw, escaped }
    }

    pub(super) fn decoded(self) -> Cow<'s, str> {
        if self.escaped { Cow::Owned(self.chars().collect()) } else { Cow::Borrowed(self.raw) }
    }

    /// Hands it to a decoder.
    pub(super) fn visit<V: Visitor<'s>, E: Error>(self, visitor: V) -> Result<V::Value, E> {
        if self.escaped { visitor.visit_string(self.chars().collect()) } else { visitor.visit_borrowed_str(self.raw) }
    }

    /// The first characters, decoded.
    pub(super) fn beginning(self, chars: usize) -> Cow<'s, str> {
        if self.escaped { Cow::Owned(self.chars().take(chars).collect()) } else { Cow::Borrowed(self.raw) }
    }

    #[inline]
    pub(super) fn is(self, other: &str) -> bool {
        if self.escaped { self.chars().eq(other.chars()) } else { self.raw == other }
    }

    pub(super) fn same(self, other: Text<'_>) -> bool {
        match (self.escaped, other.escaped) {
            (false, _) => other.is(self.raw),
            (true, false) => self.is(other.raw),
            (true, true) => self.chars().eq(other.chars()),
        }
    }

    /// The length in characters, as JSON Schema counts.
    pub(super) fn count(self) -> u64 {
        let chars = if self.escaped { self.chars().count() } else { self.raw.chars().count() };
        chars as u64
    }

    /// What it costs to read it again, beside a scalar's 1.
    pub(super) fn weight(self) -> usize {
        self.raw.len() / 32
    }

    fn chars(self) -> Unescaped<'s> {
        Unescaped(self.raw.chars())
    }
}

/// The characters of a string with its escapes resolved.
struct Unescaped<'s>(std::str::Chars<'s>);

impl Unescaped<'_> {
    /// The four digits of an escape; the reader has seen that they are there.
    fn hex(&mut self) -> u32 {
        (0..4).fold(0, |code, _| code * 16 + self.0.next().and_then(|digit| digit.to_digit(16)).unwrap_or(0))
    }
}

impl Iterator for Unescaped<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let plain = self.0.next()?;
        if plain != '\\' {
            return Some(plain);
        }
        Some(match self.0.next()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let mut code = self.hex();
                if (0xD800..0xDC00).contains(&code) {
                    self.0.nth(1); // the `\u` of the other half
                    code = 0x10000 + ((code & 0x3FF) << 10) + (self.hex() & 0x3FF);
                }
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            itself => itself,
        })
    }
}

/// A number as it stands in its source.
#[derive(Clone, Copy)]
pub(super) enum Num<'s> {
    Text(&'s str),
    Number(&'s serde_json::Number),
}

impl Num<'_> {
    /// Whether it is too short to be out of a float's range, so that it needs no closer look.
    pub(super) fn is_surely_finite(self) -> bool {
        match self {
            Self::Text(text) => text.len() < 300 && !text.contains(['e', 'E']),
            Self::Number(number) => number.is_i64() || number.is_u64(),
        }
    }

    /// Whether a float of 32 bits holds it.
    pub(super) fn fits_single(self) -> bool {
        self.small().is_some() || self.numeric().exact.fits_single()
    }

    pub(super) fn numeric(self) -> Numeric {
        match self {
            Self::Text(text) => number::read(text),
            Self::Number(number) => number::of(number),
        }
    }

    /// The number, where it is a few digits and no more.
    pub(super) fn small(self) -> Option<u64> {
        const DIGITS: usize = 18;
        match self {
            Self::Text(text) => {
                let digits = text.len() <= DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
                digits.then(|| text.bytes().fold(0, |all, digit| all * 10 + u64::from(digit - b'0')))
            }
            Self::Number(number) => number.as_u64(),
        }
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Number(number) => Cow::Owned(number.to_string()),
        }
    }
}

impl<'s> Input<'s> for &'s Value {
    type Elements = slice::Iter<'s, Value>;
    type Members = map::Iter<'s>;

    fn kind(self) -> Result<Kind, Halt> {
        Ok(match self {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Bool,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        })
    }

    fn open(self) -> Result<Token<'s, Self::Elements, Self::Members>, Halt> {
        Ok(match self {
            Value::Null => Token::Null,
            Value::Bool(value) => Token::Bool(*value),
            Value::Number(number) => Token::Number(Num::Number(number)),
            Value::String(text) => Token::String(Text::new(text, false)),
            Value::Array(elements) => Token::Array(elements.iter()),
            Value::Object(members) => Token::Object(members.iter()),
        })
    }

    fn constant(self) -> Result<Option<bool>, Halt> {
        Ok(self.as_bool())
    }

    fn number(self) -> Result<Num<'s>, Halt> {
        self.as_number().map(Num::Number).ok_or(Halt::Found)
    }

    fn string(self) -> Result<Text<'s>, Halt> {
        self.as_str().map(|text| Text::new(text, false)).ok_or(Halt::Found)
    }

    fn elements(self) -> Result<Self::Elements, Halt> {
        self.as_array().map(|elements| elements.iter()).ok_or(Halt::Found)
    }

    fn members(self) -> Result<Self::Members, Halt> {
        self.as_object().map(Map::iter).ok_or(Halt::Found)
    }

    fn pass_scalar(self) -> Result<(), Halt> {
        Ok(())
    }

    fn mark(self) -> usize {
        0
    }

    fn rewind(self, _mark: usize) {}

    fn place(self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn to_value(self) -> Option<Value> {
        Some(self.clone())
    }

    fn newtype_of_serde_json<V: Visitor<'s>>(
        self,
        _: usize,
        name: &'static str,
        visitor: V,
    ) -> serde_json::Result<V::Value> {
        self.deserialize_newtype_struct(name, visitor)
    }
}

impl<'s> Elements<&'s Value> for slice::Iter<'s, Value> {
    fn next(&mut self) -> Result<Option<&'s Value>, Halt> {
        Ok(Iterator::next(self))
    }

    fn left(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<'s> Members<'s, &'s Value> for map::Iter<'s> {
    fn next(&mut self) -> Result<Option<(Text<'s>, usize, &'s Value)>, Halt> {
        Ok(Iterator::next(self).map(|(key, value)| (Text::new(key, false), 0, value)))
    }
}
