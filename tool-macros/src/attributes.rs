//! Keys in attributes: `key`, `key = value`, `key(…)`.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Lit, Token};

use crate::diagnostics::Errors;
use crate::docs;
use crate::names;

/// One key with what stands behind it.
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

/// What stands behind a key.
pub(crate) enum Value {
    /// Nothing.
    Absent,
    /// `= EXPR`.
    Is(Expr),
    /// `(…)`.
    Of(Group),
}

/// Reads a list of entries. After a malformed one it goes on behind the next comma, so that each is reported.
pub(crate) fn entries(tokens: TokenStream, errors: &mut Errors) -> Vec<Entry> {
    let mut found = Vec::new();
    let read = |input: ParseStream<'_>| {
        while !input.is_empty() {
            match entry(input) {
                Ok(entry) => found.push(entry),
                Err(error) => {
                    errors.push(error);
                    while !input.is_empty() && !input.peek(Token![,]) {
                        input.parse::<TokenTree>()?;
                    }
                }
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    };
    // What cannot be read is reported above, and what is left is nothing.
    let _: syn::Result<()> = read.parse2(tokens);
    found
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    if !input.peek(Ident::peek_any) {
        return Err(input.error("expected a key, such as `recovery = replay_safe`"));
    }
    let key = input.call(Ident::parse_any)?;
    let value = value(&key, input)?;
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(Entry { key, value });
    }
    Err(input.error(format!("expected a comma behind `{key}`")))
}

fn value(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value> {
    if input.parse::<Option<Token![=]>>()?.is_some() {
        if input.is_empty() || input.peek(Token![,]) {
            return Err(syn::Error::new(key.span(), format!("`{key} =` needs a value behind it")));
        }
        return Ok(Value::Is(ungrouped(input.parse()?)));
    }
    if input.peek(syn::token::Paren)
        && let TokenTree::Group(group) = input.parse()?
        && group.delimiter() == Delimiter::Parenthesis
    {
        return Ok(Value::Of(group));
    }
    Ok(Value::Absent)
}

/// An expression without the invisible group that a `macro_rules!` variable puts around it.
fn ungrouped(expression: Expr) -> Expr {
    match expression {
        Expr::Group(group) => ungrouped(*group.expr),
        other => other,
    }
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

impl Slot<bool> {
    /// Whether the flag is up.
    pub(crate) fn is_set(&self) -> bool {
        self.get() == Some(&true)
    }
}

impl Entry {
    /// The value, which this key needs; `example` shows how it is written.
    pub(crate) fn required(&self, example: &str, errors: &mut Errors) -> Option<&Expr> {
        match &self.value {
            Value::Is(value) => Some(value),
            Value::Absent | Value::Of(_) => {
                errors.at(self.key.span(), format!("`{}` needs a value: `{example}`", self.key));
                None
            }
        }
    }

    /// The list behind the key, which it needs.
    pub(crate) fn list(&self, example: &str, errors: &mut Errors) -> Option<&Group> {
        match &self.value {
            Value::Of(group) => Some(group),
            Value::Absent | Value::Is(_) => {
                errors.at(self.key.span(), format!("`{}` takes a list: `{example}`", self.key));
                None
            }
        }
    }

    /// The value as a string literal.
    pub(crate) fn text(&self, example: &str, errors: &mut Errors) -> Option<(String, Span)> {
        let value = self.required(example, errors)?;
        if let Some(text) = docs::string_literal(value) {
            return Some((text, syn::spanned::Spanned::span(value)));
        }
        errors.at_tokens(value, format!("`{}` takes a string literal: `{example}`", self.key));
        None
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
        self.among(&word, words, errors)
    }

    /// `word` as one of `words`.
    pub(crate) fn among<T: Copy>(&self, word: &Ident, words: &[(&str, T)], errors: &mut Errors) -> Option<T> {
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
        let faulty = match &self.value {
            Value::Absent => return Some(true),
            Value::Is(Expr::Lit(ExprLit { lit: Lit::Bool(value), .. })) => return Some(value.value),
            Value::Is(other) => quote::ToTokens::to_token_stream(other),
            Value::Of(group) => TokenStream::from(TokenTree::Group(group.clone())),
        };
        errors.at_tokens(&faulty, format!("`{0}` is a flag: write `{0}` or `{0} = false`", self.key));
        None
    }

    /// Refuses anything behind a key that takes nothing.
    pub(crate) fn alone(&self, errors: &mut Errors) {
        let faulty = match &self.value {
            Value::Absent => return,
            Value::Is(other) => quote::ToTokens::to_token_stream(other),
            Value::Of(group) => TokenStream::from(TokenTree::Group(group.clone())),
        };
        errors.at_tokens(&faulty, format!("`{}` takes no value", self.key));
    }

    /// A key that the attribute does not have.
    pub(crate) fn unknown(&self, attribute: &str, known: &[&str], errors: &mut Errors) {
        let key = &self.key;
        let advice = names::suggestion(&key.to_string(), known);
        errors.at(key.span(), format!("`{attribute}` has no key `{key}`; {advice}"));
    }
}
