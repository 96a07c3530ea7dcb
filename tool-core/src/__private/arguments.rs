//! Decoding and describing the argument struct of a `#[tool]` function, field by field.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserializer, Serialize};
use serde_json::{Value, json};
use std::fmt;
use std::marker::PhantomData;

use super::constraints::Property;
use crate::absent;
use crate::argument::ToolArgument;
use crate::output::render_tool_output;

/// Does not compile for a type that cannot be an argument.
pub const fn assert_argument<T: ToolArgument>() {}

/// An argument struct as it is read, field by field.
pub trait ArgumentFields: Sized {
    /// The wire names.
    const NAMES: &'static [&'static str];

    /// The number of the field of this name.
    fn field(name: &str) -> Option<usize>;

    /// Reads all fields.
    fn decode<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Self, A::Error>;
}

/// Reads an argument struct from an object, and from nothing else: serde's derive would take an array for it too.
#[inline]
pub fn decode_fields<'de, F: ArgumentFields, D: Deserializer<'de>>(deserializer: D) -> Result<F, D::Error> {
    deserializer.deserialize_map(FieldsVisitor(PhantomData))
}

/// The number of the field whose value comes next; `None` at the end.
#[inline]
pub fn next_field<'de, F: ArgumentFields, A: MapAccess<'de>>(map: &mut A) -> Result<Option<usize>, A::Error> {
    map.next_key_seed(KnownName { names: F::NAMES, field: F::field })
}

struct FieldsVisitor<F>(PhantomData<F>);

impl<'de, F: ArgumentFields> Visitor<'de> for FieldsVisitor<F> {
    type Value = F;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<F, A::Error> {
        F::decode(&mut map)
    }
}

/// Reads a key that must be one of these names.
struct KnownName {
    names: &'static [&'static str],
    field: fn(&str) -> Option<usize>,
}

impl<'de> DeserializeSeed<'de> for KnownName {
    type Value = usize;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for KnownName {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a property name")
    }

    #[inline]
    fn visit_str<E: Error>(self, key: &str) -> Result<usize, E> {
        (self.field)(key).ok_or_else(|| E::unknown_field(key, self.names))
    }
}

/// Asks whether `T` can be an argument; `(&&ArgumentProbe::<T>::NEW).__tool_kind()` answers with what can be done with it.
pub struct ArgumentProbe<T>(PhantomData<fn() -> T>);

impl<T> ArgumentProbe<T> {
    /// The question.
    pub const NEW: Self = Self(PhantomData);
}

/// Chosen where `T` is an argument.
pub trait IsArgument<T> {
    /// What can be done with it.
    fn __tool_kind(&self) -> Decodable<T>;
}

impl<T: ToolArgument> IsArgument<T> for &ArgumentProbe<T> {
    fn __tool_kind(&self) -> Decodable<T> {
        Decodable(PhantomData)
    }
}

/// Chosen where `T` is no argument: the assertion has said so, and nothing else shall.
pub trait IsNoArgument<T> {
    /// What can be done with it.
    fn __tool_kind(&self) -> Undecodable<T>;
}

impl<T> IsNoArgument<T> for ArgumentProbe<T> {
    fn __tool_kind(&self) -> Undecodable<T> {
        Undecodable(PhantomData)
    }
}

/// How a type is read and described.
pub struct Decodable<T>(PhantomData<fn() -> T>);

impl<T: DeserializeOwned + JsonSchema> Decodable<T> {
    /// Reads the field's value, once.
    #[inline]
    pub fn read<'de, A: MapAccess<'de>>(
        self,
        field: &mut Option<T>,
        name: &'static str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        if field.is_some() {
            return Err(A::Error::duplicate_field(name));
        }
        *field = Some(map.next_value()?);
        Ok(())
    }

    /// The field's value, where it was given or its type has a value for absence, as `Option` has.
    pub fn or_absent<E: Error>(self, field: Option<T>, name: &'static str) -> Result<T, E> {
        field.map_or_else(|| absent::property(name), Ok)
    }

    /// Reads all that the model wrote.
    pub fn whole<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }

    /// The type's part of a schema.
    pub fn describe(self) -> ArgumentType {
        ArgumentType {
            root: T::json_schema,
            schema: |generator| generator.subschema_for::<T>(),
            may_be_absent: || absent::property::<T, serde::de::value::Error>("").is_ok(),
        }
    }
}

/// Stands where [`Decodable`] would, in a program that does not compile.
pub struct Undecodable<T>(PhantomData<fn() -> T>);

impl<T> Undecodable<T> {
    /// See [`Decodable::read`].
    pub fn read<'de, A: MapAccess<'de>>(
        self,
        _field: &mut Option<T>,
        name: &'static str,
        _map: &mut A,
    ) -> Result<(), A::Error> {
        Err(A::Error::missing_field(name))
    }

    /// See [`Decodable::or_absent`].
    pub fn or_absent<E: Error>(self, field: Option<T>, name: &'static str) -> Result<T, E> {
        field.ok_or_else(|| E::missing_field(name))
    }

    /// See [`Decodable::whole`].
    pub fn whole<'de, D: Deserializer<'de>>(self, _deserializer: D) -> Result<T, D::Error> {
        Err(D::Error::custom("the arguments have no form"))
    }

    /// See [`Decodable::describe`].
    pub fn describe(self) -> ArgumentType {
        ArgumentType { root: |_| false.into(), schema: |_| false.into(), may_be_absent: || false }
    }
}

/// Asks for the JSON form of a default; `(&&DefaultProbe(value)).__tool_json()` answers.
pub struct DefaultProbe<T>(pub T);

/// Chosen where the default can be written as JSON, and so published.
pub trait IsPublished {
    /// The default as JSON.
    fn __tool_json(&self) -> Option<Value>;
}

impl<T: Serialize> IsPublished for &DefaultProbe<T> {
    fn __tool_json(&self) -> Option<Value> {
        // A number that is not finite, at any depth, would be written as `null`, which is another value.
        render_tool_output(&self.0).ok()?;
        serde_json::to_value(&self.0).ok()
    }
}

/// Chosen where the default's type cannot be written as JSON: the schema only says that the property may be left out.
pub trait IsUnpublished {
    /// Nothing.
    fn __tool_json(&self) -> Option<Value>;
}

impl<T> IsUnpublished for DefaultProbe<T> {
    fn __tool_json(&self) -> Option<Value> {
        None
    }
}

/// One argument as its schema describes it.
pub struct Argument {
    /// Wire name.
    pub name: &'static str,
    /// What the model is told of it; may be empty.
    pub description: &'static str,
    /// Its type.
    pub of: ArgumentType,
    /// Its default, where it has one.
    pub default: Option<fn() -> Option<Value>>,
    /// What is asked of it beyond its type.
    pub constrain: Option<fn(Property) -> Property>,
}

/// A type's part in the schema of an argument.
pub struct ArgumentType {
    root: fn(&mut SchemaGenerator) -> Schema,
    schema: fn(&mut SchemaGenerator) -> Schema,
    may_be_absent: fn() -> bool,
}

impl ArgumentType {
    /// The schema of the type as the whole of the arguments.
    pub fn root(self, generator: &mut SchemaGenerator) -> Schema {
        (self.root)(generator)
    }
}

/// The schema of an argument struct, which takes these arguments and no others.
pub fn object_schema(generator: &mut SchemaGenerator, arguments: &[Argument]) -> Schema {
    let mut properties = serde_json::Map::new();
    let mut required = Vec::new();
    for argument in arguments {
        properties.insert(argument.name.to_owned(), property(generator, argument).to_value());
        if argument.default.is_none() && !(argument.of.may_be_absent)() {
            required.push(argument.name);
        }
    }
    let mut schema = Schema::default();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn property(generator: &mut SchemaGenerator, argument: &Argument) -> Schema {
    let mut schema = (argument.of.schema)(generator);
    if !argument.description.is_empty() {
        schema.insert("description".to_owned(), json!(argument.description));
    }
    if let Some(default) = argument.default.and_then(|default| published(&schema, default)) {
        schema.insert("default".to_owned(), default);
    }
    match argument.constrain {
        Some(constrain) => constrain(Property(schema)).0,
        None => schema,
    }
}

/// The default as the schema shows it. One that is not the same twice, such as the time, has no fixed form: shown, it would
/// change the tool's identity from one listing to the next.
fn published(schema: &Schema, default: fn() -> Option<Value>) -> Option<Value> {
    let is_set = schema.get("uniqueItems") == Some(&Value::Bool(true));
    let fixed = |mut value: Value| {
        if let (true, Value::Array(items)) = (is_set, &mut value) {
            items.sort_by_cached_key(Value::to_string); // a set has no order of its own
        }
        value
    };
    let (first, second) = (fixed(default()?), fixed(default()?));
    (first == second).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::needless_borrow)] // the question is the same for every type
    fn a_default_is_published_only_where_json_has_its_value() {
        struct Unwritable;
        assert_eq!((&&DefaultProbe(vec![1.5])).__tool_json(), Some(json!([1.5])));
        assert_eq!((&&DefaultProbe(None::<u8>)).__tool_json(), Some(Value::Null));
        assert_eq!((&&DefaultProbe(f64::NAN)).__tool_json(), None);
        assert_eq!((&&DefaultProbe(vec![1.5, f64::INFINITY])).__tool_json(), None);
        assert_eq!((&&DefaultProbe(Unwritable)).__tool_json(), None);
    }
}
