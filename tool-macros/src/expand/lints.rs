//! What is generated is not the author's to answer for: no lint reports it, and none is allowed by an attribute, since
//! `#[allow(…)]` is an error in a crate that forbids the lint.
//!
//! The compiler reports no lint in tokens that a macro of another crate wrote, and goes by the context of their spans: a
//! name of the author's that stands in generated code gets ours, in its own place. Types keep theirs, so that what is
//! said of one is the same as at the function itself, and said once.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token, Visibility};

use crate::names::ours_at;

/// The visibility of the function as that of a generated item.
pub(super) fn visibility(written: &Visibility) -> TokenStream {
    retold(written.to_token_stream())
}

fn retold(tokens: TokenStream) -> TokenStream {
    let retold = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), retold(group.stream()));
            inner.set_span(ours_at(group.span()));
            TokenTree::Group(inner)
        }
        // `$crate` is known by its context.
        TokenTree::Ident(ident) if ident == "$crate" => TokenTree::Ident(ident),
        mut token => {
            token.set_span(ours_at(token.span()));
            token
        }
    });
    retold.collect()
}

/// What the author allows the function is allowed what repeats its types: `#[allow(deprecated)]` and its like. A function
/// that is deprecated itself is called nevertheless.
pub(super) fn allowed(attributes: &[Attribute]) -> TokenStream {
    let allowed = attributes.iter().filter_map(|attribute| allowance(&attribute.meta)).map(|meta| quote!(#[#meta]));
    let deprecated = attributes.iter().any(|attribute| attribute.path().is_ident("deprecated"));
    let deprecated = deprecated.then(|| quote!(#[allow(deprecated)]));
    quote!(#(#allowed)* #deprecated)
}

/// `allow(…)` for an `allow` or an `expect`, also within `cfg_attr`.
fn allowance(meta: &Meta) -> Option<TokenStream> {
    let Meta::List(list) = meta else { return None };
    if list.path.is_ident("allow") || list.path.is_ident("expect") {
        let lints = &list.tokens;
        return Some(quote!(allow(#lints)));
    }
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    let mut parts = parts.iter();
    let condition = parts.next()?;
    let allowed: Vec<TokenStream> = parts.filter_map(allowance).collect();
    (!allowed.is_empty()).then(|| quote!(cfg_attr(#condition, #(#allowed),*)))
}
