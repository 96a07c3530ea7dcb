//! Collecting every mistake of an item, so that all are reported at once.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::fmt::Display;

/// The mistakes found so far. Dropping it unchecked is a bug of the macro, since a mistake would go unreported.
pub(crate) struct Errors {
    found: Option<Vec<syn::Error>>,
    reported_by_the_compiler: bool,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Self { found: Some(Vec::new()), reported_by_the_compiler: false }
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

    /// Notes a mistake that the compiler reports at the function itself, in words that need no addition: what would be
    /// generated for it would only repeat them.
    pub(crate) fn left_to_the_compiler(&mut self) {
        self.reported_by_the_compiler = true;
    }

    /// Ends the collection: all mistakes as compile errors, if there is one.
    pub(crate) fn check(mut self) -> Result<(), TokenStream> {
        let found = self.found.take().unwrap_or_default();
        if found.is_empty() && !self.reported_by_the_compiler {
            return Ok(());
        }
        Err(found.iter().map(syn::Error::to_compile_error).collect())
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        assert!(self.found.is_none() || std::thread::panicking(), "mistakes were collected and not checked");
    }
}
