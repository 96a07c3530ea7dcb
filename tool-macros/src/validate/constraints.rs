//! What the constraints of an argument say of each other, as far as it is written in literals: the compiler computes the
//! rest, and nobody could point at it.

use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

use crate::diagnostics::Errors;
use crate::docs;
use crate::parse::parameters::{ArgumentOptions, Bounds, DefaultValue};

/// Refuses an empty range, and a default or example that the argument itself refuses: the model is told both.
pub(super) fn agree(options: &ArgumentOptions, errors: &mut Errors) {
    for bounds in [options.range.get(), options.length.get()].into_iter().flatten() {
        if let (Some(start), Some(end)) = (number(bounds.start.as_ref()), number(bounds.end.as_ref()))
            && (start > end || (start >= end && bounds.end_is_exclusive))
            && let Some(at) = &bounds.start
        {
            errors.at(at.span(), "no value is within these bounds: the smaller one stands first");
        }
    }
    let default = match options.default.get() {
        Some(DefaultValue::Value(value)) => Some(value),
        _ => None,
    };
    for (what, value) in [("default", default), ("example", options.example.get())] {
        if let Some(value) = value {
            fits(what, value, options, errors);
        }
    }
}

fn fits(what: &str, value: &Expr, options: &ArgumentOptions, errors: &mut Errors) {
    if let (Some(number), Some(range)) = (number(Some(value)), options.range.get())
        && !is_within(number, range)
    {
        errors.at(value.span(), format!("this {what} is outside the argument's own `range`"));
    }
    let Some(text) = docs::string_literal(value) else { return };
    // Texts are far shorter than what a float counts exactly.
    #[allow(clippy::cast_precision_loss)]
    if let Some(length) = options.length.get()
        && !is_within(text.chars().count() as f64, length)
    {
        errors.at(value.span(), format!("this {what} is outside the argument's own `length`"));
    }
    let pattern = options.pattern.get().and_then(docs::string_literal);
    if let Some(Ok(pattern)) = pattern.map(|pattern| regex_lite::Regex::new(&pattern))
        && !pattern.is_match(&text)
    {
        errors.at(value.span(), format!("this {what} does not match the argument's own `pattern`"));
    }
}

fn is_within(value: f64, bounds: &Bounds) -> bool {
    let above = number(bounds.start.as_ref()).is_none_or(|start| value >= start);
    let below =
        number(bounds.end.as_ref()).is_none_or(|end| if bounds.end_is_exclusive { value < end } else { value <= end });
    above && below
}

/// The value of a literal number.
fn number(expression: Option<&Expr>) -> Option<f64> {
    match expression? {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => literal.base10_parse().ok(),
        Expr::Lit(ExprLit { lit: Lit::Float(literal), .. }) => literal.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => number(Some(expr)).map(|value: f64| -value),
        _ => None,
    }
}
