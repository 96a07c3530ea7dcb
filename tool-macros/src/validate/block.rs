//! The rules for a block of methods.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::{FnArg, GenericArgument, GenericParam, Lifetime, PathArguments, Type, Visibility};

use super::{ValidTool, tool};
use crate::diagnostics::Errors;
use crate::docs::Text;
use crate::names;
use crate::parse::ToolFn;
use crate::parse::block::{BlockItem, ToolBlock};
use crate::parse::parameters::Role;
use crate::types::ungrouped;

/// A block that keeps every rule.
pub(crate) struct ValidBlock<'a> {
    pub(crate) block: &'a ToolBlock,
    pub(crate) tools: Vec<ValidTool<'a>>,
    /// The function that gives the tools, as visible as the most visible of them.
    pub(crate) collector: Ident,
    pub(crate) visibility: Visibility,
}

/// Applies the rules; `errors` are the mistakes found so far.
pub(crate) fn block(block: &ToolBlock, mut errors: Errors) -> Result<ValidBlock<'_>, TokenStream> {
    if let Some(keyword) = &block.unsafety {
        errors.at(keyword.span, "an inherent `impl` block is not `unsafe`");
    }
    let prefix = self_name(&block.self_type);
    if prefix.is_none() {
        errors.at_tokens(&block.self_type, "`#[tool]` goes on the `impl` block of a named type");
    }
    for lifetime in borrows(block) {
        errors.at_tokens(
            &lifetime,
            "tools outlive every borrow of the value that they share: let the type own its data, or write `'static`",
        );
    }
    let functions = block.functions();
    if functions.clone().next().is_none() {
        errors.at_tokens(
            &block.self_type,
            "no method of this block is a tool: mark those that are with `#[tool]`, or remove it from the block",
        );
    }
    let tools: Vec<ValidTool<'_>> = functions.map(|function| method(function, prefix.as_ref(), &mut errors)).collect();
    distinct_ids(&tools, &mut errors);
    let collector = block.options.tools.get().cloned();
    let collector = collector.unwrap_or_else(|| Ident::new("tools", Span::call_site()));
    errors.check()?;
    Ok(ValidBlock { block, visibility: widest(&tools), tools, collector })
}

/// The lifetimes of a block, by which its type could borrow: its parameters, and `'_` in the type.
fn borrows(block: &ToolBlock) -> Vec<Lifetime> {
    let parameters = block.generics.lifetimes().map(|parameter| parameter.lifetime.clone());
    let Type::Path(path) = ungrouped(&block.self_type) else { return parameters.collect() };
    let arguments = path.path.segments.iter().filter_map(|segment| match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    });
    let elided = arguments.flatten().filter_map(|argument| match argument {
        GenericArgument::Lifetime(lifetime) if lifetime.ident == "_" => Some(lifetime.clone()),
        _ => None,
    });
    parameters.chain(elided).collect()
}

impl ToolBlock {
    /// The methods that are tools, in order.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &ToolFn> + Clone {
        self.items.iter().filter_map(|item| match item {
            BlockItem::Tool(function) => Some(&**function),
            BlockItem::Other(_) => None,
        })
    }
}

/// The last name of `path::Shop<S>`.
pub(crate) fn self_name(ty: &Type) -> Option<Ident> {
    match ungrouped(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last().map(|segment| segment.ident.clone()),
        _ => None,
    }
}

fn method<'a>(function: &'a ToolFn, prefix: Option<&Ident>, errors: &mut Errors) -> ValidTool<'a> {
    let ident = &function.signature.ident;
    match function.signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) if is_shared(receiver) => {}
        Some(FnArg::Receiver(receiver)) => {
            errors.at_tokens(receiver, "calls share the value that the tools are methods of: take `&self`");
        }
        _ => errors.at(ident.span(), "a tool in a block takes `&self`; without it, make it a free function"),
    }
    for parameter in &function.signature.generics.params {
        let advice = match parameter {
            GenericParam::Lifetime(_) => "leave the lifetime out: parameters are lent to the call as a whole",
            GenericParam::Type(_) | GenericParam::Const(_) => {
                "a method that is a tool cannot be generic: a model names no types; put the parameter on the block"
            }
        };
        errors.at_tokens(parameter, advice);
    }
    for parameter in function.parameters.iter().filter(|parameter| matches!(parameter.role, Role::State)) {
        errors.at(parameter.name.span(), "the state of a method is `self`: put this into one of its fields");
    }
    let type_name = if function.options.type_name.is_given() { super::tool_type(function) } else { None };
    let type_name = type_name.or_else(|| {
        if function.options.type_name.is_given() {
            return None;
        }
        // A type without a name was refused above.
        let prefix = prefix.map_or_else(|| "Tool".to_owned(), names::plain);
        let name = format!("{prefix}{}", names::upper_camel_case(&names::plain(ident)));
        let mut name = syn::parse_str::<Ident>(&name).ok()?;
        name.set_span(names::ours_at(ident.span()));
        Some(name)
    });
    tool(function, type_name, errors)
}

/// `&self`, and not `&mut self`, `self` or `self: Arc<Self>`.
fn is_shared(receiver: &syn::Receiver) -> bool {
    receiver.to_token_stream().to_string().replace(' ', "") == "&self"
}

/// Two literal ids of one block; computed ids and alternatives under `#[cfg]` are the registry's to find, and two methods
/// of one name the compiler's.
fn distinct_ids(tools: &[ValidTool<'_>], errors: &mut Errors) {
    let mut seen: Vec<(&str, &ValidTool<'_>)> = Vec::new();
    let is_alternative =
        |tool: &ValidTool<'_>| tool.function.attributes.iter().any(|attribute| attribute.path().is_ident("cfg"));
    for tool in tools {
        let Text::Literal(id) = &tool.id else { continue };
        let clashes = seen.iter().any(|(earlier_id, earlier)| {
            earlier_id == id
                && earlier.signature().ident != tool.signature().ident
                && !(is_alternative(earlier) && is_alternative(tool))
        });
        if clashes {
            let span = tool.options().id.span().unwrap_or(tool.signature().ident.span());
            errors.at(span, format!("two tools of this block have the id `{id}`: give each its own"));
        }
        seen.push((id, tool));
    }
}

/// As visible as the most visible tool.
fn widest(tools: &[ValidTool<'_>]) -> Visibility {
    let rank = |visibility: &Visibility| match visibility {
        Visibility::Public(_) => 2,
        Visibility::Restricted(_) => 1,
        Visibility::Inherited => 0,
    };
    let visibilities = tools.iter().map(|tool| &tool.function.visibility);
    visibilities.max_by_key(|visibility| rank(visibility)).cloned().unwrap_or(Visibility::Inherited)
}
