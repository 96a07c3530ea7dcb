//! Defaults and examples that the tool itself would refuse.

use serde_json::{Map, Value, json};

use crate::args::ArgumentParser;
use crate::behaviour::ArgumentMode;
use crate::call::ToolArguments;

/// What is wrong with the default and the examples that stand in a schema, beside what they are for: a text for each.
/// `root` is the whole schema, to which references lead.
pub(super) fn refused(schema: &Map<String, Value>, root: &Value) -> Vec<String> {
    let stated = stated(schema);
    if stated.is_empty() {
        return Vec::new();
    }
    // What is not enforced refuses nothing.
    let schema = Value::Object(schema.clone());
    let Ok(parser) = ArgumentParser::of_value(VALUE, &schema, root) else { return Vec::new() };
    let parser = parser.with_mode(ArgumentMode::Strict);
    stated
        .into_iter()
        .filter_map(|(what, value)| {
            let arguments = ToolArguments::from(json!({ VALUE: value }));
            let error = parser.parse::<Value>(&arguments).err()?.to_string();
            let reason = error.strip_prefix(&format!("Invalid arguments: `{VALUE}`: ")).unwrap_or(&error);
            Some(format!("the {what} is refused by the tool itself: {reason}; mend one of the two"))
        })
        .collect()
}

/// The property by which a value by itself becomes arguments.
const VALUE: &str = "value";

/// `null` as a default says that it may be left out.
fn stated(schema: &Map<String, Value>) -> Vec<(&'static str, &Value)> {
    let default = schema.get("default").filter(|value| !value.is_null()).map(|value| ("default", value));
    let examples = schema.get("examples").and_then(Value::as_array).into_iter().flatten();
    default.into_iter().chain(examples.map(|value| ("example", value))).collect()
}
