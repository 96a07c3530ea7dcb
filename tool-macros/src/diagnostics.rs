//! Collecting every mistake of an item, so that all are reported at once.

use proc_macro2::Span;
use quote::ToTokens;
use std::fmt::Display;

/// The mistakes found so far. Dropping it unchecked is a bug of the macro, since a mistake would go unreported.
pub(crate) struct Errors {
    found: Option<Vec<syn::Error>>,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Self { found: Some(Vec::new()) }
    }

    /// Reports a mistake at a token.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Reports a mistake at a range of tokens.
    pub(crate) fn at_tokens(&mut self, tokens: &impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        self.found.get_or_insert_default().push(error);
    }

    /// Ends the collection: all mistakes as one error, if there is one.
    pub(crate) fn check(mut self) -> syn::Result<()> {
        let mut errors = self.found.take().unwrap_or_default().into_iter();
        let Some(mut all) = errors.next() else { return Ok(()) };
        all.extend(errors);
        Err(all)
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        assert!(self.found.is_none() || std::thread::panicking(), "mistakes were collected and not checked");
    }
}
