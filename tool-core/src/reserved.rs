//! Names of the runtime's coordinates in an argument type, wherever they hide.

use serde::de::{DeserializeOwned, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use serde_json::Value;

use crate::coordinates::is_reserved_property;
use crate::subschemas::each_below;

/// The properties, at any depth, that bear a name of the runtime's ([`is_reserved_property`]), as paths such as
/// `job.run_id`; `allowed` are paths that the tool declares its own.
pub(crate) fn reserved_properties(schema: &Value, allowed: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    collect_reserved(schema, "", allowed, &mut found);
    found.sort();
    found.dedup();
    found
}

fn collect_reserved(schema: &Value, path: &str, allowed: &[&str], found: &mut Vec<String>) {
    for name in named_properties(schema) {
        let path = below(path, &name);
        if is_reserved_property(&name) && !allowed.contains(&path.as_str()) {
            found.push(path);
        }
    }
    let Some(schema) = schema.as_object() else { return };
    each_below(schema, &mut |place, subschema| match place {
        ("properties", Some(name)) => collect_reserved(subschema, &below(path, name), allowed, found),
        _ => collect_reserved(subschema, path, allowed, found),
    });
}

/// The path of the property `name` of the object at `path`.
fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Every name that a schema gives to a property of its object, wherever it does so.
fn named_properties(schema: &Value) -> Vec<String> {
    let keys = |keyword: &str| schema.get(keyword).and_then(Value::as_object).into_iter().flat_map(|map| map.keys());
    let listed = |value: Option<&Value>| -> Vec<String> {
        value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut names: Vec<String> =
        ["properties", "patternProperties", "dependentSchemas", "dependentRequired", "dependencies"]
            .into_iter()
            .flat_map(keys)
            .cloned()
            .collect();
    names.extend(listed(schema.get("required")));
    let names_schema = schema.get("propertyNames");
    names.extend(listed(names_schema.and_then(|schema| schema.get("enum"))));
    names.extend(names_schema.and_then(|schema| schema.get("const")).and_then(Value::as_str).map(str::to_owned));
    names
}

/// The names by which serde knows the fields of `T`, aliases and fields that the schema leaves out included: what a
/// derive asks its deserializer for. Empty for a type that asks for no struct.
pub(crate) fn decoded_names<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    let _: Result<T, _> = T::deserialize(FieldNames(&mut names));
    names
}

/// Answers every question with a refusal, and keeps the names of the fields that were asked for.
struct FieldNames<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Self::Error> {
        Err(serde::de::Error::custom("only asked for its fields"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    #[test]
    fn reserved_names_are_found_at_any_depth_and_only_as_properties() {
        let schema = json!({
            "type": "object",
            "properties": {
                "run_id": {"type": "string"},
                "properties": {"type": "object", "properties": {"threadId": {}}},
                "list": {"type": "array", "items": {"anyOf": [{"properties": {"workspace": true}}, {"type": "null"}]}},
                "innocent": {"type": "object", "default": {"properties": {"call_id": 1}}, "enum": [{"properties": {"run_id": {}}}]},
            },
            "$defs": {"Node": {"properties": {"effect-id": {}}}},
            "additionalProperties": {"properties": {"operation_token": {}}},
            "required": ["workspaceId"],
            "patternProperties": {"^call_id$": {"properties": {"operation_id": {}}}},
            "dependentRequired": {"workspace": ["x"]},
            "propertyNames": {"enum": ["runId", "x"]},
            "contentSchema": {"properties": {"thread_id": {}}},
        });
        let found = [
            "^call_id$",
            "effect-id",
            "list.workspace",
            "operation_id",
            "operation_token",
            "properties.threadId",
            "runId",
            "run_id",
            "thread_id",
            "workspace",
            "workspaceId",
        ];
        assert_eq!(reserved_properties(&schema, &[]), found);
        assert_eq!(reserved_properties(&schema, &found), [""; 0]);
        let elsewhere = reserved_properties(&schema, &["threadId"]);
        assert!(elsewhere.contains(&"properties.threadId".to_owned()), "leave for one place is no leave for another");
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the names are looked at
    struct Hidden {
        #[serde(alias = "run_id")]
        job: String,
        #[schemars(skip)]
        call_id: Option<String>,
    }

    #[test]
    fn the_names_that_serde_takes_are_found_though_the_schema_hides_them() {
        assert_eq!(decoded_names::<Hidden>(), ["job", "run_id", "call_id"]);
        assert_eq!(decoded_names::<Option<Hidden>>(), ["job", "run_id", "call_id"]);
        assert_eq!(decoded_names::<()>(), [""; 0]);
        assert_eq!(decoded_names::<Value>(), [""; 0]);
    }
}
