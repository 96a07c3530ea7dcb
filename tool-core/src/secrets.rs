//! Which places of a call's arguments are secret.
//!
//! A secret is named by its path, `login.password`. Arguments that are wrong do not stand where the schema has them, so
//! that a path is followed generously: its names have to be met in this order on the way down, in whatever spelling, and
//! what stands between them (the elements of an array, the keys of a map, the levels of a recursive type) is passed.
//! Hiding too much costs a word in a message; hiding too little costs the secret.

use serde_json::Value;

use crate::coordinates::significant;
use crate::subschemas::each_below;

/// The paths of a tool's secrets, made ready for following them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets {
    paths: Vec<Vec<Name>>,
}

#[derive(Clone, Debug)]
struct Name {
    exact: String,
    /// Its letters and digits, in lower case.
    significant: String,
}

/// How far the paths were followed on the way to one place.
#[derive(Clone, Debug)]
pub(crate) struct Followed {
    /// For each path, how many of its names were met: bit `n` stands for the first `n`. More than one bit is set where a
    /// name may also be met further down.
    met: Vec<u64>,
    /// Whether the last key was one of a path's names, so that what stands here ought to hold a secret.
    is_near: bool,
}

impl Followed {
    /// Whether a secret is expected within what stands here, so that it is not shown unless it can be taken apart.
    pub(crate) fn is_near(&self) -> bool {
        self.is_near
    }
}

impl Secrets {
    /// As many names as have a bit; a longer path is cut, which hides more.
    const LONGEST: usize = 63;

    pub(crate) fn new<S: AsRef<str>>(paths: impl IntoIterator<Item = S>) -> Self {
        let name = |name: &str| Name { exact: name.to_owned(), significant: significant(name).collect() };
        let names = |path: S| path.as_ref().split('.').take(Self::LONGEST).map(name).collect();
        Self { paths: paths.into_iter().map(names).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The arguments as a whole.
    pub(crate) fn start(&self) -> Followed {
        Followed { met: vec![1; self.paths.len()], is_near: true }
    }

    /// Goes on to the property `key`; `None` where that is a secret.
    pub(crate) fn enter(&self, from: &Followed, key: &str) -> Option<Followed> {
        let spelt: String = significant(key).collect();
        let mut next = Followed { met: from.met.clone(), is_near: false };
        for (path, met) in self.paths.iter().zip(&mut next.met) {
            let before = *met;
            for at in (0..path.len()).filter(|at| before & (1 << at) != 0) {
                let Some(names) = named(&path[at..], key, &spelt) else { continue };
                if at + names == path.len() {
                    return None;
                }
                *met |= 1 << (at + names);
                next.is_near = true;
            }
        }
        Some(next)
    }

    /// Whether `key` bears the name of a secret, in whatever place.
    pub(crate) fn is_named(&self, key: &str) -> bool {
        let spelt: String = significant(key).collect();
        self.paths
            .iter()
            .filter_map(|path| path.last())
            .any(|last| named(std::slice::from_ref(last), key, &spelt).is_some())
    }

    /// Whether a text speaks of a secret by its name: JSON that cannot be taken apart, perhaps, with the secret in it.
    pub(crate) fn is_mentioned_in(&self, text: &str) -> bool {
        let spelt: String = significant(text).collect();
        let names = self.paths.iter().filter_map(|path| path.last());
        names.into_iter().any(|name| !name.significant.is_empty() && spelt.contains(&name.significant))
    }

    /// Whether there may be a secret in `value`, which stands where `followed` has come to.
    pub(crate) fn may_be_in(&self, followed: &Followed, value: &Value) -> bool {
        let is_whole = value.is_object() || value.is_array() || value.is_null();
        (followed.is_near && !is_whole)
            || self.any_within(followed, value, &mut |_| true)
            || any_text(value, &mut |text| self.is_mentioned_in(text))
    }

    /// Whether `sentence` repeats a secret of `value`, the arguments as a whole, word for word.
    pub(crate) fn is_spilt_by(&self, sentence: &str, value: &Value) -> bool {
        self.any_within(&self.start(), value, &mut |secret| {
            let mut spilt = |text: &str| !text.is_empty() && sentence.contains(text);
            any_text(secret, &mut spilt) || any_other_scalar(secret, &mut |value| spilt(&value.to_string()))
        })
    }

    fn any_within(&self, followed: &Followed, value: &Value, secret: &mut dyn FnMut(&Value) -> bool) -> bool {
        match value {
            Value::Array(elements) => elements.iter().any(|element| self.any_within(followed, element, secret)),
            Value::Object(members) => members.iter().any(|(key, value)| match self.enter(followed, key) {
                Some(followed) => self.any_within(&followed, value, secret),
                None => secret(value),
            }),
            _ => false,
        }
    }
}

/// How many of `names` the key stands for. It may be several at once: a property whose own name has a dot, or
/// `login_password` where a model did without the object.
fn named(names: &[Name], key: &str, spelt: &str) -> Option<usize> {
    if names.first().is_some_and(|name| name.exact == key) {
        return Some(1);
    }
    let mut rest = spelt;
    for (position, name) in names.iter().enumerate() {
        rest = rest.strip_prefix(name.significant.as_str())?;
        if rest.is_empty() {
            return (!spelt.is_empty()).then_some(position + 1);
        }
    }
    None
}

/// Whether `is_one` holds for a key or a string anywhere in a value.
fn any_text(value: &Value, is_one: &mut dyn FnMut(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_one(text),
        Value::Array(elements) => elements.iter().any(|element| any_text(element, is_one)),
        Value::Object(members) => members.iter().any(|(key, value)| is_one(key) || any_text(value, is_one)),
        _ => false,
    }
}

fn any_other_scalar(value: &Value, is_one: &mut dyn FnMut(&Value) -> bool) -> bool {
    match value {
        Value::Null | Value::String(_) => false,
        Value::Bool(_) | Value::Number(_) => is_one(value),
        Value::Array(elements) => elements.iter().any(|element| any_other_scalar(element, is_one)),
        Value::Object(members) => members.values().any(|value| any_other_scalar(value, is_one)),
    }
}

/// Whether a schema has the property that `path` names, word for word. Like a call's arguments it is followed through
/// arrays, maps, alternatives and references.
pub(crate) fn names_a_property(schema: &Value, path: &str) -> bool {
    let mut seen = Vec::new();
    is_in(schema, schema, path, &mut seen)
}

fn is_in<'s>(root: &'s Value, schema: &'s Value, path: &str, seen: &mut Vec<(&'s Value, usize)>) -> bool {
    let Some(object) = schema.as_object() else { return false };
    if seen.iter().any(|(known, left)| std::ptr::eq(*known, schema) && *left == path.len()) {
        return false;
    }
    seen.push((schema, path.len()));
    if referred(root, schema).is_some_and(|target| is_in(root, target, path, seen)) {
        return true;
    }
    let mut found = false;
    each_below(object, &mut |place, below| match place {
        _ if found => {}
        ("properties", Some(name)) => {
            found = path.strip_prefix(name).is_some_and(|rest| match rest.strip_prefix('.') {
                Some(rest) => is_in(root, below, rest, seen),
                None => rest.is_empty(),
            });
        }
        // What no value stands under.
        ("$defs" | "definitions" | "not" | "propertyNames" | "contentSchema", _) => {}
        _ => found = is_in(root, below, path, seen),
    });
    found
}

/// What a schema refers to within its document.
pub(crate) fn referred<'s>(root: &'s Value, schema: &Value) -> Option<&'s Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn is_secret(secrets: &Secrets, keys: &[&str]) -> bool {
        let mut followed = secrets.start();
        for key in keys {
            match secrets.enter(&followed, key) {
                Some(next) => followed = next,
                None => return true,
            }
        }
        false
    }

    #[test]
    fn a_path_is_met_in_any_spelling_and_through_whatever_stands_between() {
        let secrets = Secrets::new(["login.password", "pin", "a.b.c", "$"]);
        for keys in [
            &["login", "password"][..],
            &["Login", "pass-word", "deeper"],
            &["login", "alice", "password"],
            &["login.password"],
            &["loginPassword"],
            &["accounts", "PIN"],
            &["a", "b", "bc"],
            &["a", "b.c"],
            &["$"],
        ] {
            assert!(is_secret(&secrets, keys), "{keys:?}");
        }
        for keys in
            [&["password"][..], &["login", "user"], &["password", "login"], &["pins"], &["a", "c"], &["€"], &[""]]
        {
            assert!(!is_secret(&secrets, keys), "{keys:?}");
        }
        assert!(secrets.is_named("Password") && !secrets.is_named("login"));
        assert!(secrets.is_mentioned_in(r#"{\"pass_word\": "x"#) && !secrets.is_mentioned_in("log in"));
    }

    #[test]
    fn a_path_names_a_property_of_the_schema_or_none() {
        let schema = json!({
            "properties": {
                "login": {"anyOf": [{"properties": {"password": {}}}, {"type": "null"}]},
                "items": {"type": "array", "items": {"properties": {"pin": {}}}},
                "accounts": {"additionalProperties": {"properties": {"pin": {}}}},
                "tree": {"$ref": "#/$defs/Node"},
                "dotted.name": {"properties": {"x": {}}},
            },
            "$defs": {"Node": {"properties": {"key": {}, "children": {"items": {"$ref": "#/$defs/Node"}}}}},
            "not": {"properties": {"never": {}}},
        });
        for path in [
            "login",
            "login.password",
            "items.pin",
            "accounts.pin",
            "tree.key",
            "tree.children.children.key",
            "dotted.name.x",
        ] {
            assert!(names_a_property(&schema, path), "{path}");
        }
        for path in
            ["", "password", "login.passwort", "Login", "items.0.pin", "key", "never", "tree.children.x", "login."]
        {
            assert!(!names_a_property(&schema, path), "{path}");
        }
    }
}
