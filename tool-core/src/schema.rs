//! JSON Schemas: the canonical input schema of an argument type, and walking a schema.

use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value, json};

use crate::args::{close_objects, unkept_form};
use crate::subschemas::each_below_mut;

/// The canonical input schema of `A`: JSON Schema 2020-12, every type in its place (only recursion uses `$defs`),
/// the bounds of integers and of `f32` as `minimum` and `maximum`, no `$schema`, no generated `title`, no Rust formats, keys sorted.
///
/// Objects with named properties take no others, also where the type's own decoder would ignore them: a name that is not
/// known is a slip of the model's. The argument boundary holds it to that. So does a struct without fields, which the
/// generator writes as a bare `{"type": "object"}`: a schema by hand that means any object has to say
/// `additionalProperties: true`.
///
/// What cannot be seen in a schema: a flattened `Option` of a struct (`#[serde(flatten)] inner: Option<Inner>`) becomes
/// `None` where a part of it is missing or wrong, and what was given of it is lost without a word. Give it a property of its
/// own, without `flatten`. And of two flattened enums, one with `deny_unknown_fields` refuses the other's properties: leave
/// it off, since unknown properties are refused at any rate.
///
/// The root of `()` is the empty object, and that of `Option<T>` the one of `T`. Any other root that is not an object
/// is left as it is, for the registry to refuse.
pub fn input_schema<A: JsonSchema>() -> Value {
    canonical(generated::<A>(Contract::Deserialize))
}

/// [`input_schema`], and what it allows and the decoder of `A` would not take as it is meant: a property of a form that an
/// earlier one takes and drops, or a flattened form that is never read. That a form was closed by its own type can only be
/// seen before the others are closed.
pub(crate) fn checked_input_schema<A: JsonSchema>() -> (Value, Option<String>) {
    let mut schema = generated::<A>(Contract::Deserialize);
    sort_keys(&mut schema);
    let unkept = unkept_form(&schema).map(|unkept| unkept.to_string());
    (canonical(schema), unkept)
}

fn canonical(mut schema: Value) -> Value {
    object_root(&mut schema);
    close_objects(&mut schema);
    sort_keys(&mut schema);
    schema
}

/// The schema of what `T` is written as, where that has structure; `None` for a plain text and for nothing at all, which
/// a model is shown as text.
pub fn output_schema<T: JsonSchema>() -> Option<Value> {
    let mut schema = generated::<T>(Contract::Serialize);
    sort_keys(&mut schema);
    let plain = matches!(schema.get("type").and_then(Value::as_str), Some("string" | "null"));
    (!plain).then_some(schema)
}

fn generated<T: JsonSchema>(contract: Contract) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
        settings.contract = contract;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(root) = schema.as_object_mut() {
        root.remove("title"); // the Rust name of the type
    }
    tidy(&mut schema);
    schema
}

/// The order in which keys were written must not change what a listing says. Only under the feature `preserve_order` is
/// there such an order, and any other dependency may switch it on.
fn sort_keys(schema: &mut Value) {
    schema.sort_all_objects();
}

/// Writes what a format of the generator means as keywords that every reader knows, and takes the format away.
fn tidy(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut() {
        let format = object.get("format").and_then(Value::as_str).unwrap_or_default();
        if let Some((minimum, maximum)) = integer_bounds(format) {
            object.remove("format");
            bound(object, "minimum", "exclusiveMinimum", minimum, |own, of_type| own < of_type);
            bound(object, "maximum", "exclusiveMaximum", maximum, |own, of_type| own > of_type);
        } else if format == "float" {
            object.remove("format");
            bound(object, "minimum", "exclusiveMinimum", json!(-SINGLE), |own, of_type| own < of_type);
            bound(object, "maximum", "exclusiveMaximum", json!(SINGLE), |own, of_type| own > of_type);
        } else if matches!(format, "double" | "int128" | "uint128") {
            object.remove("format");
        }
        each_below_mut(object, &mut |_, below| tidy(below));
    }
}

/// The largest float of 32 bits in its own digits, which are those of the double that is nearest to it, cut short; whatever
/// is not above it becomes no infinity.
const SINGLE: f64 = 3.402_823_5e38;

/// Whether a bound is that of every float of 32 bits.
#[cfg(feature = "export")]
pub(crate) fn is_bound_of_single(bound: &Value) -> bool {
    bound.as_f64().is_some_and(|bound| bound.abs().total_cmp(&SINGLE).is_eq())
}

/// Writes a bound of the number's type, unless the argument has a narrower one of its own. One that is wider promises what
/// the type cannot hold; there may be two, of which only the other one is.
fn bound(
    object: &mut Map<String, Value>,
    keyword: &str,
    exclusive: &str,
    of_type: Value,
    is_wider: impl Fn(f64, f64) -> bool,
) {
    for own in [keyword, exclusive] {
        let bound = object.get(own).and_then(Value::as_f64);
        if bound.zip(of_type.as_f64()).is_none_or(|(own, of_type)| is_wider(own, of_type)) {
            object.remove(own);
        }
    }
    if !object.contains_key(keyword) && !object.contains_key(exclusive) {
        object.insert(keyword.to_owned(), of_type);
    }
}

/// What a schema asks of an argument that its type can never have: a range of a text, a pattern of a number.
pub(crate) fn misplaced_constraint(schema: &Value) -> Option<String> {
    const KEYWORDS: [(&str, &[&str], &[&str]); 4] = [
        ("a range", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], &["integer", "number"]),
        ("a length or a pattern", &["minLength", "maxLength", "pattern"], &["string"]),
        ("a number of items", &["minItems", "maxItems"], &["array"]),
        ("a number of properties", &["minProperties", "maxProperties"], &["object"]),
    ];
    let properties = schema.get("properties")?.as_object()?;
    properties.iter().find_map(|(name, property)| {
        let kinds: Vec<&str> = match property.get("type")? {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return None,
        };
        let is_misplaced = |keywords: &[&str], of: &[&str]| {
            keywords.iter().any(|keyword| property.get(keyword).is_some())
                && !kinds.iter().any(|kind| of.contains(kind))
        };
        let (what, ..) = KEYWORDS.iter().find(|(_, keywords, of)| is_misplaced(keywords, of))?;
        Some(format!("`{name}` is asked for {what}, which a value of type {} never has", kinds.join(" or ")))
    })
}

/// The bounds of an integer format as schemars names it. `usize` counts as 64 bits, so that a schema does not depend on the machine.
fn integer_bounds(format: &str) -> Option<(Value, Value)> {
    Some(match format {
        "int8" => (json!(i8::MIN), json!(i8::MAX)),
        "int16" => (json!(i16::MIN), json!(i16::MAX)),
        "int32" => (json!(i32::MIN), json!(i32::MAX)),
        "int64" | "int" => (json!(i64::MIN), json!(i64::MAX)),
        "uint8" => (json!(0), json!(u8::MAX)),
        "uint16" => (json!(0), json!(u16::MAX)),
        "uint32" => (json!(0), json!(u32::MAX)),
        "uint64" | "uint" => (json!(0), json!(u64::MAX)),
        _ => return None,
    })
}

/// Gives the schema an object root where its type has one.
fn object_root(schema: &mut Value) {
    let Some(root) = schema.as_object_mut() else { return };
    if root.get("type") == Some(&json!("null")) {
        *schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
        return;
    }
    unwrap_nullable(root);
    if root.get("type") == Some(&json!("object")) {
        // Some readers want the properties of an object named, also where there are none.
        root.entry("properties").or_insert_with(|| json!({}));
    } else if ["oneOf", "anyOf"].iter().any(|keyword| all_objects(root.get(*keyword))) {
        root.insert("type".to_owned(), json!("object"));
    }
}

/// Takes the null away from the root of an `Option<T>`.
fn unwrap_nullable(root: &mut Map<String, Value>) {
    if let Some(types) = root.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            root.insert("type".to_owned(), only);
        }
    }
    if let Some(branches) = root.get_mut("anyOf").and_then(Value::as_array_mut) {
        branches.retain(|branch| branch != &json!({"type": "null"}));
        if let [Value::Object(only)] = branches.as_mut_slice() {
            let only = std::mem::take(only);
            root.remove("anyOf");
            root.extend(only);
        }
    }
}

fn all_objects(branches: Option<&Value>) -> bool {
    branches.and_then(Value::as_array).is_some_and(|branches| {
        !branches.is_empty() && branches.iter().all(|branch| branch.get("type") == Some(&json!("object")))
    })
}

/// Whether the root of an input schema is an object, which every provider asks of arguments.
pub(crate) fn has_object_root(schema: &Value) -> bool {
    schema.get("type") == Some(&json!("object"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::HashMap;

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct Numbers {
        small: u8,
        signed: i32,
        large: u64,
        index: usize,
        ratio: f64,
        single: Option<f32>,
        singles: HashMap<String, Vec<f32>>,
        maybe: Option<u16>,
        list: Vec<i8>,
        map: HashMap<String, u32>,
    }

    #[test]
    fn numbers_have_the_bounds_of_their_types_and_no_rust_formats() {
        let schema = input_schema::<Numbers>();
        let text = schema.to_string();
        assert!(!text.contains("format") && !text.contains("$schema") && !text.contains("title"), "{text}");
        let property = |name: &str| schema["properties"][name].clone();
        assert_eq!(property("small"), json!({"type": "integer", "minimum": 0, "maximum": 255}));
        assert_eq!(property("signed"), json!({"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX}));
        assert_eq!(property("large"), json!({"type": "integer", "minimum": 0, "maximum": u64::MAX}));
        assert_eq!(property("index"), property("large"));
        assert_eq!(property("ratio"), json!({"type": "number"}));
        let of_single = |kind: Value| json!({"type": kind, "minimum": -3.402_823_5e38, "maximum": 3.402_823_5e38});
        assert_eq!(property("single"), of_single(json!(["number", "null"])));
        assert_eq!(property("singles")["additionalProperties"]["items"], of_single(json!("number")));
        assert_eq!(property("maybe"), json!({"type": ["integer", "null"], "minimum": 0, "maximum": 65535}));
        assert_eq!(property("list")["items"], json!({"type": "integer", "minimum": -128, "maximum": 127}));
        assert_eq!(property("map")["additionalProperties"]["maximum"], json!(u32::MAX));
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct Bounded {
        #[schemars(range(min = -5), extend("exclusiveMinimum" = 3))]
        above: u8,
        #[schemars(range(max = 9), extend("exclusiveMaximum" = 300))]
        up_to: u8,
        #[schemars(range(min = -5), extend("exclusiveMinimum" = -2))]
        wide: u8,
        #[schemars(range(min = 5), extend("exclusiveMinimum" = 3))]
        twice: u8,
    }

    #[test]
    fn a_bound_that_is_wider_than_the_type_takes_no_narrower_one_with_it() {
        let schema = input_schema::<Bounded>();
        let property = |name: &str| schema["properties"][name].clone();
        assert_eq!(property("above"), json!({"type": "integer", "exclusiveMinimum": 3, "maximum": 255}));
        assert_eq!(property("up_to"), json!({"type": "integer", "minimum": 0, "maximum": 9}));
        assert_eq!(property("wide"), json!({"type": "integer", "minimum": 0, "maximum": 255}));
        let twice = json!({"type": "integer", "minimum": 5, "exclusiveMinimum": 3, "maximum": 255});
        assert_eq!(property("twice"), twice);
    }

    #[derive(Deserialize, JsonSchema)]
    struct Empty {}

    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    #[allow(dead_code)] // only the schema is looked at
    enum Tagged {
        Circle { radius: f64 },
        Square { side: f64 },
    }

    #[test]
    fn roots_are_objects_wherever_the_type_has_an_object_form() {
        let nothing = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(input_schema::<()>(), nothing);
        assert_eq!(input_schema::<Empty>()["properties"], json!({}));
        assert_eq!(input_schema::<Option<Numbers>>(), input_schema::<Numbers>());
        assert_eq!(input_schema::<Tagged>()["type"], "object");
        assert_eq!(input_schema::<Option<Tagged>>(), input_schema::<Tagged>());
        for refused in [
            input_schema::<String>(),
            input_schema::<Vec<Numbers>>(),
            input_schema::<Option<u32>>(),
            input_schema::<Value>(),
        ] {
            assert!(!has_object_root(&refused), "{refused}");
        }
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct Tree {
        children: Vec<Tree>,
    }

    #[test]
    fn a_recursive_type_has_a_finite_schema() {
        let schema = input_schema::<Tree>();
        assert!(has_object_root(&schema), "{schema}");
    }
}
