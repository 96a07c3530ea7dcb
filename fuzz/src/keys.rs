//! An independent opinion on JSON text: whether any object in it has a key twice. Knows nothing of tool-core.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

/// What is to be known of a text that is JSON.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looked {
    /// Whether an object has a key twice.
    pub key_twice: bool,
    /// How deep arrays and objects are nested.
    pub depth: usize,
    /// Whether a float holds every number exactly: at most 15 digits and no exponent.
    pub small_numbers: bool,
}

/// Looks a text over; nothing where it is no JSON.
pub fn look(text: &str) -> Option<Looked> {
    let (twice, deepest) = (Cell::new(false), Cell::new(0));
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Walk { twice: &twice, deepest: &deepest, depth: 0 }.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    let mut digits = 0;
    let small_numbers = text.bytes().all(|byte| {
        digits = if byte.is_ascii_digit() || byte == b'.' { digits + 1 } else { 0 };
        digits <= 15
    });
    let exponent = text.as_bytes().windows(2).any(|pair| pair[0].is_ascii_digit() && matches!(pair[1], b'e' | b'E'));
    Some(Looked { key_twice: twice.get(), depth: deepest.get(), small_numbers: small_numbers && !exponent })
}

#[derive(Clone, Copy)]
struct Walk<'c> {
    twice: &'c Cell<bool>,
    deepest: &'c Cell<usize>,
    depth: usize,
}

impl Walk<'_> {
    fn below(self) -> Self {
        self.deepest.set(self.deepest.get().max(self.depth + 1));
        Self { depth: self.depth + 1, ..self }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let below = self.below();
        while elements.next_element_seed(below)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let below = self.below();
        let mut seen = HashSet::new();
        while let Some(key) = members.next_key_seed(Key)? {
            if !seen.insert(key) {
                self.twice.set(true);
            }
            members.next_value_seed(below)?;
        }
        Ok(())
    }
}

struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        String::deserialize(deserializer)
    }
}
