//! The key of an object, as a decoder reads it.

use serde::de::{Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use std::marker::PhantomData;
use std::net::{IpAddr, SocketAddr};

use super::input::Text;
use super::reader::number_end;

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
    ($is_plain:expr => $($deserialize:ident $visit:ident)*) => {
        $(
            fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
                let text = self.text.decoded();
                match text.parse() {
                    Ok(value) if $is_plain(&value, &text) => visitor.$visit(value),
                    _ => self.text.visit(visitor),
                }
            }
        )*
    };
}

/// Whether a text is a whole number in the one spelling that it has: `1` and `01` would be two keys of the text, and one
/// of the map.
fn is_integer<T>(_: &T, text: &str) -> bool {
    let text = text.as_bytes();
    match text.strip_prefix(b"-").unwrap_or(text) {
        b"0" => text.len() == 1,
        digits => digits.first() != Some(&b'0') && digits.iter().all(u8::is_ascii_digit),
    }
}

/// Whether a text is a number of JSON (Rust reads `+1`, `1.` and `inf` as well) in its one spelling: `1` and `1.0` would be
/// one key of the map.
fn is_number<T: ToString>(value: &T, text: &str) -> bool {
    number_end(text.as_bytes()) == Some(text.len()) && text != "-0" && value.to_string() == text
}

/// The one spelling of a number or an address, of which this text is another one.
pub(super) fn plain_spelling(text: &str) -> Option<String> {
    let integer = text.parse().map(|integer: i128| integer.to_string());
    let integer = integer.or_else(|_| text.parse().map(|integer: u128| integer.to_string()));
    let number = || match text.parse() {
        // A larger integer would become another one.
        _ if text.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit()) => None,
        Ok(0.0) => Some("0".to_owned()),
        Ok(number) => Some(f64::to_string(&number)).filter(|_| number.is_finite()),
        Err(_) => None,
    };
    let plain = integer.ok().or_else(number).or_else(|| plain_address(text))?;
    (plain != text).then_some(plain)
}

fn plain_address(text: &str) -> Option<String> {
    let address = text.parse().map(|address: IpAddr| address.to_string());
    address.or_else(|_| text.parse().map(|address: SocketAddr| address.to_string())).ok()
}

impl<'de, E: Error> Deserializer<'de> for Key<'de, E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        self.text.visit(visitor)
    }

    parsed_keys! { |_: &bool, _: &str| true => deserialize_bool visit_bool }

    parsed_keys! {
        is_integer =>
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
    }

    parsed_keys! {
        is_number =>
        deserialize_f32 visit_f32
        deserialize_f64 visit_f64
    }

    /// An address of `std` has one spelling as well, wherever a type is known to read one: `::1` and `0:0:0:0:0:0:0:1` would
    /// be one key of the map.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        let text = self.text.decoded();
        if text.contains(':') && plain_address(&text).is_some_and(|plain| plain != text) {
            let expected = (&visitor as &dyn Expected).to_string();
            let read = self.text.visit(visitor)?;
            let is_address = expected.ends_with(" address");
            return if is_address {
                Err(E::invalid_value(Unexpected::Str(&text), &expected.as_str()))
            } else {
                Ok(read)
            };
        }
        self.text.visit(visitor)
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
        char string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use crate::{ArgumentParser, ToolArguments, input_schema};
    use schemars::JsonSchema;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Deserialize, JsonSchema)]
    struct Maps {
        #[serde(default)]
        counts: BTreeMap<u32, u32>,
        #[serde(default)]
        offsets: BTreeMap<i32, u32>,
    }

    fn read(text: &str) -> Result<Maps, String> {
        let parser = ArgumentParser::new(&input_schema::<Maps>()).unwrap();
        let read = |arguments| parser.parse::<Maps>(&arguments).map(|parsed| parsed.args);
        let from_value = read(ToolArguments::from(serde_json::from_str::<serde_json::Value>(text).unwrap()));
        let from_text = read(ToolArguments::from(text));
        assert_eq!(from_text.is_ok(), from_value.is_ok(), "{text}");
        assert_eq!(from_text.is_ok(), serde_json::from_str::<Maps>(text).is_ok(), "{text}");
        from_text.map_err(|error| error.to_string())
    }

    #[test]
    fn a_number_as_a_key_has_one_spelling_so_that_no_entry_is_lost() {
        let read_right = read(r#"{"counts":{"0":1,"10":2},"offsets":{"-1":3,"1":4}}"#).unwrap();
        assert_eq!(read_right.counts, BTreeMap::from([(0, 1), (10, 2)]));
        assert_eq!(read_right.offsets, BTreeMap::from([(-1, 3), (1, 4)]));
        for text in [
            r#"{"counts":{"1":1,"01":2}}"#,
            r#"{"counts":{"00":1}}"#,
            r#"{"counts":{"+1":1}}"#,
            r#"{"counts":{"-0":1}}"#,
            r#"{"offsets":{"0":1,"-0":2}}"#,
            r#"{"offsets":{"-01":1}}"#,
            r#"{"offsets":{"+1":1}}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let refused = read(r#"{"counts":{"01":2}}"#).err().unwrap();
        assert_eq!(
            refused,
            "Invalid arguments: `counts.01`: the name of this property has to be an integer from 0 to 4294967295, \
             got \"01\" (write \"1\")"
        );
    }

    #[test]
    fn a_large_key_is_not_told_to_be_another_one() {
        #[derive(Debug, Deserialize, JsonSchema)]
        struct Large {
            #[allow(dead_code)] // only the refusal is looked at
            m: BTreeMap<u128, u8>,
        }
        let parser = ArgumentParser::new(&input_schema::<Large>()).unwrap();
        let refused = |text: &str| parser.parse::<Large>(&ToolArguments::from(text)).unwrap_err().to_string();
        let most = "340282366920938463463374607431768211455";
        let refusal = refused(&format!("{{\"m\":{{\"0{most}\":1}}}}"));
        assert!(refusal.ends_with(&format!("(write \"{most}\")")), "{refusal}");
        let refusal = refused(r#"{"m":{"340282366920938463463374607431768211456":1}}"#);
        assert!(!refusal.contains("write"), "{refusal}");
    }
}
