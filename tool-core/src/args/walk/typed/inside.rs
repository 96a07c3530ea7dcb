//! The inside of arrays, objects and enums.

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::{Refused, Spoken, Typed, Under, Walk};
use crate::args::input::{Elements, Input, Members, Text};
use crate::args::key::Key;
use crate::args::plan::{Additional, ArrayRules, ObjectRules};
use crate::args::walk::Path;
use crate::args::walk::object::{Given, Keys};

pub(super) struct Array<'w, 'p, 's, I: Input<'s>> {
    walk: &'w mut Walk<'p>,
    elements: I::Elements,
    rules: Option<&'p ArrayRules>,
    /// What an element is where the array has been walked.
    within: Option<Under>,
    depth: usize,
    count: usize,
    /// Whether the closing bracket was read.
    ended: bool,
}

impl<'w, 'p, 's, I: Input<'s>> Array<'w, 'p, 's, I> {
    /// `within` is what its elements are where the array has been walked.
    pub(super) fn new(
        walk: &'w mut Walk<'p>,
        elements: I::Elements,
        node: Spoken<'p>,
        within: Under,
        depth: usize,
    ) -> Self {
        let rules = node.and_then(|(_, node)| node.array.as_ref());
        let within = if node.is_none() { Some(within) } else { None };
        Self { walk, elements, rules, within, depth, count: 0, ended: false }
    }

    /// Whether nothing is left. A tuple takes as many as it has.
    pub(super) fn is_at_end(&mut self) -> Result<bool, Refused> {
        Ok(self.ended || self.next()?.is_none())
    }

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
        let under = self.within.unwrap_or_else(|| schema.map_or(Under::Anything, Under::Schema));
        Ok(Some((element, under)))
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

pub(super) struct Object<'w, 'p, 's, I: Input<'s>> {
    walk: &'w mut Walk<'p>,
    members: I::Members,
    /// `None` where it has been walked.
    rules: Option<&'p ObjectRules>,
    /// What a member is then.
    within: Under,
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

impl<'w, 'p, 's, I: Input<'s>> Object<'w, 'p, 's, I> {
    pub(super) fn new(
        walk: &'w mut Walk<'p>,
        members: I::Members,
        node: Spoken<'p>,
        within: Under,
        depth: usize,
    ) -> Result<Self, Refused> {
        // A node without rules for objects is not read in one reading.
        let rules = node.map(|(_, node)| node.object.as_ref().ok_or(Refused)).transpose()?;
        let (given, others) = (Given::default(), Keys::default());
        Ok(Self { walk, members, rules, within, given, next: 0, others, depth, count: 0, value: None, ended: false })
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&mut self) -> Result<bool, Refused> {
        Ok(self.ended || self.next()?.is_none())
    }

    /// The next key; its value is kept.
    fn next(&mut self) -> Result<Option<Text<'s>>, Refused> {
        let next = self.members.next()?;
        let Some(rules) = self.rules else {
            self.ended = next.is_none();
            return Ok(next.map(|(key, _, input)| {
                self.value = Some((input, self.within));
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
pub(super) struct Variant<'w, 'p, 's, I> {
    pub(super) name: Text<'s>,
    pub(super) content: Typed<'w, 'p, I>,
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
