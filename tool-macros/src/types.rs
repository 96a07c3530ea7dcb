//! Looking into a type as it is written.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{GenericArgument, Lifetime, PathArguments, Type, token};

use crate::names::ours_at;

/// A part of a type.
pub(crate) enum Part<'a> {
    Type(&'a Type),
    Lifetime(&'a Lifetime),
}

/// A type without the invisible group that a `macro_rules!` variable puts around it, and without parentheses.
pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        _ => ty,
    }
}

/// A type as the generated code repeats it. The parentheses of `&(dyn Fn() + Send)` are too many in `Arc<(dyn Fn() + Send)>`,
/// which is not for the author to hear of.
pub(crate) fn repeated(mut ty: Type) -> Type {
    let mut inner = &mut ty;
    loop {
        inner = match inner {
            Type::Reference(reference) => &mut reference.elem,
            Type::Group(group) => &mut group.elem,
            Type::Paren(paren) => {
                paren.paren_token = token::Paren(ours_at(paren.paren_token.span.join()));
                &mut paren.elem
            }
            _ => return ty,
        }
    }
}

/// Where the first part stands that is wanted, the type itself included.
pub(crate) fn find(ty: &Type, wanted: &dyn Fn(Part<'_>) -> bool) -> Option<Span> {
    if wanted(Part::Type(ty)) {
        return Some(ty.span());
    }
    match ty {
        Type::Path(path) => {
            let qualified = path.qself.as_ref().and_then(|qself| find(&qself.ty, wanted));
            qualified
                .or_else(|| path.path.segments.iter().find_map(|segment| find_in_arguments(&segment.arguments, wanted)))
        }
        Type::Tuple(tuple) => tuple.elems.iter().find_map(|element| find(element, wanted)),
        Type::Array(array) => find(&array.elem, wanted),
        Type::Slice(slice) => find(&slice.elem, wanted),
        Type::Reference(reference) => find(&reference.elem, wanted),
        Type::Paren(inner) => find(&inner.elem, wanted),
        Type::Group(inner) => find(&inner.elem, wanted),
        _ => None,
    }
}

fn find_in_arguments(arguments: &PathArguments, wanted: &dyn Fn(Part<'_>) -> bool) -> Option<Span> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => find(ty, wanted),
        GenericArgument::Lifetime(lifetime) => wanted(Part::Lifetime(lifetime)).then(|| lifetime.span()),
        _ => None,
    })
}
