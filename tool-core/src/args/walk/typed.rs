//! The way that succeeds: arguments are walked and decoded in one reading.
//!
//! What a decoder asks for is checked along the plan before it gets it, so that it sees nothing that the schema refuses.
//! Where one schema alone speaks of a value, each part is checked as it is read. Where several do, or alternatives, the
//! value is walked first and then read again, unchecked.
//!
//! It reads as `serde_json` reads, and leaves to it what only it can do: numbers that are more than a few digits (exact
//! floats, and `arbitrary_precision` where that is on) and `RawValue`.

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde_json::Value;
use std::fmt;

use super::object::{Given, Keys};
use super::{Path, Walker, Way};
use crate::args::input::{Elements, Halt, Input, Kind, Members, Num, Text};
use crate::args::key::Key;
use crate::args::mode::ArgumentLimits;
use crate::args::plan::{Additional, ArrayRules, Node, NodeId, ObjectRules, Plan};
use crate::args::reader::Reader;

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

/// What the decoder is told of a refusal, and tells: nothing, since the careful way says it better.
#[derive(Debug)]
pub(in crate::args) struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

impl Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl From<Halt> for Refused {
    fn from(_: Halt) -> Self {
        Self
    }
}

impl From<serde_json::Error> for Refused {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
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
}

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
    /// The kind of what comes, which the schema takes, and the one node that speaks of it; none where it has been walked.
    fn enter(&mut self) -> Result<(Kind, Option<(NodeId, &'p Node)>), Refused> {
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
    fn constant(&mut self, kind: Kind, node: Option<(NodeId, &'p Node)>) -> Result<bool, Refused> {
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

    fn number(&mut self, node: Option<(NodeId, &'p Node)>) -> Result<Num<'s>, Refused> {
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

    fn text_under(&mut self, node: Option<(NodeId, &'p Node)>) -> Result<Text<'s>, Refused> {
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
        match std::mem::replace(&mut self.under, Under::Seen) {
            Under::Schema(id) => walker.value(id, self.input, &Path::Root, self.depth)?,
            Under::Anything => walker.anything(self.input, &Path::Root, self.depth)?,
            Under::Seen => return Ok(()),
        }
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
        deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64
    }

    numbers! { through_serde_json: deserialize_i128 deserialize_u128 }

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
            (Kind::Array, node) => self.visit_elements(node, visitor),
            _ => Err(Refused),
        }
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
                let content = Typed { walk: self.walk, input, under: Under::Seen, depth: self.depth + 1 };
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
        deserialize_identifier() => deserialize_str
        deserialize_byte_buf() => deserialize_bytes
        deserialize_unit_struct(&'static str) => deserialize_unit
        deserialize_tuple(usize) => deserialize_seq
        deserialize_tuple_struct(&'static str, usize) => deserialize_seq
    }
}

impl<'s, 'p, I: Input<'s>> Typed<'_, 'p, I> {
    fn visit_elements<V: Visitor<'s>>(self, node: Option<(NodeId, &'p Node)>, visitor: V) -> Result<V::Value, Refused> {
        let depth = self.walk.walker.deeper(self.depth)?;
        let mut array: Array<'_, '_, 's, I> = Array {
            walk: self.walk,
            elements: self.input.elements()?,
            rules: node.and_then(|(_, node)| node.array.as_ref()),
            seen: node.is_none(),
            depth,
            count: 0,
            ended: false,
        };
        let value = visitor.visit_seq(&mut array)?;
        // A tuple takes as many as it has.
        if array.ended || array.next()?.is_none() { Ok(value) } else { Err(Refused) }
    }

    fn visit_members<V: Visitor<'s>>(self, node: Option<(NodeId, &'p Node)>, visitor: V) -> Result<V::Value, Refused> {
        let depth = self.walk.walker.deeper(self.depth)?;
        let mut object: Object<'_, '_, 's, I> = Object {
            walk: self.walk,
            members: self.input.members()?,
            // A node without rules for objects is not read in one reading.
            rules: node.map(|(_, node)| node.object.as_ref().ok_or(Refused)).transpose()?,
            given: Given::default(),
            next: 0,
            others: Keys::default(),
            depth,
            count: 0,
            value: None,
            ended: false,
        };
        let value = visitor.visit_map(&mut object)?;
        if object.ended || object.next()?.is_none() { Ok(value) } else { Err(Refused) }
    }
}

struct Array<'w, 'p, 's, I: Input<'s>> {
    walk: &'w mut Walk<'p>,
    elements: I::Elements,
    rules: Option<&'p ArrayRules>,
    /// Whether it has been walked.
    seen: bool,
    depth: usize,
    count: usize,
    /// Whether the closing bracket was read.
    ended: bool,
}

impl<'s, I: Input<'s>> Array<'_, '_, 's, I> {
    /// The next element, and what it has to be.
    fn next(&mut self) -> Result<Option<(I, Under)>, Refused> {
        let Some(element) = self.elements.next()? else {
            self.ended = true;
            if let Some(rules) = self.rules {
                self.walk.walker.counted(rules, self.count, &Path::Root)?;
            }
            return Ok(None);
        };
        let schema = self.rules.and_then(|rules| rules.prefix.get(self.count).copied().or(rules.items));
        self.count += 1;
        Ok(Some((element, if self.seen { Under::Seen } else { schema.map_or(Under::Anything, Under::Schema) })))
    }
}

impl<'s, I: Input<'s>> SeqAccess<'s> for Array<'_, '_, 's, I> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'s>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        let Some((input, under)) = self.next()? else { return Ok(None) };
        self.walk.read(seed, input, under, self.depth).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        self.elements.left()
    }
}

struct Object<'w, 'p, 's, I: Input<'s>> {
    walk: &'w mut Walk<'p>,
    members: I::Members,
    /// `None` where it has been walked.
    rules: Option<&'p ObjectRules>,
    given: Given,
    /// The property behind the last one.
    next: usize,
    others: Keys<'s>,
    depth: usize,
    count: u64,
    value: Option<(I, Under)>,
    /// Whether the closing bracket was read.
    ended: bool,
}

impl<'s, I: Input<'s>> Object<'_, '_, 's, I> {
    /// The next key; its value is kept.
    fn next(&mut self) -> Result<Option<Text<'s>>, Refused> {
        let next = self.members.next()?;
        let Some(rules) = self.rules else {
            self.ended = next.is_none();
            return Ok(next.map(|(key, _, input)| {
                self.value = Some((input, Under::Seen));
                key
            }));
        };
        let Some((key, _, input)) = next else {
            self.ended = true;
            self.walk.walker.complete(rules, &self.given, &self.others, self.count, &Path::Root)?;
            return Ok(None);
        };
        self.count += 1;
        let known = rules.find(key, self.next);
        self.next = known.map_or(self.next, |position| position + 1);
        let is_new = match known {
            Some(position) => self.given.insert(position),
            None => self.others.insert(key),
        };
        let under = match (known, rules.additional) {
            _ if !is_new => return Err(Refused),
            (Some(position), _) => Under::Schema(rules.properties[position].node),
            (None, Additional::Schema(node)) => Under::Schema(node),
            (None, Additional::Anything) => Under::Anything,
            (None, Additional::Refused) => return Err(Refused),
        };
        self.value = Some((input, under));
        Ok(Some(key))
    }
}

impl<'s, I: Input<'s>> MapAccess<'s> for Object<'_, '_, 's, I> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'s>>(&mut self, seed: K) -> Result<Option<K::Value>, Refused> {
        let Some(key) = self.next()? else { return Ok(None) };
        seed.deserialize(Key::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'s>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        let (input, under) = self.value.take().ok_or(Refused)?;
        self.walk.read(seed, input, under, self.depth)
    }
}

impl Walk<'_> {
    /// Reads a value within another one. A decoder that does not even look at it would leave it unchecked.
    fn read<'s, I: Input<'s>, T: DeserializeSeed<'s>>(
        &mut self,
        seed: T,
        input: I,
        under: Under,
        depth: usize,
    ) -> Result<T::Value, Refused> {
        let before = self.opened;
        let value = seed.deserialize(Typed { walk: self, input, under, depth })?;
        if self.opened == before { Err(Refused) } else { Ok(value) }
    }
}

/// The variant of an externally tagged enum, with its content.
struct Variant<'w, 'p, 's, I> {
    name: Text<'s>,
    content: Typed<'w, 'p, I>,
}

impl<'w, 'p, 's, I: Input<'s>> EnumAccess<'s> for Variant<'w, 'p, 's, I> {
    type Error = Refused;
    type Variant = Typed<'w, 'p, I>;

    fn variant_seed<T: DeserializeSeed<'s>>(self, seed: T) -> Result<(T::Value, Self::Variant), Refused> {
        Ok((seed.deserialize(Key::<Refused>::new(self.name))?, self.content))
    }
}

impl<'s, I: Input<'s>> VariantAccess<'s> for Typed<'_, '_, I> {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        serde::Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'s>>(self, seed: T) -> Result<T::Value, Refused> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'s>>(self, _: usize, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'s>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_struct("", &[], visitor)
    }
}
