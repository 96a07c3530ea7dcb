//! The parameters of a function under `#[tool]`, and the attributes on them.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, FnArg, Meta, Pat, PatType, RangeLimits, Signature, Type};

use crate::attributes::{Entry, Slot, Value, entries};
use crate::diagnostics::Errors;
use crate::docs::{self, Text};
use crate::names;
use crate::types;

/// One parameter of the function.
pub(crate) struct Parameter {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) role: Role,
    /// Its `#[cfg]`s, which everything that is generated for it carries too.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) doc: Text,
}

/// Who gives a parameter its value.
pub(crate) enum Role {
    /// The model, as one property.
    Argument(Box<ArgumentOptions>),
    /// The model, as the whole object.
    Arguments,
    /// The tool, from its own state.
    State,
    /// The runtime.
    Context,
}

/// What `#[arg(…)]` says, and `#[serde(…)]` and `#[schemars(…)]` where they say the same.
pub(crate) struct ArgumentOptions {
    pub(crate) default: Slot<DefaultValue>,
    pub(crate) rename: Slot<Expr>,
    pub(crate) description: Slot<Text>,
    pub(crate) not_runtime: Slot<()>,
    pub(crate) range: Slot<Bounds>,
    pub(crate) length: Slot<Bounds>,
    pub(crate) pattern: Slot<Expr>,
    pub(crate) example: Slot<Expr>,
    pub(crate) deprecated: Slot<bool>,
    pub(crate) secret: Slot<bool>,
}

/// `default` or `default = EXPR`.
pub(crate) enum DefaultValue {
    OfType,
    Value(Expr),
    /// `#[serde(default = "path")]`.
    Function(syn::Path),
}

/// Bounds of a value or of a length, both inclusive but for an exclusive end.
pub(crate) struct Bounds {
    pub(crate) start: Option<Expr>,
    pub(crate) end: Option<Expr>,
    pub(crate) end_is_exclusive: bool,
}

const KEYS: [&str; 10] = [
    "default",
    "rename",
    "range",
    "length",
    "pattern",
    "example",
    "description",
    "deprecated",
    "secret",
    "not_runtime",
];
const OURS: [&str; 6] = ["arg", "args", "state", "context", "serde", "schemars"];

/// Reads the parameters, and takes the attributes that are ours out of the signature.
pub(crate) fn parameters(signature: &mut Signature, errors: &mut Errors) -> Vec<Parameter> {
    let typed = signature.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Receiver(_) => None,
        FnArg::Typed(typed) => Some(typed),
    });
    typed.filter_map(|typed| parameter(typed, errors)).collect()
}

fn parameter(typed: &mut PatType, errors: &mut Errors) -> Option<Parameter> {
    let doc = docs::doc_comment(&typed.attrs);
    let role = role(&typed.attrs, errors);
    // A misspelt marker would be reported a second time, as an attribute that nobody knows.
    let misspelt: Vec<bool> = typed.attrs.iter().map(|attribute| is_misspelt(attribute, errors)).collect();
    let mut misspelt = misspelt.into_iter();
    typed.attrs.retain(|attribute| {
        !misspelt.next().unwrap_or_default() && !is_ours(attribute) && !docs::is_doc_comment(attribute)
    });
    let name = match &*typed.pat {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => pattern.ident.clone(),
        pattern => {
            errors.at_tokens(
                pattern,
                "a tool's parameter needs a name, which is its name in the JSON: write `name: Type` and take the value \
                 apart in the body",
            );
            return None;
        }
    };
    let cfgs = typed.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect();
    Some(Parameter { name, ty: types::repeated((*typed.ty).clone()), role, cfgs, doc })
}

fn is_ours(attribute: &Attribute) -> bool {
    OURS.iter().any(|name| attribute.path().is_ident(name))
}

/// Reports an attribute that is nearly one of ours, and `cfg_attr`, whose content nobody has looked at yet.
fn is_misspelt(attribute: &Attribute, errors: &mut Errors) -> bool {
    let Some(name) = attribute.path().get_ident().map(ToString::to_string) else { return false };
    if name == "cfg_attr" {
        errors.at_tokens(
            attribute,
            "`cfg_attr` does not reach a parameter of a tool: write a parameter for each case, under `cfg`",
        );
        return true;
    }
    let known = ["allow", "expect", "warn", "deny", "forbid", "cfg", "doc"].contains(&name.as_str());
    if known || is_ours(attribute) {
        return false;
    }
    let nearest = names::nearest(&name, &OURS);
    if let Some(nearest) = nearest {
        errors.at_tokens(
            attribute,
            format!("there is no attribute `{name}` for a parameter; did you mean `#[{nearest}]`?"),
        );
    }
    nearest.is_some()
}

fn role(attributes: &[Attribute], errors: &mut Errors) -> Role {
    let mut role: Option<Role> = None;
    let mut options = ArgumentOptions::none();
    let mut other: Option<&Attribute> = None;
    for attribute in attributes.iter().filter(|attribute| is_ours(attribute)) {
        let name = attribute.path().require_ident().map(ToString::to_string).unwrap_or_default();
        let marker = match name.as_str() {
            "arg" => Some(Role::Argument(Box::new(ArgumentOptions::none()))),
            "args" => Some(Role::Arguments),
            "state" => Some(Role::State),
            "context" => Some(Role::Context),
            _ => None,
        };
        if matches!(name.as_str(), "args" | "state" | "context") && !matches!(attribute.meta, Meta::Path(_)) {
            errors.at(attribute.meta.span(), format!("`#[{name}]` takes nothing: write it alone"));
        }
        match name.as_str() {
            "arg" => options.read_arg(attribute, errors),
            "serde" => options.read_serde(attribute, errors),
            "schemars" => options.read_schemars(attribute, errors),
            _ => {}
        }
        if marker.is_none() {
            other = other.or(Some(attribute));
        } else if let Some(beside) = &role {
            if let Some(key) = options.secret.span()
                && let Some(advice) = misplaced_secret([beside, &marker.unwrap_or(Role::Arguments)])
            {
                errors.at(key, advice);
                continue;
            }
            errors.at_tokens(
                attribute,
                "a parameter bears one of `#[arg]`, `#[args]`, `#[state]` and `#[context]`, and that once",
            );
        } else {
            role = marker;
        }
    }
    match role {
        None | Some(Role::Argument(_)) => Role::Argument(Box::new(options)),
        Some(role) => {
            if let Some(attribute) = other {
                let name = attribute.path().to_token_stream();
                errors.at_tokens(attribute, format!("`#[{name}]` describes an argument, and this is none: remove it"));
            }
            role
        }
    }
}

/// What to write in place of `secret` on a parameter that is no argument by itself.
fn misplaced_secret(roles: [&Role; 2]) -> Option<&'static str> {
    let ([Role::Argument(_), other] | [other, Role::Argument(_)]) = roles else { return None };
    match other {
        Role::Argument(_) => None,
        Role::Arguments => Some(
            "`#[args]` is a whole type: name the properties of it that are secret on the function, \
             `#[tool(secrets(\"login.password\"))]`",
        ),
        Role::State | Role::Context => {
            Some("`secret` is for what a model writes, and this is none of it: leave it out")
        }
    }
}

impl ArgumentOptions {
    fn none() -> Self {
        Self {
            default: Slot::new("default"),
            rename: Slot::new("rename"),
            description: Slot::new("description"),
            not_runtime: Slot::new("not_runtime"),
            range: Slot::new("range"),
            length: Slot::new("length"),
            pattern: Slot::new("pattern"),
            example: Slot::new("example"),
            deprecated: Slot::new("deprecated"),
            secret: Slot::new("secret"),
        }
    }

    /// `#[arg(…)]`.
    fn read_arg(&mut self, attribute: &Attribute, errors: &mut Errors) {
        let Meta::List(list) = &attribute.meta else {
            errors.at_tokens(attribute, format!("`#[arg]` says nothing; it takes {}", names::list(&KEYS)));
            return;
        };
        if list.tokens.is_empty() {
            errors.at_tokens(attribute, format!("`#[arg]` says nothing; it takes {}", names::list(&KEYS)));
        }
        for entry in entries(list.tokens.clone(), errors) {
            let key = entry.key.span();
            match entry.key.to_string().as_str() {
                "default" => self.take_default(&entry, errors),
                "rename" => {
                    if let Some(name) = entry.required(r#"rename = "orderId""#, errors) {
                        self.rename.set(key, name.clone(), errors);
                    }
                }
                "description" => {
                    if let Some(text) = entry.required(r#"description = "The order's number.""#, errors) {
                        self.description.set(key, Text::of(text), errors);
                    }
                }
                "range" => self.range.set_some(key, bounds(&entry, "range(1..=100)", errors), errors),
                "length" => self.length.set_some(key, bounds(&entry, "length(1..=80)", errors), errors),
                "pattern" => {
                    if let Some(pattern) = entry.required(r#"pattern = "^#W[0-9]+$""#, errors) {
                        self.pattern.set(key, pattern.clone(), errors);
                    }
                }
                "example" => {
                    if let Some(example) = entry.required(r##"example = "#W6743211""##, errors) {
                        self.example.set(key, example.clone(), errors);
                    }
                }
                "deprecated" => self.deprecated.set_some(key, entry.flag(errors), errors),
                "secret" => self.secret.set_some(key, entry.flag(errors), errors),
                "not_runtime" => {
                    entry.alone(errors);
                    self.not_runtime.set(key, (), errors);
                }
                _ => entry.unknown("#[arg]", &KEYS, errors),
            }
        }
    }

    fn take_default(&mut self, entry: &Entry, errors: &mut Errors) {
        let value = match &entry.value {
            Value::Absent => DefaultValue::OfType,
            Value::Is(value) => DefaultValue::Value(value.clone()),
            Value::Of(_) => {
                entry.required("default = 10", errors);
                return;
            }
        };
        self.default.set(entry.key.span(), value, errors);
    }

    /// `#[serde(…)]`: the keys that mean the same for a parameter. There is no derive behind them.
    fn read_serde(&mut self, attribute: &Attribute, errors: &mut Errors) {
        for entry in listed(attribute, errors) {
            let key = entry.key.span();
            match (entry.key.to_string().as_str(), &entry.value) {
                ("default", Value::Absent) => self.default.set(key, DefaultValue::OfType, errors),
                ("default", _) => {
                    if let Some((path, span)) = entry.text(r#"default = "path::to::function""#, errors) {
                        match syn::parse_str(&path) {
                            Ok(path) => self.default.set(key, DefaultValue::Function(path), errors),
                            Err(_) => errors.at(span, "`default` names a function: `default = \"path::to::function\"`"),
                        }
                    }
                }
                ("rename", _) => {
                    if let Some(name) = entry.required(r#"rename = "orderId""#, errors) {
                        self.rename.set(key, name.clone(), errors);
                    }
                }
                (name, _) => errors.at(key, foreign_key("serde", name)),
            }
        }
    }

    /// `#[schemars(…)]`: the keys that mean the same for a parameter. There is no derive behind them.
    fn read_schemars(&mut self, attribute: &Attribute, errors: &mut Errors) {
        for entry in listed(attribute, errors) {
            let key = entry.key.span();
            match entry.key.to_string().as_str() {
                "range" => self.range.set_some(key, minimum_and_maximum(&entry, errors), errors),
                "length" => self.length.set_some(key, minimum_and_maximum(&entry, errors), errors),
                "regex" => {
                    let group = entry.list(r#"regex(pattern = "^[a-z]+$")"#, errors).cloned();
                    for inner in group.iter().flat_map(|group| entries(group.stream(), errors)).collect::<Vec<_>>() {
                        if inner.key == "pattern" {
                            if let Some(pattern) = inner.required(r#"pattern = "^[a-z]+$""#, errors) {
                                self.pattern.set(key, pattern.clone(), errors);
                            }
                        } else {
                            inner.unknown("regex", &["pattern"], errors);
                        }
                    }
                }
                "example" => {
                    if let Some(example) = entry.required(r#"example = "a""#, errors) {
                        self.example.set(key, example.clone(), errors);
                    }
                }
                "description" => {
                    if let Some(text) = entry.required(r#"description = "The order's number.""#, errors) {
                        self.description.set(key, Text::of(text), errors);
                    }
                }
                name => errors.at(key, foreign_key("schemars", name)),
            }
        }
    }
}

impl<T> Slot<T> {
    fn set_some(&mut self, key: proc_macro2::Span, value: Option<T>, errors: &mut Errors) {
        if let Some(value) = value {
            self.set(key, value, errors);
        }
    }
}

fn listed(attribute: &Attribute, errors: &mut Errors) -> Vec<Entry> {
    match &attribute.meta {
        Meta::List(list) => entries(list.tokens.clone(), errors),
        other => {
            let name = other.path().to_token_stream();
            errors.at_tokens(attribute, format!("`#[{name}]` says nothing here: remove it"));
            Vec::new()
        }
    }
}

/// Why a key of another derive does not pass, and what to write.
fn foreign_key(attribute: &str, key: &str) -> String {
    let advice = match (attribute, key) {
        ("serde", "alias") => "an alias is a name that the schema does not show: give the argument one name",
        ("serde", "with" | "deserialize_with") | ("schemars", "with" | "schema_with") => {
            "wrap the type in one that implements `Deserialize` and `JsonSchema`"
        }
        ("serde", "flatten") => "take the whole object as `#[args]`",
        ("serde", "skip" | "skip_deserializing") => "what a model does not write is `#[state]`, or a value in the body",
        (_, "secret") => "write `#[arg(secret)]`",
        ("schemars", "title") => "an argument is named by its name and described by its doc comment",
        _ => "write the argument's own type with it, or take the whole object as `#[args]`",
    };
    let passing = if attribute == "serde" {
        names::list(&["default", "rename"])
    } else {
        names::list(&["range", "length", "regex", "example", "description"])
    };
    format!("`{attribute}({key})` does not pass through on a parameter: {advice} (what passes: {passing})")
}

/// `(1..=100)`, behind `range` and `length`.
fn bounds(entry: &Entry, example: &str, errors: &mut Errors) -> Option<Bounds> {
    let group = entry.list(example, errors)?;
    match syn::parse2::<Expr>(group.stream()) {
        Ok(Expr::Range(range)) if range.start.is_some() || range.end.is_some() => Some(Bounds {
            start: range.start.map(|start| *start),
            end_is_exclusive: range.end.is_some() && matches!(range.limits, RangeLimits::HalfOpen(_)),
            end: range.end.map(|end| *end),
        }),
        _ => {
            let tokens = TokenStream::from(proc_macro2::TokenTree::Group(group.clone()));
            errors.at_tokens(&tokens, format!("expected a range with a bound: `{example}`"));
            None
        }
    }
}

/// `(min = 1, max = 100)`, as `#[schemars(range(…))]` has it.
fn minimum_and_maximum(entry: &Entry, errors: &mut Errors) -> Option<Bounds> {
    let group = entry.list("range(min = 1, max = 100)", errors)?;
    let mut minimum = Slot::new("min");
    let mut maximum = Slot::new("max");
    for inner in entries(group.stream(), errors) {
        let key = inner.key.span();
        let Some(value) = inner.required("min = 1", errors).cloned() else { continue };
        match inner.key.to_string().as_str() {
            "min" => minimum.set(key, value, errors),
            "max" => maximum.set(key, value, errors),
            "equal" => {
                minimum.set(key, value.clone(), errors);
                maximum.set(key, value, errors);
            }
            _ => inner.unknown(&entry.key.to_string(), &["min", "max", "equal"], errors),
        }
    }
    let (start, end) = (minimum.get().cloned(), maximum.get().cloned());
    (start.is_some() || end.is_some()).then_some(Bounds { start, end, end_is_exclusive: false })
}
