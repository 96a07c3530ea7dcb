//! The key of an object, as a decoder reads it.

use serde::de::{Deserializer, Error, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::marker::PhantomData;

use super::input::Text;

/// A key: a string, or a number or boolean within one.
pub(super) struct Key<'s, E> {
    text: Text<'s>,
    error: PhantomData<E>,
}

impl<'s, E> Key<'s, E> {
    pub(super) fn new(text: Text<'s>) -> Self {
        Self { text, error: PhantomData }
    }
}

macro_rules! parsed_keys {
    ($($deserialize:ident $visit:ident)*) => {
        $(
            fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
                match self.text.decoded().parse() {
                    Ok(value) => visitor.$visit(value),
                    Err(_) => self.text.visit(visitor),
                }
            }
        )*
    };
}

impl<'de, E: Error> Deserializer<'de> for Key<'de, E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        self.text.visit(visitor)
    }

    parsed_keys! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i8
        deserialize_i16 visit_i16
        deserialize_i32 visit_i32
        deserialize_i64 visit_i64
        deserialize_i128 visit_i128
        deserialize_u8 visit_u8
        deserialize_u16 visit_u16
        deserialize_u32 visit_u32
        deserialize_u64 visit_u64
        deserialize_u128 visit_u128
        deserialize_f32 visit_f32
        deserialize_f64 visit_f64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, E> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_enum(self.text.decoded().into_deserializer())
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
