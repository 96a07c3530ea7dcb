//! Keys in attributes: `key`, `key = value`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Lit, Token};

use crate::diagnostics::Errors;
use crate::names;

/// One `key` or `key = value`.
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) value: Option<Expr>,
}

/// Reads a list of entries. After a malformed one it goes on behind the next comma, so that each is reported.
pub(crate) fn entries(tokens: TokenStream, errors: &mut Errors) -> Vec<Entry> {
    let read = |input: ParseStream<'_>| {
        let mut entries = Vec::new();
        while !input.is_empty() {
            match entry(input) {
                Ok(entry) => entries.push(entry),
                Err(error) => {
                    errors.push(error);
                    while !input.is_empty() && !input.peek(Token![,]) {
                        input.parse::<proc_macro2::TokenTree>()?;
                    }
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(entries)
    };
    match read.parse2(tokens) {
        Ok(entries) => entries,
        Err(error) => {
            errors.push(error);
            Vec::new()
        }
    }
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    if !input.peek(Ident::peek_any) {
        return Err(input.error("expected a key, such as `recovery = replay_safe`"));
    }
    let key = input.call(Ident::parse_any)?;
    let value = if input.parse::<Option<Token![=]>>()?.is_some() {
        Some(input.parse::<Expr>().map_err(|error| {
            if input.is_empty() || input.peek(Token![,]) {
                syn::Error::new(key.span(), format!("`{key} =` needs a value behind it"))
            } else {
                error
            }
        })?)
    } else {
        None
    };
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(Entry { key, value });
    }
    Err(input.error(format!("expected a comma behind `{key}`")))
}

/// The place of one key: it takes a value once, and keeps the key's span for later mistakes.
pub(crate) struct Slot<T> {
    name: &'static str,
    given: Option<(Span, T)>,
}

impl<T> Slot<T> {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, given: None }
    }

    /// Takes the value; a second one is a mistake.
    pub(crate) fn set(&mut self, key: Span, value: T, errors: &mut Errors) {
        if self.given.is_some() {
            errors.at(key, format!("`{}` is given twice", self.name));
        } else {
            self.given = Some((key, value));
        }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.given.as_ref().map(|(_, value)| value)
    }

    /// Where the key stands, if it was given.
    pub(crate) fn span(&self) -> Option<Span> {
        self.given.as_ref().map(|(span, _)| *span)
    }

    pub(crate) fn is_given(&self) -> bool {
        self.given.is_some()
    }
}

impl Entry {
    /// The value, which this key needs; `example` shows how it is written.
    pub(crate) fn required(&self, example: &str, errors: &mut Errors) -> Option<&Expr> {
        if self.value.is_none() {
            errors.at(self.key.span(), format!("`{}` needs a value: `{example}`", self.key));
        }
        self.value.as_ref()
    }

    /// The value as one identifier.
    pub(crate) fn word(&self, example: &str, errors: &mut Errors) -> Option<Ident> {
        let value = self.required(example, errors)?;
        if let Expr::Path(path) = value
            && let Some(word) = path.path.get_ident()
        {
            return Some(word.clone());
        }
        errors.at_tokens(value, format!("expected a plain word: `{example}`"));
        None
    }

    /// The value as one of `words`.
    pub(crate) fn one_of<T: Copy>(&self, words: &[(&str, T)], errors: &mut Errors) -> Option<T> {
        let example = format!("{} = {}", self.key, words.last().map_or("…", |(word, _)| word));
        let word = self.word(&example, errors)?;
        let found = words.iter().find(|(name, _)| word == name).map(|(_, value)| *value);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
            let advice = names::suggestion(&word.to_string(), &known);
            errors.at(word.span(), format!("`{}` has no value `{word}`; {advice}", self.key));
        }
        found
    }

    /// The value as a flag: nothing, `= true` or `= false`.
    pub(crate) fn flag(&self, errors: &mut Errors) -> Option<bool> {
        match &self.value {
            None => Some(true),
            Some(Expr::Lit(ExprLit { lit: Lit::Bool(value), .. })) => Some(value.value),
            Some(other) => {
                errors.at_tokens(other, format!("`{0}` is a flag: write `{0}` or `{0} = false`", self.key));
                None
            }
        }
    }

    /// Refuses a value behind a key that takes none.
    pub(crate) fn alone(&self, errors: &mut Errors) {
        if let Some(value) = &self.value {
            errors.at_tokens(value, format!("`{}` takes no value", self.key));
        }
    }
}
