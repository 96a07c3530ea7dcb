//! Arguments as logs and listings may show them.

use serde_json::{Map, Value};
use std::ptr;

use crate::call::{Repr, ToolArguments};
use crate::descriptor::ToolDescriptor;
use crate::secrets::{Followed, Secrets, referred};

/// What stands in the place of a secret.
const REDACTED: &str = "[redacted]";
/// Deeper than the argument boundary reads; what lies below is not shown.
const DEEPEST: usize = 128;

/// A call's arguments as JSON for a log or a listing: every value at the path of a secret is `"[redacted]"`, whatever its
/// shape. The paths are those of [`Tool::SECRETS`](crate::Tool::SECRETS); [`RawTool::secrets`](crate::RawTool::secrets)
/// has them of an erased tool. Where the tool's descriptor is at hand, [`ToolDescriptor::redact`] knows more.
///
/// Arguments are often shown because they were refused, so that nothing is taken for granted of them. A path is met in any
/// spelling of its names (`Pass-Word`), through arrays, maps and whatever else a model put in between; a key that bears
/// the last name of a path is redacted wherever it stands. A string that holds the text of an object or array is taken
/// apart. Where a secret is expected within a value that cannot be, the value is redacted as a whole. What is no JSON is
/// shown as `"[unreadable arguments: N bytes]"`.
///
/// ```
/// # use tool_core::{ToolArguments, redact};
/// # use serde_json::json;
/// let arguments = ToolArguments::from(r#"{"user": "ada", "login": {"password": "hunter2"}}"#);
/// assert_eq!(redact(&arguments, &["login.password"]), json!({"user": "ada", "login": {"password": "[redacted]"}}));
/// ```
pub fn redact<S: AsRef<str>>(arguments: &ToolArguments, secrets: &[S]) -> Value {
    Redaction { secrets: Secrets::new(secrets), schema: None }.arguments(arguments)
}

impl ToolDescriptor {
    /// [`redact`], with the tool's own secrets and schema. A key that the schema does not know, beside those that it does,
    /// is redacted as well in a tool that has secrets: it may be the misspelt name of one.
    ///
    /// ```
    /// # use tool_core::{ToolArguments, ToolDescriptor};
    /// # use serde_json::json;
    /// let schema = json!({"type": "object", "properties": {"user": {"type": "string"}, "pin": {"type": "string"}}});
    /// let login = ToolDescriptor::new("bank", "login", "Logs in.", schema, None).with_secrets(["pin"]);
    /// let shown = login.redact(&ToolArguments::from(r#"{"user": "ada", "pim": "4711"}"#));
    /// assert_eq!(shown, json!({"user": "ada", "pim": "[redacted]"}));
    /// ```
    pub fn redact(&self, arguments: &ToolArguments) -> Value {
        let secrets = Secrets::new(self.secrets());
        Redaction { secrets, schema: Some(self.input_schema()) }.arguments(arguments)
    }
}

struct Redaction<'s> {
    secrets: Secrets,
    schema: Option<&'s Value>,
}

/// One place of the arguments.
struct Place<'s> {
    followed: Followed,
    /// All schemas that say something of what stands here.
    schemas: Vec<&'s Value>,
    depth: usize,
}

/// What the schemas of an object say of a key.
enum Key<'s> {
    Known(Vec<&'s Value>),
    /// Any key may stand here.
    Open(Vec<&'s Value>),
    Refused,
}

impl<'s> Redaction<'s> {
    fn arguments(&self, arguments: &ToolArguments) -> Value {
        match &arguments.repr {
            Repr::NotUtf8(bytes) => unreadable(bytes.len()),
            Repr::Value(value) => self.whole(value),
            Repr::Text(text) if text.trim().is_empty() => Value::Object(Map::new()),
            Repr::Text(text) => match serde_json::from_str(text) {
                Ok(value) => self.whole(&value),
                Err(_) => unreadable(text.len()),
            },
        }
    }

    fn whole(&self, value: &Value) -> Value {
        let schemas = self.schema.map(|schema| self.with_parts([schema])).unwrap_or_default();
        self.value(value, &Place { followed: self.secrets.start(), schemas, depth: 0 })
    }

    fn value(&self, value: &Value, place: &Place<'s>) -> Value {
        if place.depth > DEEPEST {
            return REDACTED.into();
        }
        match value {
            Value::Null => Value::Null,
            Value::Bool(_) | Value::Number(_) => {
                if self.expects_a_secret(place) {
                    REDACTED.into()
                } else {
                    value.clone()
                }
            }
            Value::String(text) => self.string(text, place),
            Value::Array(elements) => {
                let place = self.element(place);
                elements.iter().map(|element| self.value(element, &place)).collect()
            }
            Value::Object(members) => {
                let members = members.iter().map(|(key, value)| (key.clone(), self.member(key, value, place)));
                Value::Object(members.collect())
            }
        }
    }

    fn expects_a_secret(&self, place: &Place<'s>) -> bool {
        !self.secrets.is_empty() && place.followed.is_near()
    }

    /// A string, or what it is the text of.
    fn string(&self, text: &str, place: &Place<'s>) -> Value {
        if self.secrets.is_empty() {
            return text.into();
        }
        let is_json = text.trim_start().starts_with(['{', '[', '"']);
        match is_json.then(|| serde_json::from_str::<Value>(text)) {
            Some(Ok(held)) => {
                let inner =
                    Place { followed: place.followed.clone(), schemas: place.schemas.clone(), depth: place.depth + 1 };
                let shown = self.value(&held, &inner);
                if shown == held && !self.expects_a_secret(place) { text.into() } else { shown }
            }
            _ if self.expects_a_secret(place) => REDACTED.into(),
            Some(Err(_)) if self.secrets.is_mentioned_in(text) => REDACTED.into(),
            _ => text.into(),
        }
    }

    fn member(&self, key: &str, value: &Value, place: &Place<'s>) -> Value {
        let Some(followed) = self.secrets.enter(&place.followed, key) else { return REDACTED.into() };
        let schemas = match self.key(key, place) {
            Key::Open(_) if self.secrets.is_named(key) => return REDACTED.into(),
            Key::Refused if !self.secrets.is_empty() => return REDACTED.into(),
            Key::Known(schemas) | Key::Open(schemas) => schemas,
            Key::Refused => Vec::new(),
        };
        self.value(value, &Place { followed, schemas, depth: place.depth + 1 })
    }

    fn element(&self, place: &Place<'s>) -> Place<'s> {
        // Without a schema of its own, an element is read as what encloses it: a model puts an object into an array.
        let mut schemas = self.items(place);
        if schemas.is_empty() {
            schemas.clone_from(&place.schemas);
        }
        Place { followed: place.followed.clone(), schemas, depth: place.depth + 1 }
    }

    fn items(&self, place: &Place<'s>) -> Vec<&'s Value> {
        self.with_parts(place.schemas.iter().flat_map(|schema| {
            let listed = |keyword: &str| schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
            schema.get("items").into_iter().chain(listed("prefixItems")).chain(listed("items"))
        }))
    }

    fn key(&self, key: &str, place: &Place<'s>) -> Key<'s> {
        // An object may have been meant as the one element of an array.
        let schemas: Vec<&Value> = place.schemas.iter().copied().chain(self.items(place)).collect();
        let declared = schemas.iter().filter_map(|schema| schema.get("properties")?.get(key));
        let declared = self.with_parts(declared);
        if !declared.is_empty() {
            return Key::Known(declared);
        }
        let patterns = schemas.iter().filter_map(|schema| schema.get("patternProperties")?.as_object());
        let others = schemas.iter().filter_map(|schema| schema.get("additionalProperties"));
        let others = patterns.flat_map(Map::values).chain(others).filter(|schema| **schema != Value::Bool(false));
        let others = self.with_parts(others);
        let names =
            |schema: &&Value| schema.get("properties").is_some() || schema.get("additionalProperties").is_some();
        if others.is_empty() && schemas.iter().any(names) { Key::Refused } else { Key::Open(others) }
    }

    /// The schemas, and those which they are made up of.
    fn with_parts(&self, schemas: impl IntoIterator<Item = &'s Value>) -> Vec<&'s Value> {
        let mut open: Vec<&Value> = schemas.into_iter().collect();
        let mut all: Vec<&Value> = Vec::new();
        while let Some(schema) = open.pop() {
            if all.iter().any(|known| ptr::eq(*known, schema)) {
                continue;
            }
            all.push(schema);
            open.extend(self.schema.and_then(|root| referred(root, schema)));
            for keyword in ["allOf", "anyOf", "oneOf"] {
                open.extend(schema.get(keyword).and_then(Value::as_array).into_iter().flatten());
            }
            open.extend(["then", "else"].iter().filter_map(|keyword| schema.get(keyword)));
        }
        all
    }
}

fn unreadable(bytes: usize) -> Value {
    format!("[unreadable arguments: {bytes} bytes]").into()
}
