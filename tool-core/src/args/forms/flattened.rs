//! Flattened enums that share a property with the object that they are flattened into.
//!
//! That such an enum denies what stands beside it cannot be seen: the generator takes that out of its forms.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Why one of the forms that are flattened into this object never gets what it is sent.
pub(super) fn never_read(object: &Map<String, Value>) -> Option<String> {
    if object.get("type").is_none_or(|kind| kind != "object") {
        return None;
    }
    let own = names(object);
    let name = parts(object).into_iter().flatten().flat_map(names).find(|name| own.contains(name))?;
    Some(format!(
        "`{name}` is a property of this object and of a form that is flattened into it: the decoder takes it for the \
         object's own, and the form never gets it; rename one of them, or give the enum a property of its own, without \
         `#[serde(flatten)]`",
    ))
}

/// The forms of each enum that is flattened into an object. A schema by hand that narrows the object's own properties gives
/// its forms no type.
fn parts(object: &Map<String, Value>) -> Vec<Vec<&Map<String, Value>>> {
    let several = object.get("allOf").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    [object]
        .into_iter()
        .chain(several)
        .filter_map(|part| ["anyOf", "oneOf"].iter().find_map(|keyword| part.get(*keyword)?.as_array()))
        .map(|forms| {
            let forms = forms.iter().filter_map(Value::as_object);
            forms.filter(|form| form.get("type").is_some_and(|kind| kind == "object")).collect()
        })
        .collect()
}

fn names(object: &Map<String, Value>) -> BTreeSet<&str> {
    object.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).map(String::as_str).collect()
}
