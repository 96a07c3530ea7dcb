//! A decoder over the [reader](super::reader), for the careful way.
//!
//! It reads what `serde_json` reads, with one difference: a number is always handed out as a number. Under
//! `arbitrary_precision`, which any other dependency may switch on, `serde_json` hands one out as a map of a magic key
//! wherever serde buffers (tagged and untagged enums, flattened structs), and no float is ever read there again.

use serde::de::value::Error;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;

use super::input::{Elements, Halt, Input, Kind, Members, Text, Token};
use super::key::Key;
use super::number::{self, Exact};
use super::reader::{Reader, TextElements, TextMembers};

/// Reads the value that the reader stands before.
pub(super) struct Decoder<'r, 's>(pub(super) &'r Reader<'s>);

/// The text was walked before, so that this does not come to pass.
fn broken(_: Halt) -> Error {
    Error::custom("not valid JSON")
}

impl<'s> Deserializer<'s> for Decoder<'_, 's> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.open().map_err(broken)? {
            Token::Null => visitor.visit_unit(),
            Token::Bool(value) => visitor.visit_bool(value),
            Token::Number(number) => visit_number(&number.text(), visitor),
            Token::String(text) => match text.decoded() {
                Cow::Borrowed(text) => visitor.visit_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            Token::Array(elements) => {
                let mut access = Sequence { elements, count: 0, ended: false };
                let value = visitor.visit_seq(&mut access)?;
                // A tuple takes as many as it has, and leaves the rest.
                if access.ended || access.elements.next().map_err(broken)?.is_none() {
                    return Ok(value);
                }
                Err(Error::invalid_length(access.count + 1, &"fewer elements"))
            }
            Token::Object(members) => {
                let mut access = Map { members, value: None, ended: false };
                let value = visitor.visit_map(&mut access)?;
                if access.ended || access.members.next().map_err(broken)?.is_none() {
                    return Ok(value);
                }
                Err(Error::custom("more properties than expected"))
            }
        }
    }

    fn deserialize_option<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.kind().map_err(broken)? == Kind::Null {
            self.0.open().map_err(broken)?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'s>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'s>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0.open().map_err(broken)? {
            Token::String(name) => visitor.visit_enum(name.decoded().into_deserializer()),
            Token::Object(mut members) => {
                let Some((name, _, reader)) = members.next().map_err(broken)? else {
                    return Err(Error::invalid_value(Unexpected::Map, &"an object with one property"));
                };
                let value = visitor.visit_enum(Variant { name, reader })?;
                match members.next().map_err(broken)? {
                    None => Ok(value),
                    Some(_) => Err(Error::invalid_value(Unexpected::Map, &"an object with one property")),
                }
            }
            Token::Null => Err(Error::invalid_type(Unexpected::Unit, &"a string or an object")),
            Token::Bool(value) => Err(Error::invalid_type(Unexpected::Bool(value), &"a string or an object")),
            Token::Number(_) => Err(Error::invalid_type(Unexpected::Other("number"), &"a string or an object")),
            Token::Array(_) => Err(Error::invalid_type(Unexpected::Seq, &"a string or an object")),
        }
    }

    forward_to_deserialize_any! {
        <V: Visitor<'s>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// As `serde_json` does: an integer by its digits, anything else as a float.
fn visit_number<'s, V: Visitor<'s>>(text: &str, visitor: V) -> Result<V::Value, Error> {
    let numeric = number::read(text);
    match numeric.exact {
        Exact::Integer(integer) if numeric.plain => {
            if let Ok(integer) = u64::try_from(integer) {
                visitor.visit_u64(integer)
            } else if let Ok(integer) = i64::try_from(integer) {
                visitor.visit_i64(integer)
            } else {
                visitor.visit_i128(integer)
            }
        }
        _ => match text.parse() {
            Ok(float) => visitor.visit_f64(float),
            Err(_) => Err(Error::custom("not a number")),
        },
    }
}

struct Sequence<'r, 's> {
    elements: TextElements<'r, 's>,
    count: usize,
    /// Whether the closing bracket was read.
    ended: bool,
}

impl<'s> SeqAccess<'s> for Sequence<'_, 's> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'s>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(reader) = self.elements.next().map_err(broken)? else {
            self.ended = true;
            return Ok(None);
        };
        self.count += 1;
        seed.deserialize(Decoder(reader)).map(Some)
    }
}

struct Map<'r, 's> {
    members: TextMembers<'r, 's>,
    value: Option<&'r Reader<'s>>,
    ended: bool,
}

impl<'s> MapAccess<'s> for Map<'_, 's> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'s>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, _, reader)) = self.members.next().map_err(broken)? else {
            self.ended = true;
            return Ok(None);
        };
        self.value = Some(reader);
        seed.deserialize(Key::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'s>>(&mut self, seed: V) -> Result<V::Value, Error> {
        match self.value.take() {
            Some(reader) => seed.deserialize(Decoder(reader)),
            None => Err(Error::custom("a value without a key")),
        }
    }
}

/// The variant of an externally tagged enum, with its content.
struct Variant<'r, 's> {
    name: Text<'s>,
    reader: &'r Reader<'s>,
}

impl<'r, 's> EnumAccess<'s> for Variant<'r, 's> {
    type Error = Error;
    type Variant = Decoder<'r, 's>;

    fn variant_seed<T: DeserializeSeed<'s>>(self, seed: T) -> Result<(T::Value, Self::Variant), Error> {
        Ok((seed.deserialize(Key::new(self.name))?, Decoder(self.reader)))
    }
}

impl<'s> VariantAccess<'s> for Decoder<'_, 's> {
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

    fn struct_variant<V: Visitor<'s>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }
}
