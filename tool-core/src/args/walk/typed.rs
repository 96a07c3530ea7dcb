//! The way that succeeds: arguments are walked and decoded in one reading.
//!
//! What a decoder asks for is checked along the plan before it gets it, so that it sees nothing that the schema refuses.
//! Where one schema alone speaks of a value, each part is checked as it is read. Where several do, or alternatives, the
//! value is walked first and then read again, unchecked.
//!
//! It reads as `serde_json` reads, and leaves to it what only it can do: numbers that are more than a few digits (exact
//! floats, and `arbitrary_precision` where that is on) and `RawValue`.

mod inside;
mod refused;

use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde_json::Value;

use super::{Path, Walker, Way};
use crate::args::input::{Halt, Input, Kind, Members, Num, Text};
use crate::args::mode::ArgumentLimits;
use crate::args::plan::{Node, NodeId, Plan};
use crate::args::reader::Reader;
use inside::{Array, Object, Variant};
use refused::Refused;

/// The arguments, where they are clean as they stand and the type takes them. A text has to end behind them.
pub(in crate::args) fn decode_text<A: DeserializeOwned>(plan: &Plan, text: &str, limits: ArgumentLimits) -> Option<A> {
    let reader = Reader::new(text);
    let args = decode(plan, &reader, limits, text.len())?;
    reader.end().ok().map(|()| args)
}

/// See [`decode_text`].
pub(in crate::args) fn decode<'s, A: DeserializeOwned, I: Input<'s>>(
    plan: &Plan,
    input: I,
    limits: ArgumentLimits,
    size: usize,
) -> Option<A> {
    let mut walk = Walk { walker: Walker::new(plan, Way::Clean, limits, size), opened: 0 };
    A::deserialize(Typed { walk: &mut walk, input, under: Under::Schema(plan.root()), depth: 0 }).ok()
}

struct Walk<'p> {
    walker: Walker<'p>,
    /// How many values were read, by which one is found out that a decoder leaves unread.
    opened: usize,
}

/// What a value has to be.
#[derive(Clone, Copy)]
enum Under {
    Schema(NodeId),
    /// Any JSON.
    Anything,
    /// It has been walked.
    Seen,
    /// It has been walked, and no schema says what it is: the type alone does.
    Unspoken,
    /// Such an element of an array.
    UnspokenElement,
}

/// The one node that speaks of a value; none where the value has been walked.
type Spoken<'p> = Option<(NodeId, &'p Node)>;

/// The span of an edit, which nobody makes here.
const NOWHERE: (usize, usize) = (0, 0);

/// One value, not yet read.
struct Typed<'w, 'p, I> {
    walk: &'w mut Walk<'p>,
    input: I,
    under: Under,
    /// How deep it is.
    depth: usize,
}

impl<'s, 'p, I: Input<'s>> Typed<'_, 'p, I> {
    /// The kind of what comes, which the schema takes, and what else is to be checked.
    fn enter(&mut self) -> Result<(Kind, Spoken<'p>), Refused> {
        self.walk.opened += 1;
        let kind = self.input.kind()?;
        let Under::Schema(mut id) = self.under else {
            self.see()?;
            return Ok((kind, None));
        };
        let plan = self.walk.walker.plan;
        let mut node = plan.node(id);
        while node.in_one_reading
            && kind != Kind::Null
            && let Some(inner) = node.or_null
        {
            id = inner;
            node = plan.node(id);
        }
        if !node.in_one_reading {
            self.under = Under::Schema(id);
            self.see()?;
            return Ok((kind, None));
        }
        if node.kinds.meets(kind) { Ok((kind, Some((id, node)))) } else { Err(Refused) }
    }

    /// Reads a null or a boolean.
    fn constant(&mut self, kind: Kind, node: Spoken<'p>) -> Result<bool, Refused> {
        let value = match kind {
            Kind::Null | Kind::Bool => self.input.constant()?,
            _ => return Err(Refused),
        };
        if let Some((id, node)) = node {
            let written = value.map_or(Value::Null, Value::Bool);
            self.walk.walker.constant(id, node, &written, &Path::Root)?;
        }
        Ok(value.unwrap_or_default())
    }

    fn number(&mut self, node: Spoken<'p>) -> Result<Num<'s>, Refused> {
        let number = self.input.number()?;
        if let Some((id, node)) = node {
            self.walk.walker.number(id, node, number, NOWHERE, &Path::Root)?;
        }
        Ok(number)
    }

    fn text(&mut self) -> Result<Text<'s>, Refused> {
        let (Kind::String, node) = self.enter()? else { return Err(Refused) };
        self.text_under(node)
    }

    fn text_under(&mut self, node: Spoken<'p>) -> Result<Text<'s>, Refused> {
        let text = self.input.string()?;
        if let Some((id, node)) = node
            && !node.free.meets(Kind::String)
        {
            self.walk.walker.string(id, node, text, NOWHERE, &Path::Root)?;
        }
        Ok(text)
    }

    /// Walks the value, and goes back to where it begins.
    fn see(&mut self) -> Result<(), Halt> {
        let start = self.input.mark();
        let walker = &mut self.walk.walker;
        self.under = match self.under {
            Under::Schema(id) => {
                walker.value(id, self.input, &Path::Root, self.depth)?;
                if walker.plan.node(id).says_nothing_of_structure() { Under::Unspoken } else { Under::Seen }
            }
            Under::Anything => {
                walker.anything(self.input, &Path::Root, self.depth)?;
                Under::Unspoken
            }
            Under::Seen | Under::Unspoken | Under::UnspokenElement => return Ok(()),
        };
        self.input.rewind(start);
        Ok(())
    }
}

macro_rules! through_serde_json {
    ($number:expr, $deserialize:ident, $visitor:expr) => {
        match $number {
            Num::Text(text) => Ok((&mut serde_json::Deserializer::from_str(text)).$deserialize($visitor)?),
            Num::Number(number) => Ok(number.$deserialize($visitor)?),
        }
    };
}

/// A number of few digits is handed out as such; any other goes through `serde_json`.
macro_rules! number {
    ($number:expr, $deserialize:ident, $visitor:expr) => {
        match $number {
            number if let Some(integer) = number.small() => $visitor.visit_u64(integer),
            number => through_serde_json!(number, $deserialize, $visitor),
        }
    };
}

/// `serde_json` reads an integer of 128 bits up to the end of its digits, and leaves what comes then.
macro_rules! digits {
    ($number:expr, $deserialize:ident, $visitor:expr) => {
        match $number {
            Num::Text(text) if text.contains(['.', 'e', 'E']) => Err(Refused),
            number => through_serde_json!(number, $deserialize, $visitor),
        }
    };
}

/// What a float of 32 bits does not hold is no infinity.
macro_rules! single {
    ($number:expr, $deserialize:ident, $visitor:expr) => {
        match $number {
            number if number.fits_single() => number!(number, $deserialize, $visitor),
            _ => Err(Refused),
        }
    };
}

macro_rules! numbers {
    ($visit:ident: $($deserialize:ident)*) => {
        $(
            fn $deserialize<V: Visitor<'s>>(mut self, visitor: V) -> Result<V::Value, Refused> {
                let (Kind::Number, node) = self.enter()? else { return Err(Refused) };
                $visit!(self.number(node)?, $deserialize, visitor)
            }
        )*
    };
}

/// Kinds that are read like another one.
macro_rules! forward {
    ($($deserialize:ident($($unused:ty),*) => $like:ident)*) => {
        $(
            fn $deserialize<V: Visitor<'s>>(self, $(_: $unused,)* visitor: V) -> Result<V::Value, Refused> {
                self.$like(visitor)
            }
        )*
    };
}

impl<'s, I: Input<'s>> Deserializer<'s> for Typed<'_, '_, I> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'s>>(mut self, visitor: V) -> Result<V::Value, Refused> {
        let (kind, node) = self.enter()?;
        match kind {
            Kind::Null => self.constant(kind, node).and_then(|_| visitor.visit_unit()),
            Kind::Bool => visitor.visit_bool(self.constant(kind, node)?),
            Kind::Number => number!(self.number(node)?, deserialize_any, visitor),
            Kind::String => self.text_under(node)?.visit(visitor),
            Kind::Array => self.visit_elements(node, visitor),
            Kind::Object => self.visit_members(node, visitor),
        }
    }

    numbers! {
        number: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_f64
    }

    numbers! { single: deserialize_f32 }

    numbers! { digits: deserialize_i128 deserialize_u128 }

    fn deserialize_str<V: Visitor<'s>>(mut self, visitor: V) -> Result<V::Value, Refused> {
        self.text()?.visit(visitor)
    }

    fn deserialize_bytes<V: Visitor<'s>>(mut self, visitor: V) -> Result<V::Value, Refused> {
        let (kind, node) = self.enter()?;
        match kind {
            Kind::String => visitor.visit_bytes(self.text_under(node)?.decoded().as_bytes()),
            Kind::Array => self.visit_elements(node, visitor),
            _ => Err(Refused),
        }
    }

    fn deserialize_bool<V: Visitor<'s>>(mut self, visitor: V) -> Result<V::Value, Refused> {
        let (kind @ Kind::Bool, node) = self.enter()? else { return Err(Refused) };
        visitor.visit_bool(self.constant(kind, node)?)
    }

    fn deserialize_unit<V: Visitor<'s>>(mut self, visitor: V) -> Result<V::Value, Refused> {
        let (kind @ Kind::Null, node) = self.enter()? else { return Err(Refused) };
        self.constant(kind, node)?;
        visitor.visit_unit()
    }

    fn deserialize_seq<V: Visitor<'s>>(mut self, visitor: V) -> Result<V::Value, Refused> {
        let (Kind::Array, node) = self.enter()? else { return Err(Refused) };
        self.visit_elements(node, visitor)
    }

    fn deserialize_map<V: Visitor<'s>>(mut self, visitor: V) -> Result<V::Value, Refused> {
        let (Kind::Object, node) = self.enter()? else { return Err(Refused) };
        self.visit_members(node, visitor)
    }

    /// An array is read as a struct only where the schema wants an array.
    fn deserialize_struct<V: Visitor<'s>>(
        mut self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match self.enter()? {
            (Kind::Object, node) => self.visit_members(node, visitor),
            (Kind::Array, node) if !self.is_unspoken() => self.visit_elements(node, visitor),
            _ => Err(Refused),
        }
    }

    /// The first element of an array as the tag of an enum: an array is never read so.
    fn deserialize_identifier<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, Refused> {
        if matches!(self.under, Under::UnspokenElement) { Err(Refused) } else { self.deserialize_str(visitor) }
    }

    fn deserialize_option<V: Visitor<'s>>(mut self, visitor: V) -> Result<V::Value, Refused> {
        if self.input.kind()? == Kind::Null {
            let (kind, node) = self.enter()?;
            self.constant(kind, node)?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'s>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        if !name.starts_with("$serde_json::") {
            return visitor.visit_newtype_struct(self);
        }
        self.walk.opened += 1;
        self.see()?;
        let start = self.input.mark();
        self.walk.walker.anything(self.input, &Path::Root, self.depth)?;
        Ok(self.input.newtype_of_serde_json(start, name, visitor)?)
    }

    fn deserialize_enum<V: Visitor<'s>>(
        mut self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.see()?;
        self.walk.opened += 1;
        match self.input.kind()? {
            Kind::String => visitor.visit_enum(self.input.string()?.decoded().into_deserializer()),
            Kind::Object => {
                let mut members = self.input.members()?;
                let (name, _, input) = members.next()?.ok_or(Refused)?;
                let content = Typed { walk: self.walk, input, under: self.under, depth: self.depth + 1 };
                let value = visitor.visit_enum(Variant { name, content })?;
                if members.next()?.is_none() { Ok(value) } else { Err(Refused) }
            }
            _ => Err(Refused),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'s>>(mut self, visitor: V) -> Result<V::Value, Refused> {
        self.walk.opened += 1;
        self.see()?;
        self.walk.walker.anything(self.input, &Path::Root, self.depth)?;
        visitor.visit_unit()
    }

    forward! {
        deserialize_char() => deserialize_str
        deserialize_string() => deserialize_str
        deserialize_byte_buf() => deserialize_bytes
        deserialize_unit_struct(&'static str) => deserialize_unit
        deserialize_tuple(usize) => deserialize_seq
        deserialize_tuple_struct(&'static str, usize) => deserialize_seq
    }
}

impl<'s, 'p, I: Input<'s>> Typed<'_, 'p, I> {
    fn is_unspoken(&self) -> bool {
        matches!(self.under, Under::Unspoken | Under::UnspokenElement)
    }

    fn visit_elements<V: Visitor<'s>>(self, node: Spoken<'p>, visitor: V) -> Result<V::Value, Refused> {
        let depth = self.walk.walker.deeper(self.depth)?;
        let within = if self.is_unspoken() { Under::UnspokenElement } else { Under::Seen };
        let mut array: Array<'_, '_, 's, I> = Array::new(self.walk, self.input.elements()?, node, within, depth);
        let value = visitor.visit_seq(&mut array)?;
        if array.is_at_end()? { Ok(value) } else { Err(Refused) }
    }

    fn visit_members<V: Visitor<'s>>(self, node: Spoken<'p>, visitor: V) -> Result<V::Value, Refused> {
        let depth = self.walk.walker.deeper(self.depth)?;
        let within = if self.is_unspoken() { Under::Unspoken } else { Under::Seen };
        let mut object: Object<'_, '_, 's, I> = Object::new(self.walk, self.input.members()?, node, within, depth)?;
        let value = visitor.visit_map(&mut object)?;
        if object.is_at_end()? { Ok(value) } else { Err(Refused) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;
    use serde_json::value::RawValue;

    /// What a text is decoded to by schema, from the text and from its value, which agree.
    fn decoded<A: DeserializeOwned + PartialEq + std::fmt::Debug>(schema: &Value, text: &str) -> Option<A> {
        let plan = Plan::compile(schema).unwrap();
        let from_text = decode_text::<A>(&plan, text, ArgumentLimits::default());
        let value: Value = serde_json::from_str(text).unwrap();
        let from_value = decode::<A, _>(&plan, &value, ArgumentLimits::default(), text.len());
        assert_eq!(from_text, from_value, "{text}");
        from_text
    }

    fn one(schema: &Value) -> Value {
        json!({"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": false})
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct One<T> {
        a: T,
    }

    #[test]
    fn it_hands_out_what_serde_json_hands_out() {
        macro_rules! same {
            ($($ty:ty: $schema:tt $text:literal)*) => {
                $(
                    let text = concat!("{\"a\":", $text, "}");
                    let expected: One<$ty> = serde_json::from_str(text).unwrap();
                    assert_eq!(decoded(&one(&json!($schema)), text), Some(expected));
                )*
            };
        }
        same! {
            f32: {"type": "number"} "0.1"
            f32: {"type": "number"} "16777217"
            f64: {"type": "number"} "9007199254740993.5"
            f64: {"type": "number"} "123456789012345678901234567890"
            i128: {"type": "integer"} "-9223372036854775808"
            u128: {"type": "integer"} "7"
            u64: {"type": "integer"} "18446744073709551615"
            i8: {"type": "integer"} "-7"
            Value: true r#"{"x":[1,2.5,"\u00e9",null,true],"y":{}}"#
            char: {"type": "string"} r#""\u00e9""#
            (u8, String): {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]} r#"[1,"b"]"#
            Option<Vec<u8>>: {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]} "[1,2]"
            Option<Vec<u8>>: {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]} "null"
            std::collections::BTreeMap<i32, bool>: {"type": "object", "additionalProperties": {"type": "boolean"}} r#"{"-1":true}"#
            Result<u8, One<u8>>: {"oneOf": [
                {"type": "object", "properties": {"Ok": {"type": "integer"}}, "required": ["Ok"]},
                {"type": "object", "properties": {"Err": {"type": "object"}}, "required": ["Err"]},
            ]} r#"{"Err":{"a":1}}"#
        }
    }

    #[test]
    fn what_the_schema_refuses_is_not_decoded_whatever_the_type_would_take() {
        for (schema, text) in [
            (json!({"type": "integer", "maximum": 4}), r#"{"a":5}"#),
            (json!({"type": "string"}), r#"{"a":5}"#),
            (json!({"type": "array", "items": {"type": "string"}}), r#"{"a":["b",1]}"#),
            (json!({"type": "array", "maxItems": 1}), r#"{"a":[1,2]}"#),
            (json!({"type": "array", "uniqueItems": true}), r#"{"a":[1,1]}"#),
            (json!({"type": "object", "properties": {"b": true}, "required": ["b"]}), r#"{"a":{}}"#),
            (json!({"type": "object", "properties": {"b": true}, "additionalProperties": false}), r#"{"a":{"c":1}}"#),
            (json!({"enum": ["b", null]}), r#"{"a":"c"}"#),
            (json!({"type": ["boolean", "null"], "enum": [true, null]}), r#"{"a":false}"#),
            (json!({"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}]}), r#"{"a":"bc"}"#),
            (json!(true), r#"{"a":1,"b":2}"#),
        ] {
            assert_eq!(decoded::<Value>(&one(&schema), text), None, "{schema} {text}");
        }
        let twice = Plan::compile(&one(&json!(true))).unwrap();
        assert_eq!(decode_text::<Value>(&twice, r#"{"a":1,"a":1}"#, ArgumentLimits::default()), None);
        assert_eq!(decode_text::<Value>(&twice, r#"{"a":{"b":1,"b":1}}"#, ArgumentLimits::default()), None);
    }

    #[test]
    fn a_decoder_that_leaves_a_value_unread_does_not_let_it_through() {
        #[derive(Debug, PartialEq)]
        struct Blind;
        impl<'de> Deserialize<'de> for Blind {
            fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
                Ok(Self)
            }
        }
        assert_eq!(decoded::<One<Blind>>(&one(&json!({"type": "integer"})), r#"{"a":"b"}"#), None);
        assert_eq!(decoded::<One<Vec<Blind>>>(&one(&json!({"type": "array"})), r#"{"a":[1]}"#), None);
    }

    #[test]
    fn a_raw_value_is_read_as_it_stands() {
        let plan = Plan::compile(&one(&json!({"type": "object"}))).unwrap();
        let text = r#"{"a": {"b" : 1.50} }"#;
        let args: One<Box<RawValue>> = decode_text(&plan, text, ArgumentLimits::default()).unwrap();
        assert_eq!(args.a.get(), r#"{"b" : 1.50}"#);
        assert!(decode_text::<One<Box<RawValue>>>(&plan, r#"{"a":5}"#, ArgumentLimits::default()).is_none());
    }
}
