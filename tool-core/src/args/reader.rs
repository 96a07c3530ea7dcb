//! Reads JSON text (RFC 8259) value by value, without recursion and without allocating.

use serde::de::{Deserializer, Visitor};
use serde_json::Value;
use std::cell::Cell;

use super::input::{Elements, Halt, Input, Kind, Members, Num, Text, Token};

/// Stands somewhere in a text. Its handle is a shared reference, so that a value and what encloses it can both hold one.
pub(super) struct Reader<'s> {
    text: &'s str,
    at: Cell<usize>,
    /// Why the text is no JSON, and at which byte, once that is known.
    wrong: Cell<(&'static str, usize)>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Self { text, at: Cell::new(0), wrong: Cell::new(("", 0)) }
    }

    /// Fails where anything but white space is left.
    pub(super) fn end(&self) -> Result<(), Halt> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.wrong("characters after the end of the value"),
        }
    }

    /// Why the text is no JSON, and at which byte, after [`Halt::Syntax`].
    pub(super) fn why(&self) -> (&'static str, usize) {
        self.wrong.get()
    }

    #[cold]
    fn wrong<T>(&self, why: &'static str) -> Result<T, Halt> {
        self.wrong_at(why, self.at.get())
    }

    #[cold]
    fn wrong_at<T>(&self, why: &'static str, at: usize) -> Result<T, Halt> {
        self.wrong.set((why, at));
        Err(Halt::Syntax)
    }

    #[inline]
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The next byte that is no white space; the reader moves to it.
    #[inline]
    fn peek(&self) -> Option<u8> {
        let mut at = self.at.get();
        loop {
            match self.byte(at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => at += 1,
                other => {
                    self.at.set(at);
                    return other;
                }
            }
        }
    }

    #[inline]
    fn skip(&self, bytes: usize) {
        self.at.set(self.at.get() + bytes);
    }

    fn word(&self, word: &'static str) -> Result<(), Halt> {
        let at = self.at.get();
        if self.text.as_bytes()[at..].starts_with(word.as_bytes()) {
            self.skip(word.len());
            return Ok(());
        }
        self.wrong("expected a value")
    }

    /// A string; the reader stands at its opening quote.
    #[inline]
    fn quoted(&self) -> Result<Text<'s>, Halt> {
        let start = self.at.get() + 1;
        let bytes = self.text.as_bytes();
        let mut at = start;
        let mut escaped = false;
        loop {
            at = run_end(bytes, at);
            match bytes.get(at) {
                Some(b'"') => {
                    self.at.set(at + 1);
                    return Ok(Text::new(&self.text[start..at], escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    at += self.escape(at)?;
                }
                Some(_) => return self.wrong_at("a control character within a string", at),
                None => return self.wrong_at("the text ends within a string", at),
            }
        }
    }

    /// The length of the escape at `at`, which is checked.
    fn escape(&self, at: usize) -> Result<usize, Halt> {
        let wrong = |why| self.wrong_at(why, at);
        match self.byte(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
            Some(b'u') => match self.hex(at + 2) {
                None => wrong("an escape without its four digits"),
                Some(0xD800..=0xDBFF) => {
                    let low = self.text.as_bytes()[at + 6..].starts_with(b"\\u").then(|| self.hex(at + 8)).flatten();
                    match low {
                        Some(0xDC00..=0xDFFF) => Ok(12),
                        _ => wrong("a lone surrogate"),
                    }
                }
                Some(0xDC00..=0xDFFF) => wrong("a lone surrogate"),
                Some(_) => Ok(6),
            },
            None => wrong("the text ends within a string"),
            Some(_) => wrong("an unknown escape"),
        }
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.as_bytes().get(at..at + 4)?;
        digits.iter().try_fold(0, |code, digit| Some(code * 16 + char::from(*digit).to_digit(16)?))
    }
}

/// The first place from `at` on that is not simply part of a string: a quote, a backslash, a control character, the end.
#[inline]
fn run_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let ends = ends_of_run(u64::from_le_bytes(*chunk));
        if ends != 0 {
            return at + ends.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| *byte >= 0x20 && !matches!(byte, b'"' | b'\\')) {
        at += 1;
    }
    at
}

/// Eight bytes at once: the lowest bit that is set is in the first byte that ends a run. (A borrow may set bits in bytes
/// after that one, never before it.)
#[inline]
fn ends_of_run(bytes: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let below = |bytes: u64, bound: u64| bytes.wrapping_sub(ONES * bound) & !bytes;
    let is = |byte: u8| below(bytes ^ (ONES * u64::from(byte)), 1);
    (is(b'"') | is(b'\\') | below(bytes, 0x20)) & HIGH
}

/// How many bytes of `bytes` are a JSON number, if it begins with one.
pub(super) fn number_end(bytes: &[u8]) -> Option<usize> {
    let digits =
        |from: usize| bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    at += match (bytes.get(at), digits(at)) {
        (_, 0) => return None,
        (Some(b'0'), count) if count > 1 => return None,
        (_, count) => count,
    };
    if bytes.get(at) == Some(&b'.') {
        let count = digits(at + 1);
        if count == 0 {
            return None;
        }
        at += 1 + count;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let count = digits(at + 1 + sign);
        if count == 0 {
            return None;
        }
        at += 1 + sign + count;
    }
    Some(at)
}

impl<'r, 's> Input<'s> for &'r Reader<'s> {
    type Elements = TextElements<'r, 's>;
    type Members = TextMembers<'r, 's>;

    #[inline]
    fn kind(self) -> Result<Kind, Halt> {
        Ok(match self.peek() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            Some(_) => return self.wrong("expected a value"),
            None => return self.wrong("the text ends before a value"),
        })
    }

    fn constant(self) -> Result<Option<bool>, Halt> {
        Ok(match self.byte(self.at.get()) {
            Some(b'n') => self.word("null").map(|()| None)?,
            Some(b't') => self.word("true").map(|()| Some(true))?,
            _ => self.word("false").map(|()| Some(false))?,
        })
    }

    #[inline]
    fn number(self) -> Result<Num<'s>, Halt> {
        let start = self.at.get();
        match number_end(&self.text.as_bytes()[start..]) {
            Some(length) => {
                self.skip(length);
                Ok(Num::Text(&self.text[start..start + length]))
            }
            None => self.wrong("not a number"),
        }
    }

    #[inline]
    fn string(self) -> Result<Text<'s>, Halt> {
        self.quoted()
    }

    #[inline]
    fn elements(self) -> Result<Self::Elements, Halt> {
        self.skip(1);
        Ok(TextElements { reader: self, first: true })
    }

    #[inline]
    fn members(self) -> Result<Self::Members, Halt> {
        self.skip(1);
        Ok(TextMembers { reader: self, first: true })
    }

    #[inline]
    fn open(self) -> Result<Token<'s, Self::Elements, Self::Members>, Halt> {
        Ok(match self.kind()? {
            Kind::Null | Kind::Bool => self.constant()?.map_or(Token::Null, Token::Bool),
            Kind::Number => Token::Number(self.number()?),
            Kind::String => Token::String(self.quoted()?),
            Kind::Array => Token::Array(self.elements()?),
            Kind::Object => Token::Object(self.members()?),
        })
    }

    #[inline]
    fn pass_scalar(self) -> Result<(), Halt> {
        if self.byte(self.at.get()) == Some(b'"') {
            return self.quoted().map(|_| ());
        }
        self.open().map(|_| ())
    }

    #[inline]
    fn mark(self) -> usize {
        self.at.get()
    }

    fn rewind(self, mark: usize) {
        self.at.set(mark);
    }

    fn place(self) -> usize {
        self.at.get()
    }

    fn to_value(self) -> Option<Value> {
        serde_json::Deserializer::from_str(&self.text[self.at.get()..]).into_iter().next()?.ok()
    }

    fn newtype_of_serde_json<V: Visitor<'s>>(
        self,
        start: usize,
        name: &'static str,
        visitor: V,
    ) -> serde_json::Result<V::Value> {
        let text = &self.text[start..self.at.get()];
        serde_json::Deserializer::from_str(text).deserialize_newtype_struct(name, visitor)
    }
}

/// Moves to the next item of an array or object, past a comma; `None` at the closing bracket, which is read.
#[inline]
fn next_item(reader: &Reader<'_>, first: &mut bool, close: u8, ends: &'static str) -> Result<Option<u8>, Halt> {
    let first = std::mem::replace(first, false);
    match reader.peek() {
        Some(byte) if byte == close => {
            reader.skip(1);
            Ok(None)
        }
        Some(b',') if !first => {
            reader.skip(1);
            match reader.peek() {
                Some(byte) if byte == close => reader.wrong("a comma before the closing bracket"),
                Some(byte) => Ok(Some(byte)),
                None => reader.wrong(ends),
            }
        }
        Some(byte) if first => Ok(Some(byte)),
        Some(_) => reader.wrong("expected a comma or the closing bracket"),
        None => reader.wrong(ends),
    }
}

pub(super) struct TextElements<'r, 's> {
    reader: &'r Reader<'s>,
    first: bool,
}

impl<'r, 's> Elements<&'r Reader<'s>> for TextElements<'r, 's> {
    #[inline]
    fn next(&mut self) -> Result<Option<&'r Reader<'s>>, Halt> {
        let next = next_item(self.reader, &mut self.first, b']', "the text ends within an array")?;
        Ok(next.map(|_| self.reader))
    }
}

pub(super) struct TextMembers<'r, 's> {
    reader: &'r Reader<'s>,
    first: bool,
}

impl<'r, 's> Members<'s, &'r Reader<'s>> for TextMembers<'r, 's> {
    #[inline]
    fn next(&mut self) -> Result<Option<(Text<'s>, usize, &'r Reader<'s>)>, Halt> {
        let reader = self.reader;
        match next_item(reader, &mut self.first, b'}', "the text ends within an object")? {
            None => Ok(None),
            Some(b'"') => {
                let start = reader.at.get();
                let key = reader.quoted()?;
                if reader.peek() != Some(b':') {
                    return reader.wrong("expected a colon after the key");
                }
                reader.skip(1);
                Ok(Some((key, start, reader)))
            }
            Some(_) => reader.wrong("expected a key in double quotes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::input::Input;
    use proptest::prelude::*;

    /// Reads a whole text, and writes what was read as a value.
    fn read(reader: &Reader<'_>) -> Result<Value, Halt> {
        Ok(match reader.open()? {
            Token::Null => Value::Null,
            Token::Bool(value) => value.into(),
            Token::Number(number) => serde_json::from_str(&number.text()).map_err(|_| Halt::Found)?,
            Token::String(text) => {
                assert_eq!(text.count(), text.decoded().chars().count() as u64);
                text.decoded().into()
            }
            Token::Array(mut elements) => {
                let mut all = Vec::new();
                while let Some(element) = elements.next()? {
                    all.push(read(element)?);
                }
                all.into()
            }
            Token::Object(mut members) => {
                let mut all = serde_json::Map::new();
                while let Some((key, _, value)) = members.next()? {
                    all.insert(key.decoded().into_owned(), read(value)?);
                }
                all.into()
            }
        })
    }

    fn whole(text: &str) -> Option<Value> {
        let reader = Reader::new(text);
        let value = read(&reader).ok()?;
        reader.end().ok().map(|()| value)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_reads_what_serde_json_reads(
            parts in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"b\":", "1", "0", "-", ".", "5", "e", "+", "true", "null", " ",
                "\n", "\\", "u", "\\u00e9", "\\ud83d", "\\ude00", "\\ud83d\\ude00", "\\n", "é", "\u{1F600}", "\t", "/", "x",
            ]), 0..9),
            within in 0_usize..4,
        ) {
            let inner = parts.concat();
            let text = match within {
                0 => inner,
                1 => format!("[{inner}]"),
                2 => format!("{{\"k\":{inner}}}"),
                _ => format!("\"{inner}\""),
            };
            prop_assert_eq!(whole(&text), serde_json::from_str::<Value>(&text).ok(), "{}", text);
        }
    }

    #[test]
    fn a_surrogate_needs_its_other_half() {
        for (text, why) in [
            (r#""\ud800""#, "a lone surrogate"),
            (r#""\ud800\u0041""#, "a lone surrogate"),
            (r#""\ud800x""#, "a lone surrogate"),
            (r#""\udc00""#, "a lone surrogate"),
            (r#""\u12""#, "an escape without its four digits"),
        ] {
            let reader = Reader::new(text);
            assert_eq!(read(&reader), Err(Halt::Syntax), "{text}");
            assert_eq!(reader.why(), (why, 1), "{text}");
        }
        assert_eq!(whole(r#""\ud83d\ude00""#), Some("\u{1F600}".into()));
    }
}
