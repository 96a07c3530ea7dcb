//! Second stage: the rules. One mistake is one error, at the token that is wrong, saying what to write instead; all
//! mistakes of an item are reported together.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, GenericParam, ReturnType, Safety, Signature, Type, TypeReference, Visibility};

use crate::diagnostics::Errors;
use crate::docs::{self, Text};
use crate::names;
use crate::parse::{ArgumentOptions, DefaultValue, Options, Parameter, Recovery, Role, Target, ToolFn};
use crate::types::{self, Part, ungrouped};

/// A tool that keeps every rule, with everything decided that an expansion needs.
pub(crate) struct ValidTool<'a> {
    pub(crate) function: &'a ToolFn,
    pub(crate) names: ToolNames,
    pub(crate) id: Text,
    pub(crate) description: Text,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) parameters: Vec<ValidParameter<'a>>,
}

/// The names of what is generated.
pub(crate) struct ToolNames {
    pub(crate) tool: Ident,
    pub(crate) arguments: Ident,
}

pub(crate) struct ValidParameter<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) cfgs: &'a [Attribute],
    pub(crate) ty: &'a Type,
    pub(crate) source: Source<'a>,
}

/// Where a parameter's value comes from.
pub(crate) enum Source<'a> {
    Argument(ValidArgument<'a>),
    /// `&T`, held as `Arc<T>`.
    SharedState(&'a Type),
    /// `T: Clone`, held as it is.
    OwnedState,
    /// `&ToolContext`, or the context itself.
    Context {
        by_reference: bool,
    },
}

pub(crate) struct ValidArgument<'a> {
    pub(crate) wire_name: String,
    pub(crate) description: Text,
    pub(crate) default: Option<&'a DefaultValue>,
    /// `&str` and `&[T]`: decoded owned, lent to the function.
    pub(crate) lent: Option<&'a Type>,
    pub(crate) not_runtime: bool,
}

/// Applies the rules; `errors` are the mistakes found so far.
pub(crate) fn tool(function: &ToolFn, mut errors: Errors) -> syn::Result<ValidTool<'_>> {
    signature(&function.signature, &mut errors);
    let names = tool_names(function, &mut errors);
    let id = id(function, &mut errors);
    let description = description(function, &mut errors);
    let recovery = recovery(&function.options, &mut errors);
    let parameters: Vec<_> =
        function.parameters.iter().map(|parameter| valid_parameter(parameter, &mut errors)).collect();
    distinct_wire_names(&parameters, &mut errors);
    one_context(&function.parameters, &mut errors);
    errors.check()?;
    Ok(ValidTool { function, names, id, description, recovery, parameters })
}

fn signature(signature: &Signature, errors: &mut Errors) {
    if let Safety::Unsafe(keyword) = &signature.safety {
        errors.at(keyword.span, "a tool cannot be `unsafe`: nobody keeps its conditions when a model calls it");
    }
    for parameter in &signature.generics.params {
        let advice = match parameter {
            GenericParam::Lifetime(_) => "leave the lifetime out: parameters are lent to the call as a whole",
            GenericParam::Type(_) | GenericParam::Const(_) => {
                "a free function that is a tool cannot be generic: a model names no types; write the type out"
            }
        };
        errors.at_tokens(parameter, advice);
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && let Some(span) = types::find(ty, &|part| matches!(part, Part::Type(Type::ImplTrait(_))))
    {
        errors.at(span, "a tool's result has one type with a name: write it in place of `impl Trait`");
    }
}

fn tool_names(function: &ToolFn, errors: &mut Errors) -> ToolNames {
    let ident = &function.signature.ident;
    let tool = tool_type(function).unwrap_or_else(|| {
        errors.at(ident.span(), format!("`{ident}` gives no name for the tool's type: write `#[tool(type = Name)]`"));
        Ident::new("Tool", ident.span())
    });
    ToolNames { arguments: arguments_type(&tool), tool }
}

/// The type's name, where the function or the attribute gives one.
pub(crate) fn tool_type(function: &ToolFn) -> Option<Ident> {
    if let Some(name) = function.options.type_name.get() {
        return Some(name.clone());
    }
    let ident = &function.signature.ident;
    let name = names::upper_camel_case(&names::plain(ident));
    let mut name = syn::parse_str::<Ident>(&name).ok()?;
    name.set_span(ident.span());
    Some(name)
}

/// The name of the argument struct beside the tool's type.
pub(crate) fn arguments_type(tool: &Ident) -> Ident {
    Ident::new(&format!("{}Args", names::plain(tool)), tool.span())
}

fn id(function: &ToolFn, errors: &mut Errors) -> Text {
    let ident = &function.signature.ident;
    let (id, span) = match function.options.id.get() {
        Some(id) => (Text::of(id), id.span()),
        None => (Text::Literal(names::plain(ident)), ident.span()),
    };
    if let Text::Literal(text) = &id
        && let Some(fault) = names::id_fault(text)
    {
        let advice = if function.options.id.is_given() { "" } else { r#"; write `#[tool(id = "…")]`"# };
        errors.at(span, format!("{fault}{advice}"));
    }
    id
}

fn description(function: &ToolFn, errors: &mut Errors) -> Text {
    let given = function.options.description.get();
    let text = given.unwrap_or(&function.doc).clone();
    if text.is_blank() {
        let span = function.options.description.span().unwrap_or(function.signature.ident.span());
        errors.at(span, "a tool needs a description, which the model chooses it by: write a doc comment (`/// …`)");
    }
    text
}

/// The recovery capability, where it is stated or follows.
fn recovery(options: &Options, errors: &mut Errors) -> Option<Recovery> {
    let read_only = options.read_only.get() == Some(&true);
    if read_only
        && options.destructive.get() == Some(&true)
        && let Some(span) = options.destructive.span()
    {
        errors.at(span, "`destructive` contradicts `read_only`: a tool that changes nothing destroys nothing");
    }
    match options.recovery.get() {
        Some(Recovery::NonRecoverable) if read_only => {
            if let Some(span) = options.recovery.span() {
                errors.at(
                    span,
                    "`recovery = non_recoverable` contradicts `read_only`: reading again is as reading once; leave \
                     `recovery` out",
                );
            }
            None
        }
        Some(recovery) => Some(*recovery),
        None => read_only.then_some(Recovery::ReplaySafe),
    }
}

fn valid_parameter<'a>(parameter: &'a Parameter, errors: &mut Errors) -> ValidParameter<'a> {
    let Parameter { name, ty, role, cfgs, doc } = parameter;
    let source = match role {
        Role::Argument(options) => Source::Argument(argument(name, ty, options, doc, errors)),
        Role::State => state(ty, errors),
        Role::Context => Source::Context { by_reference: matches!(ungrouped(ty), Type::Reference(_)) },
    };
    ValidParameter { name, cfgs, ty, source }
}

fn state<'a>(ty: &'a Type, errors: &mut Errors) -> Source<'a> {
    match ungrouped(ty) {
        Type::Reference(reference) => {
            if let Some(keyword) = &reference.mutability {
                errors.at(
                    keyword.span,
                    "calls share the tool's state: take `&T`, and put what changes behind a `Mutex` in it",
                );
            }
            match &reference.lifetime {
                Some(lifetime) if lifetime.ident == "static" => Source::OwnedState,
                _ => Source::SharedState(&reference.elem),
            }
        }
        _ => Source::OwnedState,
    }
}

fn argument<'a>(
    name: &Ident,
    ty: &'a Type,
    options: &'a ArgumentOptions,
    doc: &Text,
    errors: &mut Errors,
) -> ValidArgument<'a> {
    let plain = names::plain(name);
    let renamed = options.rename.get().and_then(|name| renamed(name, errors));
    runtime_coordinate(name, &plain, renamed.as_ref(), options, errors);
    let (wire_name, _) = renamed.unwrap_or((plain, name.span()));
    ValidArgument {
        wire_name,
        description: options.description.get().unwrap_or(doc).clone(),
        default: options.default.get(),
        lent: lent(ty, errors),
        not_runtime: options.not_runtime.is_given(),
    }
}

/// The wire name that `rename` gives: a literal, since two of them are compared here.
fn renamed(expression: &Expr, errors: &mut Errors) -> Option<(String, Span)> {
    let Some(name) = docs::string_literal(expression) else {
        errors.at_tokens(expression, "`rename` takes a string literal: `rename = \"orderId\"`");
        return None;
    };
    if name.is_empty() {
        errors.at_tokens(expression, "a property needs a name");
        return None;
    }
    Some((name, expression.span()))
}

/// The model never authors a runtime coordinate, under whatever spelling.
fn runtime_coordinate(
    name: &Ident,
    plain: &str,
    renamed: Option<&(String, Span)>,
    options: &ArgumentOptions,
    errors: &mut Errors,
) {
    let onto = renamed.filter(|(name, _)| names::is_reserved(name));
    let reserved = match onto {
        Some((name, span)) => Some((name.as_str(), *span)),
        None => names::is_reserved(plain).then(|| (plain, name.span())),
    };
    match (reserved, options.not_runtime.span()) {
        (Some((name, span)), None) => errors.at(
            span,
            format!(
                "`{name}` is a runtime coordinate, which no model may author: read it from `#[context] cx: &ToolContext`; \
                 a business field that happens to bear the name is marked `#[arg(not_runtime)]`"
            ),
        ),
        (None, Some(key)) => errors.at(
            key,
            format!("`{plain}` bears no name of the runtime's, so that there is nothing to allow: leave `not_runtime` out"),
        ),
        _ => {}
    }
}

/// A model writes values that the call owns. Text and lists can be lent to the function: `&str`, `&[T]`.
fn lent<'a>(ty: &'a Type, errors: &mut Errors) -> Option<&'a Type> {
    let Type::Reference(reference) = ungrouped(ty) else {
        owned(ty, errors);
        return None;
    };
    let TypeReference { lifetime, mutability, elem, .. } = reference;
    let elem: &Type = elem;
    if let Some(keyword) = mutability {
        errors.at(keyword.span, "an argument is given, not lent to be changed: take it by value");
        return None;
    }
    if let Some(lifetime) = lifetime {
        // Any other lifetime is declared, and refused there, or unknown to the compiler, which says so.
        if lifetime.ident == "static" {
            errors.at(lifetime.span(), "an argument lives as long as the call: leave the lifetime out");
        }
        return None;
    }
    match elem {
        Type::Path(path) if path.path.is_ident("str") => Some(elem),
        Type::Slice(slice) => {
            owned(&slice.elem, errors);
            Some(elem)
        }
        _ => {
            let by_value = elem.to_token_stream();
            errors.at_tokens(
                ty,
                format!(
                    "a model cannot write a reference: mark the tool's own state `#[state]` and the runtime's context \
                     `#[context]`, or take the argument by value (`{by_value}`)"
                ),
            );
            None
        }
    }
}

/// Refuses a type that cannot be a field which owns what it holds.
fn owned(ty: &Type, errors: &mut Errors) {
    if let Some(span) = types::find(ty, &|part| matches!(part, Part::Type(Type::ImplTrait(_)))) {
        errors.at(span, "an argument has one type that a model can write: name it in place of `impl Trait`");
    }
    let borrows = |part: Part<'_>| match part {
        Part::Type(ty) => matches!(ty, Type::Reference(_)),
        Part::Lifetime(lifetime) => lifetime.ident != "static",
    };
    if let Some(span) = types::find(ty, &borrows) {
        errors.at(
            span,
            "an argument owns what it holds: take owned types inside it (`String` for `&str`, `Vec<T>` for `&[T]`)",
        );
    }
}

fn distinct_wire_names(parameters: &[ValidParameter<'_>], errors: &mut Errors) {
    let mut seen: Vec<(&str, bool)> = Vec::new();
    for parameter in parameters {
        let Source::Argument(argument) = &parameter.source else { continue };
        // Alternatives under `#[cfg]` may share a name, as long as one of them is there.
        let is_alternative = !parameter.cfgs.is_empty();
        let name = argument.wire_name.as_str();
        if seen.iter().any(|(earlier, alternative)| *earlier == name && !(*alternative && is_alternative)) {
            errors.at(parameter.name.span(), format!("two parameters have the name `{name}` in the JSON: rename one"));
        }
        seen.push((name, is_alternative));
    }
}

fn one_context(parameters: &[Parameter], errors: &mut Errors) {
    let contexts = parameters.iter().filter(|parameter| matches!(parameter.role, Role::Context));
    for second in contexts.skip(1) {
        errors.at(second.name.span(), "there is one context: take it once");
    }
}

impl ValidTool<'_> {
    pub(crate) fn options(&self) -> &Options {
        &self.function.options
    }

    pub(crate) fn target(&self) -> Option<Target> {
        self.function.options.target.get().copied()
    }

    pub(crate) fn visibility(&self) -> &Visibility {
        &self.function.visibility
    }

    pub(crate) fn returns(&self) -> Option<&Type> {
        match &self.function.signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(ty),
        }
    }

    /// The arguments among the parameters.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (&ValidParameter<'_>, &ValidArgument<'_>)> {
        self.parameters.iter().filter_map(|parameter| match &parameter.source {
            Source::Argument(argument) => Some((parameter, argument)),
            _ => None,
        })
    }
}
