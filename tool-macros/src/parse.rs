//! First stage: what is written, read into a form that keeps every token that a later stage may point at.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, FnArg, ItemImpl, Meta, Pat, PatType, Path, Signature, Type, Visibility};

use crate::attributes::{Entry, Slot, entries};
use crate::diagnostics::Errors;
use crate::docs::{self, Text};
use crate::names;

/// What `#[tool]` stands on.
pub(crate) enum ToolItem {
    /// A function, with the mistakes that reading it showed.
    Function(Box<ToolFn>, Errors),
    /// Something else, with the reason why it is no tool.
    Other(TokenStream, syn::Error),
}

/// A function under `#[tool]`.
pub(crate) struct ToolFn {
    pub(crate) options: Options,
    /// All but `#[tool]` itself.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) doc: Text,
    pub(crate) visibility: Visibility,
    /// The signature as it is emitted: without the attributes that are ours.
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
    pub(crate) parameters: Vec<Parameter>,
    /// Whether there is a `self`, so that the function stands where no type can be put beside it.
    pub(crate) is_method: bool,
}

/// The keys of `#[tool(…)]`.
pub(crate) struct Options {
    pub(crate) id: Slot<Expr>,
    pub(crate) title: Slot<Text>,
    pub(crate) description: Slot<Text>,
    pub(crate) type_name: Slot<Ident>,
    pub(crate) recovery: Slot<Recovery>,
    pub(crate) target: Slot<Target>,
    pub(crate) read_only: Slot<bool>,
    pub(crate) destructive: Slot<bool>,
    pub(crate) open_world: Slot<bool>,
    pub(crate) crate_path: Slot<Path>,
}

/// `recovery = …`, by the name of the capability.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recovery {
    NonRecoverable,
    ReplaySafe,
    Idempotent,
    DurableRequest,
}

/// `target = …`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Brain,
    Sandbox,
}

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
    /// The model.
    Argument(Box<ArgumentOptions>),
    /// The tool, from its own state.
    State,
    /// The runtime.
    Context,
}

/// The keys of `#[arg(…)]`.
pub(crate) struct ArgumentOptions {
    pub(crate) default: Slot<DefaultValue>,
    pub(crate) rename: Slot<Expr>,
    pub(crate) description: Slot<Text>,
    pub(crate) not_runtime: Slot<()>,
}

/// `default` or `default = EXPR`.
pub(crate) enum DefaultValue {
    OfType,
    Value(Expr),
}

const OPTION_KEYS: [&str; 10] =
    ["id", "title", "description", "type", "recovery", "target", "read_only", "destructive", "open_world", "crate"];
const ARGUMENT_KEYS: [&str; 4] = ["default", "rename", "description", "not_runtime"];

/// Reads the attribute and the item under it.
pub(crate) fn tool(attribute: TokenStream, item: TokenStream) -> ToolItem {
    let Ok(written) = WrittenFn::parse.parse2(item.clone()) else {
        let error = no_function(&item);
        return ToolItem::Other(item, error);
    };
    let mut errors = Errors::new();
    let options = options(attribute, &mut errors);
    let mut signature = written.signature;
    let is_method = signature.receiver().is_some();
    let parameters = parameters(&mut signature, &mut errors);
    let function = ToolFn {
        options,
        doc: docs::doc_comment(&written.attributes),
        attributes: written.attributes,
        visibility: written.visibility,
        signature,
        body: written.body,
        parameters,
        is_method,
    };
    ToolItem::Function(Box::new(function), errors)
}

/// A function whose body stays unread: it is emitted token for token.
struct WrittenFn {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    body: TokenStream,
}

impl Parse for WrittenFn {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature = input.parse()?;
        if !input.peek(syn::token::Brace) {
            return Err(input.error("expected a body"));
        }
        Ok(Self { attributes, visibility, signature, body: input.parse()? })
    }
}

fn no_function(item: &TokenStream) -> syn::Error {
    let message = match syn::parse2::<ItemImpl>(item.clone()) {
        Ok(_) => "`#[tool]` goes on a function; take what its methods share as `#[state] shared: &T`",
        Err(_) => "`#[tool]` goes on a function with a body",
    };
    syn::Error::new(Span::call_site(), message)
}

fn options(attribute: TokenStream, errors: &mut Errors) -> Options {
    let mut options = Options {
        id: Slot::new("id"),
        title: Slot::new("title"),
        description: Slot::new("description"),
        type_name: Slot::new("type"),
        recovery: Slot::new("recovery"),
        target: Slot::new("target"),
        read_only: Slot::new("read_only"),
        destructive: Slot::new("destructive"),
        open_world: Slot::new("open_world"),
        crate_path: Slot::new("crate"),
    };
    for entry in entries(attribute, errors) {
        options.take(&entry, errors);
    }
    options
}

impl Options {
    fn take(&mut self, entry: &Entry, errors: &mut Errors) {
        /// Puts a value that was read into its slot.
        macro_rules! set {
            ($slot:ident, $value:expr) => {
                if let Some(value) = $value {
                    self.$slot.set(entry.key.span(), value, errors);
                }
            };
        }
        match entry.key.to_string().as_str() {
            "id" => set!(id, entry.required(r#"id = "search_orders""#, errors).cloned()),
            "title" => set!(title, entry.required(r#"title = "Search orders""#, errors).map(Text::of)),
            "description" => {
                set!(description, entry.required(r#"description = "Searches orders.""#, errors).map(Text::of));
            }
            "type" => set!(type_name, entry.word("type = SearchOrders", errors)),
            "recovery" => set!(recovery, entry.one_of(&RECOVERIES, errors)),
            "target" => set!(target, entry.one_of(&[("brain", Target::Brain), ("sandbox", Target::Sandbox)], errors)),
            "read_only" => set!(read_only, entry.flag(errors)),
            "destructive" => set!(destructive, entry.flag(errors)),
            "open_world" => set!(open_world, entry.flag(errors)),
            "crate" => set!(crate_path, path(entry, errors)),
            unknown => unknown_key(&entry.key, unknown, "tool", &OPTION_KEYS, errors),
        }
    }
}

const RECOVERIES: [(&str, Recovery); 4] = [
    ("non_recoverable", Recovery::NonRecoverable),
    ("idempotent", Recovery::Idempotent),
    ("durable_request", Recovery::DurableRequest),
    ("replay_safe", Recovery::ReplaySafe),
];

fn path(entry: &Entry, errors: &mut Errors) -> Option<Path> {
    match entry.required("crate = my_crate::tool_core", errors)? {
        Expr::Path(path) if path.qself.is_none() => Some(path.path.clone()),
        other => {
            errors.at_tokens(other, "expected a path without quotes: `crate = my_crate::tool_core`");
            None
        }
    }
}

fn unknown_key(key: &Ident, name: &str, attribute: &str, known: &[&str], errors: &mut Errors) {
    errors.at(key.span(), format!("`#[{attribute}]` has no key `{name}`; {}", names::suggestion(name, known)));
}

/// Reads the parameters, and takes the attributes that are ours out of the signature.
fn parameters(signature: &mut Signature, errors: &mut Errors) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) => errors.at_tokens(
                receiver,
                "`self` is no parameter of a tool: make it a free function, and take what the tools share as \
                 `#[state] shared: &T`",
            ),
            FnArg::Typed(typed) => parameters.extend(parameter(typed, errors)),
        }
    }
    parameters
}

fn parameter(typed: &mut PatType, errors: &mut Errors) -> Option<Parameter> {
    let doc = docs::doc_comment(&typed.attrs);
    let role = role(&typed.attrs, errors);
    typed.attrs.retain(|attribute| !is_ours(attribute) && !docs::is_doc_comment(attribute));
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
    Some(Parameter { name, ty: (*typed.ty).clone(), role, cfgs, doc })
}

fn is_ours(attribute: &Attribute) -> bool {
    ["arg", "state", "context"].iter().any(|name| attribute.path().is_ident(name))
}

fn role(attributes: &[Attribute], errors: &mut Errors) -> Role {
    let mut role: Option<Role> = None;
    for attribute in attributes.iter().filter(|attribute| is_ours(attribute)) {
        let next = if attribute.path().is_ident("arg") {
            Role::Argument(Box::new(argument_options(attribute, errors)))
        } else {
            if !matches!(attribute.meta, Meta::Path(_)) {
                let name = attribute.path().to_token_stream();
                errors.at(attribute.meta.span(), format!("`#[{name}]` takes nothing: write it alone"));
            }
            if attribute.path().is_ident("state") { Role::State } else { Role::Context }
        };
        if role.is_some() {
            errors
                .at_tokens(attribute, "a parameter bears one of `#[arg]`, `#[state]` and `#[context]`, and that once");
        } else {
            role = Some(next);
        }
    }
    role.unwrap_or_else(|| Role::Argument(Box::new(ArgumentOptions::none())))
}

impl ArgumentOptions {
    fn none() -> Self {
        Self {
            default: Slot::new("default"),
            rename: Slot::new("rename"),
            description: Slot::new("description"),
            not_runtime: Slot::new("not_runtime"),
        }
    }
}

fn argument_options(attribute: &Attribute, errors: &mut Errors) -> ArgumentOptions {
    let mut options = ArgumentOptions::none();
    let Meta::List(list) = &attribute.meta else {
        let advice = format!("`#[arg]` says nothing; it takes {}", names::list(&ARGUMENT_KEYS));
        errors.at_tokens(attribute, advice);
        return options;
    };
    for entry in entries(list.tokens.clone(), errors) {
        let key = entry.key.span();
        match entry.key.to_string().as_str() {
            "default" => {
                let value = entry.value.clone().map_or(DefaultValue::OfType, DefaultValue::Value);
                options.default.set(key, value, errors);
            }
            "rename" => {
                if let Some(name) = entry.required(r#"rename = "orderId""#, errors) {
                    options.rename.set(key, name.clone(), errors);
                }
            }
            "description" => {
                if let Some(text) = entry.required(r#"description = "The order's number.""#, errors) {
                    options.description.set(key, Text::of(text), errors);
                }
            }
            "not_runtime" => {
                entry.alone(errors);
                options.not_runtime.set(key, (), errors);
            }
            unknown => unknown_key(&entry.key, unknown, "arg", &ARGUMENT_KEYS, errors),
        }
    }
    options
}
