//! Texts of arguments: what fits a schema, with the mistakes that models make.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value};
use std::fmt::Write;

/// How deep a text follows a schema.
const DEEPEST: usize = 24;

/// The text of a value that nearly fits `schema`.
pub fn near(schema: &Value, bytes: &mut Unstructured<'_>) -> Result<String> {
    let mut writer = Writer { document: schema, bytes, text: String::new() };
    writer.value(schema, 0)?;
    Ok(writer.text)
}

struct Writer<'s, 'u, 'b> {
    document: &'s Value,
    bytes: &'u mut Unstructured<'b>,
    text: String,
}

impl Writer<'_, '_, '_> {
    /// One time in `of`; never once the bytes have run out, so that texts end well.
    fn now_and_then(&mut self, of: u8) -> Result<bool> {
        Ok(!self.bytes.is_empty() && self.bytes.ratio(1, of)?)
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Result<()> {
        if self.now_and_then(24)? {
            return self.mistake(schema, depth);
        }
        if self.now_and_then(16)? {
            self.text.push_str(self.bytes.choose(&[" ", "\n\t", "\r\n"])?);
        }
        let Some(object) = schema.as_object().filter(|_| depth < DEEPEST) else { return self.scalar() };
        if let Some(target) = object.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#')) {
            return match self.document.pointer(target) {
                Some(target) => self.value(target, depth + 1),
                None => self.scalar(),
            };
        }
        for keyword in ["const", "default", "enum", "oneOf", "anyOf", "allOf"] {
            let Some(value) = object.get(keyword) else { continue };
            match (keyword, value) {
                ("const", value) => return self.literal(value),
                ("default", value) if self.now_and_then(3)? => return self.literal(value),
                ("enum", Value::Array(values)) if !values.is_empty() => {
                    let value = self.bytes.choose(values)?;
                    return self.literal(value);
                }
                ("oneOf" | "anyOf", Value::Array(branches)) if !branches.is_empty() => {
                    let branch = with_siblings(object, self.bytes.choose(branches)?);
                    return self.value(&branch, depth + 1);
                }
                ("allOf", Value::Array(branches)) if !branches.is_empty() => {
                    let all = branches.iter().fold(Value::Object(object.clone()), |all, branch| {
                        all.as_object().map_or(Value::Null, |all| with_siblings(all, branch))
                    });
                    return self.value(&all, depth + 1);
                }
                _ => {}
            }
        }
        let kind = match object.get("type") {
            Some(Value::Array(kinds)) if !kinds.is_empty() => self.bytes.choose(kinds)?.as_str(),
            Some(kind) => kind.as_str(),
            None if object.contains_key("properties") => Some("object"),
            None if object.contains_key("items") => Some("array"),
            None => None,
        };
        match kind {
            Some("object") => self.object(object, depth),
            Some("array") => self.array(object, depth),
            Some("string") => self.string(),
            Some("integer" | "number") => self.number(object),
            Some("boolean") => self.any_of(&["true", "false"]),
            Some("null") => self.any_of(&["null"]),
            _ => self.scalar(),
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Result<()> {
        let required = |name: &str| {
            let names = schema.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|known| known == name))
        };
        self.text.push('{');
        let mut first = true;
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let is_given = if required(name) { !self.now_and_then(32)? } else { self.now_and_then(2)? };
            let times = if is_given { 1 + usize::from(self.now_and_then(48)?) } else { 0 };
            for _ in 0..times {
                self.key(name, &mut first)?;
                self.value(property, depth + 1)?;
            }
        }
        let others = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => usize::from(self.now_and_then(32)?),
            _ => self.bytes.int_in_range(0..=3)? % if self.bytes.is_empty() { 1 } else { 4 },
        };
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let each = patterns.and_then(|patterns| patterns.values().next()).or(schema.get("additionalProperties"));
        for _ in 0..others {
            let name = *self.bytes.choose(&["a", "b", "1", "22", "own", "naem", "Kind", "", "é", "a.b", "x_y"])?;
            self.key(name, &mut first)?;
            match each {
                Some(each) => self.value(each, depth + 1)?,
                None => self.scalar()?,
            }
        }
        self.text.push('}');
        Ok(())
    }

    fn key(&mut self, name: &str, first: &mut bool) -> Result<()> {
        if !std::mem::replace(first, false) {
            self.text.push(',');
        }
        if self.now_and_then(24)? {
            // The same key, written otherwise.
            self.text.push('"');
            for unit in name.encode_utf16() {
                let _ = write!(self.text, "\\u{unit:04x}");
            }
            self.text.push('"');
        } else if self.now_and_then(48)? {
            self.text.push_str(&Value::from(name.to_uppercase()).to_string());
        } else {
            self.text.push_str(&Value::from(name).to_string());
        }
        self.text.push(':');
        Ok(())
    }

    fn array(&mut self, schema: &Map<String, Value>, depth: usize) -> Result<()> {
        let prefix = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(4);
        let more = if self.bytes.is_empty() { 0 } else { self.bytes.int_in_range(0..=3)? };
        let count = prefix.len().max(usize::try_from(least).unwrap_or(0)) + more;
        self.text.push('[');
        for at in 0..count.saturating_sub(usize::from(self.now_and_then(12)?)) {
            if at > 0 {
                self.text.push(',');
            }
            match prefix.get(at).or(schema.get("items")) {
                Some(items) => self.value(items, depth + 1)?,
                None => self.scalar()?,
            }
        }
        self.text.push(']');
        Ok(())
    }

    fn string(&mut self) -> Result<()> {
        self.any_of(&[
            r#""""#,
            r#""a""#,
            r#""abc""#,
            r#""A b""#,
            r#""éß""#,
            r#""\u00e9\n""#,
            r#""\ud83d\ude00""#,
            r#""small""#,
            r#""LARGE""#,
            r#""null""#,
            r#""3""#,
            r#""[]""#,
            r#""2024-01-31""#,
        ])
    }

    fn number(&mut self, schema: &Map<String, Value>) -> Result<()> {
        for keyword in ["minimum", "maximum", "exclusiveMinimum", "multipleOf"] {
            if let Some(bound) = schema.get(keyword).filter(|_| !self.bytes.is_empty())
                && self.bytes.ratio(1, 4)?
            {
                return self.literal(bound);
            }
        }
        self.any_of(&["1", "2", "5", "0", "10", "-1", "255", "256", "3.0", "1e2", "0.5", "-0", "-0.0", "1e-2", "0.25"])
    }

    fn scalar(&mut self) -> Result<()> {
        self.any_of(&["1", "null", "true", "\"a\"", "{}", "[]", "0.5", "[1]", "{\"a\":1}"])
    }

    fn any_of(&mut self, texts: &[&str]) -> Result<()> {
        let text = if self.bytes.is_empty() { texts.first() } else { Some(self.bytes.choose(texts)?) };
        self.text.push_str(text.copied().unwrap_or_default());
        Ok(())
    }

    fn literal(&mut self, value: &Value) -> Result<()> {
        let text = value.to_string();
        if value.is_string() && self.now_and_then(16)? {
            self.text.push_str(&text.to_uppercase());
        } else {
            self.text.push_str(&text);
        }
        Ok(())
    }

    /// Something that a model might write in this place.
    fn mistake(&mut self, schema: &Value, depth: usize) -> Result<()> {
        let start = self.text.len();
        match self.bytes.int_in_range(0..=11)? {
            0 => self.text.push_str("null"),
            // As the text of its text, once or twice.
            kind @ 1..=4 => {
                self.value(schema, depth + 1)?;
                let mut inner = self.text.split_off(start);
                for _ in 0..=usize::from(kind == 1) {
                    inner = Value::from(inner).to_string();
                }
                self.text.push_str(&inner);
            }
            5 => self.text.push_str(&"[".repeat(self.bytes.int_in_range(1..=140)?)),
            6 => {
                let depth = self.bytes.int_in_range(1..=140)?;
                self.text.push_str(&"[".repeat(depth));
                self.text.push_str(&"]".repeat(depth));
            }
            7 => {
                let text: String = self.bytes.arbitrary()?;
                self.text.push_str(&Value::from(text).to_string());
            }
            8 => {
                let number: f64 = self.bytes.arbitrary()?;
                self.text.push_str(&Value::from(number).to_string());
            }
            9 => {
                let number: i64 = self.bytes.arbitrary()?;
                self.text.push_str(&number.to_string());
                self.text.push_str(self.bytes.choose(&["", ".0", "e0", "e-3", "000000000000000000000", "e400"])?);
            }
            10 => {
                let text: String = self.bytes.arbitrary()?;
                self.text.push_str(&text);
            }
            _ => {
                self.value(schema, depth + 1)?;
                self.text.push_str(self.bytes.choose(&[",", "]", "}", " x", ":1"])?);
            }
        }
        Ok(())
    }
}

/// A branch with what stands beside it, its properties and its required names joined.
fn with_siblings(base: &Map<String, Value>, branch: &Value) -> Value {
    let Some(branch) = branch.as_object() else { return branch.clone() };
    let mut both = base.clone();
    both.retain(|keyword, _| !["oneOf", "anyOf", "allOf", "$defs"].contains(&keyword.as_str()));
    for (keyword, value) in branch {
        match (both.get_mut(keyword), value) {
            (Some(Value::Object(ours)), Value::Object(theirs)) => {
                ours.extend(theirs.iter().map(|(name, value)| (name.clone(), value.clone())));
            }
            (Some(Value::Array(ours)), Value::Array(theirs)) => ours.extend(theirs.iter().cloned()),
            _ => drop(both.insert(keyword.clone(), value.clone())),
        }
    }
    Value::Object(both)
}
