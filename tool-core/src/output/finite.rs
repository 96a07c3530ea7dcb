//! Looking for a number that JSON cannot hold. `serde_json` writes `null` for NaN and the infinities, and a model would
//! take that for "nothing": so a result in which a `null` was written is looked at again, and only such a one.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::fmt;

/// The place of the first number in `value` that is not finite: `series[2].mean`; empty for the value itself.
pub(super) fn non_finite<T: Serialize + ?Sized>(value: &T) -> Option<String> {
    let mut path = String::new();
    match value.serialize(Finite { path: &mut path }) {
        Err(Found::NonFinite) => Some(path),
        // The value was written as JSON before: any other fault belongs to this look, and is none of the tool's.
        Ok(()) | Err(Found::Other) => None,
    }
}

#[derive(Debug)]
enum Found {
    NonFinite,
    Other,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NonFinite => "a number that is not finite",
            Self::Other => "a value that cannot be looked at",
        })
    }
}

impl std::error::Error for Found {}

impl serde::ser::Error for Found {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Other
    }
}

/// Goes through a value and keeps the path to where it is; after a find the path stays as it is.
struct Finite<'a> {
    path: &'a mut String,
}

impl Finite<'_> {
    fn check(finite: bool) -> Result<(), Found> {
        if finite { Ok(()) } else { Err(Found::NonFinite) }
    }
}

/// The parts of a compound value, of which each has a step of the path.
struct Parts<'a> {
    path: &'a mut String,
    next: usize,
    key: String,
}

impl<'a> Parts<'a> {
    fn of(finite: Finite<'a>) -> Self {
        Self { path: finite.path, next: 0, key: String::new() }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Found> {
        let step = format!("[{}]", self.next);
        self.next += 1;
        self.part(&step, value)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Found> {
        let step = if self.path.is_empty() { name.to_owned() } else { format!(".{name}") };
        self.part(&step, value)
    }

    fn part<T: Serialize + ?Sized>(&mut self, step: &str, value: &T) -> Result<(), Found> {
        let length = self.path.len();
        self.path.push_str(step);
        value.serialize(Finite { path: self.path })?;
        self.path.truncate(length);
        Ok(())
    }
}

macro_rules! scalars {
    ($($method:ident($ty:ty)),* $(,)?) => {
        $(fn $method(self, _: $ty) -> Result<(), Found> { Ok(()) })*
    };
}

impl<'a> Serializer for Finite<'a> {
    type Ok = ();
    type Error = Found;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    scalars! {
        serialize_bool(bool), serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64),
        serialize_i128(i128), serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64),
        serialize_u128(u128), serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]),
        serialize_unit_struct(&'static str),
    }

    fn serialize_f32(self, value: f32) -> Result<(), Found> {
        Self::check(value.is_finite())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Found> {
        Self::check(value.is_finite())
    }

    fn serialize_none(self) -> Result<(), Found> {
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Found> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Found> {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Found> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Found> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Found> {
        Parts::of(self).field(variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, Found> {
        Ok(Parts::of(self))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, Found> {
        Ok(Parts::of(self))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Found> {
        Ok(Parts::of(self))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, Found> {
        Ok(variant_parts(self, variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a>, Found> {
        Ok(Parts::of(self))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Found> {
        Ok(Parts::of(self))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, Found> {
        Ok(variant_parts(self, variant))
    }
}

/// The parts of a variant, below its name. The path is left one step longer than it was: whoever holds it cuts it.
fn variant_parts<'a>(finite: Finite<'a>, variant: &str) -> Parts<'a> {
    if !finite.path.is_empty() {
        finite.path.push('.');
    }
    finite.path.push_str(variant);
    Parts::of(finite)
}

macro_rules! items {
    ($($trait:ident::$method:ident),* $(,)?) => {
        $(impl $trait for Parts<'_> {
            type Ok = ();
            type Error = Found;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Found> {
                self.item(value)
            }

            fn end(self) -> Result<(), Found> {
                Ok(())
            }
        })*
    };
}

items! {
    SerializeSeq::serialize_element, SerializeTuple::serialize_element, SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

macro_rules! fields {
    ($($trait:ident),* $(,)?) => {
        $(impl $trait for Parts<'_> {
            type Ok = ();
            type Error = Found;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Found> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), Found> {
                Ok(())
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Found;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Found> {
        // Keys are texts, numbers or the like: their JSON form without quotes.
        let key = serde_json::to_string(key).map_err(|_| Found::Other)?;
        key.trim_matches('"').clone_into(&mut self.key);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Found> {
        let key = std::mem::take(&mut self.key);
        self.field(&key, value)
    }

    fn end(self) -> Result<(), Found> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use std::collections::BTreeMap;

    #[derive(Serialize)]
    enum Shape {
        Circle { radius: f64 },
        Pair(f64, f32),
        Unit,
    }

    #[derive(Serialize)]
    struct Report {
        nothing: Option<f64>,
        series: Vec<(String, Option<f32>)>,
        by_name: BTreeMap<u8, Shape>,
    }

    fn report(mean: f32, radius: f64) -> Report {
        let series = vec![("a".to_owned(), None), ("b".to_owned(), Some(mean))];
        Report {
            nothing: None,
            series,
            by_name: BTreeMap::from([(1, Shape::Unit), (7, Shape::Circle { radius }), (8, Shape::Pair(0.0, 1.0))]),
        }
    }

    #[test]
    fn the_first_number_that_is_not_finite_is_named_by_its_path() {
        assert_eq!(non_finite(&report(1.0, 2.0)), None);
        assert_eq!(non_finite(&report(f32::NAN, 2.0)), Some("series[1][1]".to_owned()));
        assert_eq!(non_finite(&report(1.0, f64::NEG_INFINITY)), Some("by_name.7.Circle.radius".to_owned()));
        assert_eq!(non_finite(&[Shape::Pair(0.0, f32::INFINITY)]), Some("[0].Pair[1]".to_owned()));
        assert_eq!(non_finite(&f64::NAN), Some(String::new()));
    }
}
