//! The rules for parameters.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Type, TypeReference};

use super::constraints;
use crate::diagnostics::Errors;
use crate::docs::{self, Text};
use crate::names;
use crate::parse::parameters::{ArgumentOptions, Parameter, Role};
use crate::types::{self, Part, ungrouped};

pub(crate) struct ValidParameter<'a> {
    /// As the author's expressions know it.
    pub(crate) name: &'a Ident,
    /// The same as a name of the generated code.
    pub(crate) field: Ident,
    pub(crate) cfgs: &'a [Attribute],
    pub(crate) ty: &'a Type,
    pub(crate) source: Source<'a>,
}

/// Where a parameter's value comes from.
pub(crate) enum Source<'a> {
    Argument(ValidArgument<'a>),
    /// All that the model writes, as one value.
    Whole(Given<'a>),
    /// `&T`, held as `Arc<T>`.
    SharedState(&'a Type),
    /// `T: Clone`, held as it is.
    OwnedState,
    /// `&ToolContext`, or the context itself.
    Context {
        by_reference: bool,
    },
}

/// How a decoded value reaches the function.
#[derive(Clone, Copy)]
pub(crate) enum Given<'a> {
    /// As it is.
    Owned,
    /// `&str`, of a `String`.
    Str,
    /// `&[T]`, of a `Vec<T>`.
    Slice(&'a Type),
    /// `&T`, of a `T`.
    Reference(&'a Type),
}

pub(crate) struct ValidArgument<'a> {
    pub(crate) wire_name: String,
    pub(crate) description: Text,
    pub(crate) options: &'a ArgumentOptions,
    pub(crate) given: Given<'a>,
}

/// Applies the rules to each parameter, and to all of them together.
pub(crate) fn valid<'a>(parameters: &'a [Parameter], errors: &mut Errors) -> Vec<ValidParameter<'a>> {
    let valid: Vec<_> = parameters.iter().map(|parameter| valid_parameter(parameter, errors)).collect();
    distinct_wire_names(&valid, errors);
    let is_whole = |parameter: &&Parameter| matches!(parameter.role, Role::Arguments);
    one_of_a_kind(parameters.iter().filter(is_whole), "the arguments are one object: take it once", errors);
    let is_context = |parameter: &&Parameter| matches!(parameter.role, Role::Context);
    one_of_a_kind(parameters.iter().filter(is_context), "there is one context: take it once", errors);
    if parameters.iter().any(|parameter| is_whole(&parameter)) {
        for beside in parameters.iter().filter(|parameter| matches!(parameter.role, Role::Argument(_))) {
            errors.at(
                beside.name.span(),
                "`#[args]` takes all that the model writes: put this into its type, or mark it `#[state]` or `#[context]`",
            );
        }
    }
    valid
}

/// Alternatives under `#[cfg]` may stand beside each other.
fn one_of_a_kind<'a>(parameters: impl Iterator<Item = &'a Parameter>, advice: &str, errors: &mut Errors) {
    let mut first_is_alternative = None;
    for parameter in parameters {
        let is_alternative = !parameter.cfgs.is_empty();
        match first_is_alternative {
            None => first_is_alternative = Some(is_alternative),
            Some(true) if is_alternative => {}
            Some(_) => errors.at(parameter.name.span(), advice),
        }
    }
}

fn valid_parameter<'a>(parameter: &'a Parameter, errors: &mut Errors) -> ValidParameter<'a> {
    let Parameter { name, ty, role, cfgs, doc } = parameter;
    let source = match role {
        Role::Argument(options) => Source::Argument(argument(name, ty, options, doc, errors)),
        Role::Arguments => Source::Whole(given(ty, errors)),
        Role::State => state(ty, errors),
        Role::Context => Source::Context { by_reference: matches!(ungrouped(ty), Type::Reference(_)) },
    };
    ValidParameter { name, field: names::ours(name), cfgs, ty, source }
}

fn state<'a>(ty: &'a Type, errors: &mut Errors) -> Source<'a> {
    if let Some(span) = types::find(ty, &is_impl_trait) {
        errors.at(span, "the tool's state has one type: name it, or take `&dyn Trait`");
    }
    let Type::Reference(reference) = ungrouped(ty) else { return Source::OwnedState };
    if let Some(keyword) = &reference.mutability {
        errors.at(keyword.span, "calls share the tool's state: take `&T`, and put what changes behind a `Mutex` in it");
    }
    match &reference.lifetime {
        Some(lifetime) if lifetime.ident == "static" => Source::OwnedState,
        _ => Source::SharedState(&reference.elem),
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
    if let Some(pattern) = options.pattern.get() {
        valid_pattern(pattern, errors);
    }
    constraints::agree(options, errors);
    let (wire_name, _) = renamed.unwrap_or((plain, name.span()));
    let description = options.description.get().unwrap_or(doc).clone();
    ValidArgument { wire_name, description, options, given: given(ty, errors) }
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

/// A pattern is a literal that the decoder can keep.
fn valid_pattern(expression: &Expr, errors: &mut Errors) {
    match docs::string_literal(expression).map(|pattern| regex_lite::Regex::new(&pattern)) {
        Some(Ok(_)) => {}
        Some(Err(error)) => errors.at_tokens(expression, format!("not a regular expression: {error}")),
        None => errors.at_tokens(expression, r#"`pattern` takes a string literal: `pattern = "^[a-z]+$"`"#),
    }
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

fn is_impl_trait(part: Part<'_>) -> bool {
    matches!(part, Part::Type(Type::ImplTrait(_)))
}

/// A model writes values that the call owns. They may be lent to the function: `&str`, `&[T]`, `&T`.
fn given<'a>(ty: &'a Type, errors: &mut Errors) -> Given<'a> {
    let Type::Reference(TypeReference { lifetime, mutability, elem, .. }) = ungrouped(ty) else {
        if is_str(ty) || matches!(ungrouped(ty), Type::Slice(_)) {
            errors.left_to_the_compiler(); // a parameter is sized
        } else {
            owned(ty, errors);
        }
        return Given::Owned;
    };
    if let Some(keyword) = mutability {
        errors.at(keyword.span, "an argument is given, not lent to be changed: take it by value");
    }
    match lifetime {
        None => {}
        Some(lifetime) if lifetime.ident == "static" => {
            errors.at(lifetime.span(), "an argument lives as long as the call: leave the lifetime out");
        }
        Some(lifetime) if lifetime.ident == "_" => {}
        // It is declared, and refused there, or unknown to the compiler, which says so.
        Some(_) => errors.left_to_the_compiler(),
    }
    match ungrouped(elem) {
        Type::Slice(slice) => {
            owned(&slice.elem, errors);
            Given::Slice(&slice.elem)
        }
        text if is_str(text) => Given::Str,
        other => {
            owned(other, errors);
            Given::Reference(other)
        }
    }
}

fn is_str(ty: &Type) -> bool {
    matches!(ungrouped(ty), Type::Path(path) if path.path.is_ident("str"))
}

/// Refuses a type that cannot be a field which owns what it holds.
fn owned(ty: &Type, errors: &mut Errors) {
    if let Some(span) = types::find(ty, &is_impl_trait) {
        errors.at(span, "an argument has one type that a model can write: name it in place of `impl Trait`");
    }
    if let Some(span) = types::find(ty, &|part| matches!(part, Part::Type(Type::TraitObject(_)))) {
        errors.at(span, "a model cannot write a trait object: mark the tool's own services `#[state]`");
        return;
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
    let mut seen: Vec<(&ValidParameter<'_>, &str)> = Vec::new();
    for parameter in parameters {
        let Source::Argument(argument) = &parameter.source else { continue };
        let name = argument.wire_name.as_str();
        // Alternatives under `#[cfg]` may share a name, as long as one of them is there; two parameters of one name
        // are the compiler's to report.
        let clashes = seen.iter().any(|(earlier, earlier_name)| {
            *earlier_name == name
                && earlier.name != parameter.name
                && (earlier.cfgs.is_empty() || parameter.cfgs.is_empty())
        });
        if clashes {
            let span = argument.options.rename.get().map_or(parameter.name.span(), Spanned::span);
            errors.at(span, format!("two parameters have the name `{name}` in the JSON: rename one"));
        }
        seen.push((parameter, name));
    }
}
