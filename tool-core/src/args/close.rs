//! Closing the objects of a generated schema: a property that no field stands for is a mistake of the model.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Closes every object whose properties are known: `additionalProperties: false` is added to each schema that has
/// `properties`, and no `additionalProperties` or `patternProperties` of its own. So is an object of which nothing is said:
/// that is a struct without fields. (Maps and free objects say `additionalProperties`. A schema by hand that does not is
/// closed as well: a call that is refused is seen, and what a decoder drops is not.)
///
/// An object that is described by several schemas at once needs care, since each of them would refuse the properties of
/// the others:
/// * several alternatives at once (several flattened enums) become one, of every combination, up to [`MOST_COMBINATIONS`];
/// * alternatives beside `properties` (a flattened enum): the properties are moved into each alternative, which is then
///   closed;
/// * where neither can be done (an alternative is no plain object, or names a property otherwise), the object itself names
///   the properties of all its parts and is closed, and the parts stay open;
/// * below `allOf`, and beside `$ref` or `not`, a schema stays open.
pub(crate) fn close_objects(schema: &mut Value) {
    close(schema, true);
}

/// `whole` tells whether this schema says all there is of its value.
fn close(schema: &mut Value, whole: bool) {
    let Some(object) = schema.as_object_mut() else { return };
    combine_alternatives(object);
    move_into_alternatives(object, whole);
    if whole {
        close_without_properties(object);
        close_around_parts(object);
    }
    let has_others = SHARED.iter().any(|keyword| object.contains_key(*keyword));
    let has_alternatives = ALTERNATIVES.iter().any(|keyword| object.contains_key(*keyword));
    let has_properties = object.get("properties").is_some_and(Value::is_object);
    let is_whole = whole && !has_others;
    // An object root of alternatives has empty `properties` for those readers who want some.
    if is_whole && has_properties && !has_alternatives && !has_own_rule(object) {
        object.insert("additionalProperties".to_owned(), json!(false));
    }
    let alternatives_are_whole = is_whole && !has_properties && !has_own_rule(object);
    for (keyword, value) in object.iter_mut() {
        match (keyword.as_str(), value) {
            ("$defs" | "definitions" | "properties" | "patternProperties", Value::Object(schemas)) => {
                for schema in schemas.values_mut() {
                    close(schema, true);
                }
            }
            ("items" | "additionalProperties", schema) => close(schema, true),
            ("prefixItems" | "anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => {
                let whole = match keyword.as_str() {
                    "prefixItems" => true,
                    "allOf" => false,
                    _ => alternatives_are_whole,
                };
                for schema in schemas {
                    close(schema, whole);
                }
            }
            _ => {}
        }
    }
}

/// Keywords by which other schemas speak of the same value.
const SHARED: [&str; 3] = ["$ref", "allOf", "not"];
const ALTERNATIVES: [&str; 2] = ["anyOf", "oneOf"];

fn has_own_rule(object: &Map<String, Value>) -> bool {
    ["additionalProperties", "patternProperties", "unevaluatedProperties"]
        .iter()
        .any(|keyword| object.contains_key(*keyword))
}

/// `{type: object}` has no properties.
fn close_without_properties(object: &mut Map<String, Value>) {
    const TOLD: [&str; 6] = ["default", "deprecated", "description", "examples", "title", "type"];
    let is_object = match object.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().all(|kind| kind == "object" || kind == "null"),
        kind => kind.is_some_and(|kind| kind == "object"),
    };
    if is_object && object.keys().all(|keyword| TOLD.contains(&keyword.as_str())) {
        object.insert("properties".to_owned(), json!({}));
    }
}

/// `{properties, oneOf: […], allOf: […]}` is closed by naming the properties of all parts beside them.
fn close_around_parts(object: &mut Map<String, Value>) {
    let has_alternatives = ALTERNATIVES.iter().any(|keyword| object.contains_key(*keyword));
    let has_parts = object.contains_key("allOf") || (object.contains_key("properties") && has_alternatives);
    let is_object = object.get("type").is_some_and(|kind| kind == "object");
    if !has_parts || !is_object {
        return;
    }
    let mut names = BTreeSet::new();
    if !names_of_parts(object, &mut names) {
        return;
    }
    let properties = object.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        for name in names {
            properties.entry(name).or_insert(Value::Bool(true));
        }
        object.insert("additionalProperties".to_owned(), json!(false));
    }
}

/// Collects the properties that a schema and its parts name; false where they allow others.
fn names_of_parts(part: &Map<String, Value>, names: &mut BTreeSet<String>) -> bool {
    if has_own_rule(part) || part.contains_key("$ref") || part.contains_key("not") {
        return false;
    }
    let own = part.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let required = part.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.extend(own.cloned().chain(required.map(str::to_owned)));
    let parts = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| part.get(*keyword)?.as_array());
    let parts: Vec<&Value> = parts.flatten().collect();
    // `{}` takes every object.
    let says_something = ["type", "properties", "required"].iter().any(|keyword| part.contains_key(*keyword));
    (says_something || !parts.is_empty())
        && parts.into_iter().all(|part| part.as_object().is_some_and(|part| names_of_parts(part, names)))
}

/// More forms than this are not written out: a model would not read them, either.
const MOST_COMBINATIONS: usize = 64;

/// `{oneOf: [a, b], allOf: [{oneOf: [c, d]}]}` becomes `{oneOf: [ac, ad, bc, bd]}`, where all of them are plain objects.
fn combine_alternatives(object: &mut Map<String, Value>) {
    let Some(parts) = object.get("allOf").and_then(Value::as_array) else { return };
    let own = ALTERNATIVES.iter().filter_map(|keyword| Some((*keyword, object.get(*keyword)?.as_array()?)));
    let parts = parts.iter().map(|part| match part.as_object()?.iter().collect::<Vec<_>>().as_slice() {
        [(keyword, Value::Array(forms))] if ALTERNATIVES.contains(&keyword.as_str()) => Some((keyword.as_str(), forms)),
        _ => None,
    });
    let Some(all) = parts.chain(own.map(Some)).collect::<Option<Vec<_>>>() else { return };
    let exactly_one = all.iter().all(|(keyword, _)| *keyword == "oneOf");
    let mut combined = vec![json!({"type": "object"})];
    for (_, forms) in all {
        if combined.len().saturating_mul(forms.len()) > MOST_COMBINATIONS {
            return;
        }
        let pairs = combined.iter().flat_map(|so_far| forms.iter().map(move |form| joined(so_far, form)));
        let Some(longer) = pairs.collect::<Option<Vec<_>>>() else { return };
        combined = longer;
    }
    for keyword in ALTERNATIVES.iter().chain(&["allOf"]) {
        object.remove(*keyword);
    }
    let keyword = if exactly_one { "oneOf" } else { "anyOf" };
    object.insert(keyword.to_owned(), Value::Array(combined));
}

/// One plain object of two; nothing where they are none, or name a property differently.
fn joined(one: &Value, other: &Value) -> Option<Value> {
    let properties = one.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let required = one.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut joined = with(other, &properties, &required)?;
    let told = [one, other].into_iter().filter_map(|schema| schema.get("description")?.as_str());
    let told = told.collect::<Vec<_>>().join(" ");
    if !told.is_empty() {
        joined["description"] = Value::String(told);
    }
    Some(joined)
}

/// `{properties, required, oneOf: […]}` becomes `{oneOf: […]}`, each alternative with all the properties.
fn move_into_alternatives(object: &mut Map<String, Value>, whole: bool) {
    let mut present = ALTERNATIVES.iter().filter(|keyword| object.contains_key(**keyword));
    let (Some(keyword), None) = (present.next(), present.next()) else { return };
    if !whole || has_own_rule(object) || SHARED.iter().any(|keyword| object.contains_key(*keyword)) {
        return;
    }
    let Some(properties) = object.get("properties").and_then(Value::as_object).cloned() else { return };
    let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(alternatives) = object.get(*keyword).and_then(Value::as_array) else { return };
    let Some(moved) = alternatives.iter().map(|one| with(one, &properties, &required)).collect::<Option<Vec<_>>>()
    else {
        return;
    };
    object.insert((*keyword).to_owned(), Value::Array(moved));
    object.remove("properties");
    object.remove("required");
}

/// An alternative with the properties of the schema that it stands in; nothing where it cannot take them.
fn with(alternative: &Value, properties: &Map<String, Value>, required: &[Value]) -> Option<Value> {
    let mut alternative = alternative.as_object()?.clone();
    let is_plain = alternative.get("type") == Some(&json!("object"))
        && !has_own_rule(&alternative)
        && !ALTERNATIVES.iter().chain(&SHARED).any(|keyword| alternative.contains_key(*keyword));
    if !is_plain {
        return None;
    }
    let own = alternative.entry("properties").or_insert_with(|| json!({})).as_object_mut()?;
    for (name, property) in properties {
        match own.get(name) {
            Some(other) if other != property => return None,
            _ => own.insert(name.clone(), property.clone()),
        };
    }
    if !required.is_empty() {
        let own = alternative.entry("required").or_insert_with(|| json!([])).as_array_mut()?;
        for name in required {
            if !own.contains(name) {
                own.push(name.clone());
            }
        }
    }
    Some(Value::Object(alternative))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::input_schema;
    use schemars::JsonSchema;
    use serde::Deserialize;
    use std::collections::HashMap;

    fn closed<A: JsonSchema>() -> Value {
        let mut schema = input_schema::<A>();
        close_objects(&mut schema);
        schema
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct Inner {
        a: u32,
        b: Option<String>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct Outer {
        list: Vec<Inner>,
        map: HashMap<String, Inner>,
        pair: (Inner, u8),
        maybe: Option<Inner>,
        free: HashMap<String, Value>,
        numbered: HashMap<u32, Inner>,
        anything: Value,
        next: Option<Box<Outer>>,
    }

    #[test]
    fn every_struct_is_closed_and_no_map() {
        let schema = closed::<Outer>();
        assert_eq!(schema["additionalProperties"], false);
        for pointer in [
            "list/items",
            "map/additionalProperties",
            "pair/prefixItems/0",
            "maybe",
            "numbered/patternProperties/^\\d+$",
        ] {
            let schema = schema.pointer(&format!("/properties/{pointer}")).unwrap();
            assert_eq!(schema["additionalProperties"], false, "{pointer}");
        }
        assert_eq!(schema["properties"]["free"]["additionalProperties"], true);
        assert_eq!(schema["properties"]["anything"], true);
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct FlatStruct {
        x: u32,
        #[serde(flatten)]
        inner: Inner,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct FlatMap {
        x: u32,
        #[serde(flatten)]
        rest: HashMap<String, u32>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    #[allow(dead_code)] // only the schema is looked at
    enum Tagged {
        Circle { radius: f64 },
        Point,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct FlatEnum {
        x: u32,
        #[serde(flatten)]
        shape: Tagged,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code)] // only the schema is looked at
    enum Untagged {
        Named { name: String },
        Text(String),
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct FlatUntagged {
        y: u32,
        #[serde(flatten)]
        which: Untagged,
    }

    #[test]
    fn flattened_structs_are_closed_as_one_and_flattened_maps_stay_open() {
        assert_eq!(closed::<FlatStruct>()["additionalProperties"], false);
        assert_eq!(closed::<FlatMap>()["additionalProperties"]["type"], "integer");
    }

    #[test]
    fn alternatives_are_closed_one_by_one_with_what_stands_beside_them() {
        for branch in closed::<Tagged>()["oneOf"].as_array().unwrap() {
            assert_eq!(branch["additionalProperties"], false);
        }
        let flat = closed::<FlatEnum>();
        assert!(flat.get("properties").is_none() && flat.get("additionalProperties").is_none(), "{flat}");
        for branch in flat["oneOf"].as_array().unwrap() {
            assert_eq!(branch["additionalProperties"], false);
            assert_eq!(branch["properties"]["x"]["type"], "integer");
            assert!(branch["required"].as_array().unwrap().contains(&json!("x")));
        }
        // A text cannot be flattened: this alternative cannot hold `y`, and closing the others alone would be half.
        let around = closed::<FlatUntagged>();
        assert_eq!(around["additionalProperties"], false);
        assert_eq!(
            (&around["properties"]["name"], &around["properties"]["y"]["type"]),
            (&json!(true), &json!("integer"))
        );
        assert!(around["anyOf"][0].get("additionalProperties").is_none(), "{around}");
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "paint")]
    #[allow(dead_code)] // only the schema is looked at
    enum Paint {
        /// Painted.
        Red {
            shade: u32,
        },
        Plain,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    enum Weight {
        Grams(u32),
        Stones(u32),
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct FlatEnums {
        x: u32,
        #[serde(flatten)]
        shape: Tagged,
        #[serde(flatten)]
        paint: Paint,
        #[serde(flatten)]
        weight: Weight,
    }

    #[test]
    fn several_flattened_enums_are_one_of_every_combination() {
        let schema = closed::<FlatEnums>();
        assert!(schema.get("allOf").is_none() && schema.get("properties").is_none(), "{schema}");
        let forms = schema["oneOf"].as_array().unwrap();
        assert_eq!(forms.len(), 8);
        for form in forms {
            assert_eq!(form["additionalProperties"], false);
            let required = form["required"].as_array().unwrap();
            assert!(["x", "kind", "paint"].iter().all(|name| required.contains(&json!(name))), "{form}");
        }
        assert!(forms.iter().any(|form| form["description"] == "Painted." && form["properties"]["Grams"].is_object()));
        // More than a model would read: closed around them, and each left as it is.
        let parts: Vec<Value> = (0..7)
            .map(|at| {
                let form = |name: &str| json!({"type": "object", "properties": {name: true}, "required": [name]});
                json!({"oneOf": [form(&format!("a{at}")), form(&format!("b{at}"))]})
            })
            .collect();
        let mut many = json!({"type": "object", "allOf": parts});
        close_objects(&mut many);
        assert_eq!(many["allOf"], json!(parts));
        assert_eq!(
            (many["properties"].as_object().map(Map::len), &many["additionalProperties"]),
            (Some(14), &json!(false))
        );
    }

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)] // only the schema is looked at
    struct HoldsNothing {
        filter: Nothing,
        maybe: Option<Nothing>,
        free: serde_json::Map<String, Value>,
    }

    #[test]
    fn a_struct_without_fields_is_closed_where_it_is_nested_and_a_free_object_is_not() {
        let schema = closed::<HoldsNothing>();
        for (name, closed) in [("filter", true), ("maybe", true), ("free", false)] {
            assert_eq!(schema["properties"][name]["additionalProperties"], !closed, "{schema}");
        }
    }

    #[test]
    fn what_several_schemas_describe_stays_open() {
        for schema in [
            json!({"properties": {"a": {}}, "allOf": [{"properties": {"b": {}}}]}),
            json!({"properties": {"a": {}}, "$ref": "#/$defs/x"}),
            json!({"properties": {"a": {}}, "patternProperties": {"^x": {}}}),
            json!({"properties": {"a": {}}, "oneOf": [{"type": "object", "properties": {"a": {"type": "null"}}}]}),
            json!({"type": "object", "properties": {"a": {}}, "anyOf": [{"properties": {"b": {}}}, {}]}),
            json!({"type": "object", "properties": {"a": {}}, "allOf": [{"$ref": "#/$defs/x"}]}),
            json!({"type": "object", "minProperties": 1}),
            json!({"default": {"properties": {}}, "enum": [{"properties": {}}]}),
        ] {
            let mut same = schema.clone();
            close_objects(&mut same);
            assert_eq!(same, schema);
        }
    }
}
