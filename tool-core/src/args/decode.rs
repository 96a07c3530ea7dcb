//! A decoder over the [reader](super::reader), for the careful way.
//!
//! It reads what `serde_json` reads, with one difference: a number is always handed out as a number. Under
//! `arbitrary_precision`, which any other dependency may switch on, `serde_json` hands one out as a map of a magic key
//! wherever serde buffers (tagged and untagged enums, flattened structs), and no float is ever read there again.
//!
//! And where no schema says that an array stands for a struct, it is none, whatever a derive would take. Only what serde
//! has buffered is out of reach: it hands out its copy itself.

mod spoken;
mod way;

use serde::de::value::Error;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IgnoredAny, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;

use super::input::{Elements, Halt, Input, Kind, Members, Num, Text, Token};
use super::key::Key;
use super::number::{self, Exact};
use super::reader::{Reader, TextElements, TextMembers};
pub(super) use spoken::Spoken;
pub(super) use way::{Segment, Way, path_of};

/// An array as an enum that has its tag within: said of the tag, which is found out first.
pub(super) const TAG_IN_AN_ARRAY: &str = "an array in place of an object";

/// Begins what is said of a key, and not of its value.
pub(super) const OF_A_NAME: &str = "of a name: ";

/// Reads the value that the reader stands before.
pub(super) struct Decoder<'r, 's, 'p> {
    reader: &'r Reader<'s>,
    spoken: Spoken<'p>,
    way: &'r Way<'s>,
    /// Whether it is an element of an array.
    is_element: bool,
}

impl<'r, 's, 'p> Decoder<'r, 's, 'p> {
    pub(super) fn new(reader: &'r Reader<'s>, spoken: Spoken<'p>, way: &'r Way<'s>) -> Self {
        Self { reader, spoken, way, is_element: false }
    }

    /// Reads a number, where one comes.
    fn number(&self) -> Result<Option<&'s str>, Error> {
        if self.reader.kind().map_err(broken)? != Kind::Number {
            return Ok(None);
        }
        match self.reader.number().map_err(broken)? {
            Num::Text(text) => Ok(Some(text)),
            Num::Number(_) => Ok(None), // a reader of texts has none
        }
    }
}

/// The text was walked before, so that this does not come to pass.
fn broken(_: Halt) -> Error {
    Error::custom("not valid JSON")
}

/// Integers of a type that has a range: one that is out of it by far is spoken of by its digits.
macro_rules! whole_numbers {
    ($($deserialize:ident)*) => {
        $(
            fn $deserialize<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, Error> {
                match self.number()? {
                    Some(number) if is_beyond_64_bits(number) => Err(out_of_range(number, &visitor)),
                    Some(number) => visit_number(number, visitor),
                    None => self.deserialize_any(visitor),
                }
            }
        )*
    };
}

/// Integers that only their digits tell.
macro_rules! huge_numbers {
    ($($deserialize:ident $visit:ident)*) => {
        $(
            fn $deserialize<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, Error> {
                match self.number()? {
                    Some(number) => match number.parse() {
                        Ok(integer) => visitor.$visit(integer),
                        Err(_) if number::read(number).plain => Err(out_of_range(number, &visitor)),
                        Err(_) => visit_number(number, visitor),
                    },
                    None => self.deserialize_any(visitor),
                }
            }
        )*
    };
}

impl<'s> Deserializer<'s> for Decoder<'_, 's, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.reader.open().map_err(broken)? {
            Token::Null => visitor.visit_unit(),
            Token::Bool(value) => visitor.visit_bool(value),
            Token::Number(number) => visit_number(&number.text(), visitor),
            Token::String(text) => match text.decoded() {
                Cow::Borrowed(text) => visitor.visit_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            Token::Array(elements) => {
                let Self { spoken, way, .. } = self;
                let mut access = Sequence { elements, spoken, way, depth: way.depth(), count: 0, ended: false };
                let value = visitor.visit_seq(&mut access)?;
                // A tuple takes as many as it has, and leaves the rest.
                let taken = access.count;
                while !access.ended && access.next_element::<IgnoredAny>()?.is_some() {}
                if access.count == taken {
                    return Ok(value);
                }
                Err(Error::invalid_length(access.count, &format!("an array of length {taken}").as_str()))
            }
            Token::Object(members) => {
                let Self { spoken, way, .. } = self;
                let mut access = Map { members, spoken, way, depth: way.depth(), value: None, ended: false };
                let value = visitor.visit_map(&mut access)?;
                if access.ended || access.members.next().map_err(broken)?.is_none() {
                    return Ok(value);
                }
                Err(Error::custom("more properties than expected"))
            }
        }
    }

    whole_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    huge_numbers! { deserialize_i128 visit_i128 deserialize_u128 visit_u128 }

    /// What a float of 32 bits does not hold is no infinity.
    fn deserialize_f32<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.number()? {
            Some(number) if !number::read(number).exact.fits_single() => Err(out_of_range(number, &visitor)),
            Some(number) => visit_number(number, visitor),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.reader.kind().map_err(broken)? == Kind::Null {
            self.reader.open().map_err(broken)?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_struct<V: Visitor<'s>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.spoken.says_nothing() && self.reader.kind().map_err(broken)? == Kind::Array {
            return Err(Error::invalid_type(Unexpected::Seq, &"a map"));
        }
        self.deserialize_any(visitor)
    }

    /// A name, which is never given by its number.
    fn deserialize_identifier<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_element && self.spoken.says_nothing() {
            return Err(Error::custom(TAG_IN_AN_ARRAY));
        }
        match self.reader.open().map_err(broken)? {
            Token::String(text) => text.visit(visitor),
            other => Err(unexpected(&other, &visitor)),
        }
    }

    /// A type of `serde_json`'s own (`RawValue`) is read by it.
    fn deserialize_newtype_struct<V: Visitor<'s>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        if !name.starts_with("$serde_json::") {
            return visitor.visit_newtype_struct(self);
        }
        self.reader.kind().map_err(broken)?;
        let start = self.reader.mark();
        IgnoredAny::deserialize(Self { ..self })?;
        self.reader.newtype_of_serde_json(start, name, visitor).map_err(Error::custom)
    }

    fn deserialize_enum<V: Visitor<'s>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.reader.open().map_err(broken)? {
            Token::String(name) => visitor.visit_enum(name.decoded().into_deserializer()),
            Token::Object(mut members) => {
                let one_property = || Error::invalid_value(Unexpected::Map, &"an object with one property");
                let (name, _, reader) = members.next().map_err(broken)?.ok_or_else(one_property)?;
                let depth = self.way.depth();
                let content = Decoder::new(reader, self.spoken.content(), self.way);
                let value = visitor.visit_enum(Variant { name, content })?;
                self.way.back_to(depth);
                if members.next().map_err(broken)?.is_none() { Ok(value) } else { Err(one_property()) }
            }
            other => Err(unexpected(&other, &"a string or an object")),
        }
    }

    forward_to_deserialize_any! {
        <V: Visitor<'s>>
        bool f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map ignored_any
    }
}

/// As `serde_json` does: an integer by its digits, anything else as a float.
fn visit_number<'s, V: Visitor<'s>>(text: &str, visitor: V) -> Result<V::Value, Error> {
    let numeric = number::read(text);
    match numeric.exact {
        Exact::Integer(integer) if numeric.plain => {
            if let Ok(integer) = u64::try_from(integer) {
                return visitor.visit_u64(integer);
            }
            if let Ok(integer) = i64::try_from(integer) {
                return visitor.visit_i64(integer);
            }
        }
        _ => {}
    }
    match text.parse() {
        Ok(float) => visitor.visit_f64(float),
        Err(_) => Err(Error::custom("not a number")),
    }
}

/// Whether it is an integer that no type of 64 bits holds.
fn is_beyond_64_bits(number: &str) -> bool {
    let numeric = number::read(number);
    let is_within = |integer| u64::try_from(integer).is_ok() || i64::try_from(integer).is_ok();
    numeric.plain && !matches!(numeric.exact, Exact::Integer(integer) if is_within(integer))
}

fn out_of_range(number: &str, expected: &dyn Expected) -> Error {
    Error::invalid_value(Unexpected::Other(&as_integer(number)), expected)
}

/// A value of a kind that is not expected.
fn unexpected<E, M>(token: &Token<'_, E, M>, expected: &dyn Expected) -> Error {
    match token {
        Token::Null => Error::invalid_type(Unexpected::Unit, expected),
        Token::Bool(value) => Error::invalid_type(Unexpected::Bool(*value), expected),
        Token::Number(number) => Error::invalid_type(Unexpected::Other(&as_integer(&number.text())), expected),
        Token::String(text) => Error::invalid_type(Unexpected::Str(&text.decoded()), expected),
        Token::Array(_) => Error::invalid_type(Unexpected::Seq, expected),
        Token::Object(_) => Error::invalid_type(Unexpected::Map, expected),
    }
}

/// A number by its own digits, in the words in which serde has an integer.
fn as_integer(number: &str) -> String {
    format!("integer `{number}`")
}

struct Sequence<'r, 's, 'p> {
    elements: TextElements<'r, 's>,
    spoken: Spoken<'p>,
    way: &'r Way<'s>,
    depth: usize,
    count: usize,
    /// Whether the closing bracket was read.
    ended: bool,
}

impl<'s> SeqAccess<'s> for Sequence<'_, 's, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'s>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(reader) = self.elements.next().map_err(broken)? else {
            self.ended = true;
            return Ok(None);
        };
        let (spoken, way) = (self.spoken.element(self.count), self.way);
        way.enter(Segment::Element(self.count));
        self.count += 1;
        let element = seed.deserialize(Decoder { reader, spoken, way, is_element: true })?;
        way.back_to(self.depth);
        Ok(Some(element))
    }
}

struct Map<'r, 's, 'p> {
    members: TextMembers<'r, 's>,
    spoken: Spoken<'p>,
    way: &'r Way<'s>,
    depth: usize,
    value: Option<(Text<'s>, Decoder<'r, 's, 'p>)>,
    ended: bool,
}

impl<'s> MapAccess<'s> for Map<'_, 's, '_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'s>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, _, reader)) = self.members.next().map_err(broken)? else {
            self.ended = true;
            return Ok(None);
        };
        self.value = Some((key, Decoder::new(reader, self.spoken.member(key), self.way)));
        self.way.enter(Segment::Member(key.decoded()));
        let read = seed.deserialize(Key::<Error>::new(key));
        let read = read.map_err(|error| Error::custom(format_args!("{OF_A_NAME}{error}")))?;
        // What is said before its value is read is said of the object.
        self.way.back_to(self.depth);
        Ok(Some(read))
    }

    fn next_value_seed<V: DeserializeSeed<'s>>(&mut self, seed: V) -> Result<V::Value, Error> {
        match self.value.take() {
            Some((key, decoder)) => {
                self.way.enter(Segment::Member(key.decoded()));
                let value = seed.deserialize(decoder)?;
                self.way.back_to(self.depth);
                Ok(value)
            }
            None => Err(Error::custom("a value without a key")),
        }
    }
}

/// The variant of an externally tagged enum, with its content.
struct Variant<'r, 's, 'p> {
    name: Text<'s>,
    content: Decoder<'r, 's, 'p>,
}

impl<'r, 's, 'p> EnumAccess<'s> for Variant<'r, 's, 'p> {
    type Error = Error;
    type Variant = Decoder<'r, 's, 'p>;

    fn variant_seed<T: DeserializeSeed<'s>>(self, seed: T) -> Result<(T::Value, Self::Variant), Error> {
        let Self { name, content } = self;
        let form = seed.deserialize(Key::new(name))?;
        content.way.enter(Segment::Form(name.decoded()));
        Ok((form, content))
    }
}

impl<'s> VariantAccess<'s> for Decoder<'_, 's, '_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        serde::Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'s>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'s>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'s>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.deserialize_struct("", names, visitor)
    }
}
