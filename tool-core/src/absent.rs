//! Decoding a type from nothing: what it is where the model wrote none of it.

use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;
use std::marker::PhantomData;

/// The value of a property that was not given: whoever asks for an option gets none, anybody else an error that names it.
/// This is serde's own rule for a missing field, so that it holds for every type, alias and wrapper.
pub(crate) fn property<T: DeserializeOwned, E: Error>(name: &'static str) -> Result<T, E> {
    T::deserialize(Absent { name, takes_unit: false, error: PhantomData })
}

/// The value of a whole argument type that was called without arguments and has no object form: `()`, or none. A type that
/// takes anything, and so `null` too, has an object form.
pub(crate) fn arguments<T: DeserializeOwned>() -> Option<T> {
    let absent = Absent::<serde::de::value::Error> { name: "", takes_unit: true, error: PhantomData };
    T::deserialize(absent).ok()
}

struct Absent<E> {
    name: &'static str,
    takes_unit: bool,
    error: PhantomData<E>,
}

impl<'de, E: Error> Deserializer<'de> for Absent<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, E> {
        Err(E::missing_field(self.name))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_none()
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        if self.takes_unit { visitor.visit_unit() } else { self.deserialize_any(visitor) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, E> {
        self.deserialize_unit(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::value::Error as PlainError;
    use serde_json::Value;

    #[test]
    fn only_an_option_stands_for_a_property_that_is_not_there() {
        assert_eq!(property::<Option<u8>, PlainError>("a"), Ok(None));
        assert_eq!(property::<Box<Option<u8>>, PlainError>("a"), Ok(Box::new(None)));
        assert_eq!(property::<(), PlainError>("a").unwrap_err().to_string(), "missing field `a`");
        assert!(property::<Value, PlainError>("a").is_err());
    }

    #[test]
    fn an_argument_type_without_an_object_form_has_a_value_for_no_arguments() {
        assert_eq!(arguments::<()>(), Some(()));
        assert_eq!(arguments::<Option<u8>>(), Some(None));
        assert_eq!(arguments::<Value>(), None);
        assert_eq!(arguments::<u8>(), None);
    }
}
