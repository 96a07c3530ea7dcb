//! Doc comments as descriptions.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// A text that the model reads: a literal, or a constant expression that only the compiler can evaluate.
#[derive(Clone)]
pub(crate) enum Text {
    Literal(String),
    Expression(TokenStream),
}

impl Text {
    /// The text of a value in an attribute.
    pub(crate) fn of(expression: &Expr) -> Self {
        match string_literal(expression) {
            Some(text) => Self::Literal(text),
            None => Self::Expression(expression.to_token_stream()),
        }
    }

    pub(crate) fn is_blank(&self) -> bool {
        matches!(self, Self::Literal(text) if text.trim().is_empty())
    }
}

impl ToTokens for Text {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Literal(text) => text.to_tokens(tokens),
            Self::Expression(expression) => expression.to_tokens(tokens),
        }
    }
}

/// The doc comment among `attributes`, its lines joined; empty where there is none.
pub(crate) fn doc_comment(attributes: &[Attribute]) -> Text {
    let lines: Vec<&Expr> = attributes.iter().filter_map(doc_line).collect();
    let literals: Option<Vec<String>> = lines.iter().map(|line| string_literal(line)).collect();
    if let Some(lines) = literals {
        return Text::Literal(joined(&lines));
    }
    // `#[doc = include_str!("…")]` and the like: joined by the compiler.
    let parts = lines.iter().enumerate().map(|(position, line)| {
        let end = (position > 0).then_some("\n");
        let text =
            string_literal(line).map_or_else(|| line.to_token_stream(), |text| joined(&[text]).to_token_stream());
        end.map_or_else(|| quote!(#text), |end| quote!(#end, #text))
    });
    Text::Expression(quote!(::core::concat!(#(#parts),*)))
}

/// Whether an attribute is a line of a doc comment.
pub(crate) fn is_doc_comment(attribute: &Attribute) -> bool {
    doc_line(attribute).is_some()
}

fn doc_line(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(&pair.value),
        _ => None,
    }
}

/// The value of a string literal.
pub(crate) fn string_literal(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Group(group) => string_literal(&group.expr), // a literal that came through a `macro_rules!` variable
        _ => None,
    }
}

/// Joins the lines of a doc comment without the space that `///` puts before each. A block comment holds several lines
/// in one attribute, and may have a star before each.
fn joined(comments: &[String]) -> String {
    let mut lines = Vec::new();
    for comment in comments {
        let starred = comment.contains('\n')
            && comment
                .lines()
                .skip(1)
                .filter(|line| !line.trim().is_empty())
                .all(|line| line.trim_start().starts_with('*'));
        lines.extend(comment.split('\n').map(|line| {
            let line = if starred { line.trim_start().strip_prefix('*').unwrap_or(line) } else { line };
            line.strip_prefix(' ').unwrap_or(line).trim_end()
        }));
    }
    lines.join("\n").trim_matches('\n').trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn text(attributes: &[Attribute]) -> String {
        match doc_comment(attributes) {
            Text::Literal(text) => text,
            Text::Expression(tokens) => panic!("not a literal: {tokens}"),
        }
    }

    #[test]
    fn lines_are_joined_without_their_leading_space() {
        let attributes: Vec<Attribute> = vec![
            parse_quote!(#[doc = " Adds."]),
            parse_quote!(#[allow(unused)]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = "   indented  "]),
        ];
        assert_eq!(text(&attributes), "Adds.\n\n  indented");
        let block: Vec<Attribute> = vec![parse_quote!(#[doc = "\n * Adds.\n * Well.\n "])];
        assert_eq!(text(&block), "Adds.\nWell.");
        let list: Vec<Attribute> = vec![parse_quote!(#[doc = " Adds\n* one\n**bold**\nnone"])];
        assert_eq!(text(&list), "Adds\n* one\n**bold**\nnone");
        assert_eq!(text(&[]), "");
    }

    #[test]
    fn a_computed_doc_comment_is_left_to_the_compiler() {
        let attributes: Vec<Attribute> = vec![parse_quote!(#[doc = include_str!("a.md")])];
        assert!(matches!(doc_comment(&attributes), Text::Expression(_)));
    }
}
