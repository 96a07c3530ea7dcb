//! The arithmetic behind the tool `calculate`.
//!
//! The characters that the tool allows happen to spell more than the four operations: `**` is a power and `//` a
//! division rounded down. The benchmark hands the text to Python, so this evaluates it as Python does: whole numbers
//! are exact, `/` always gives a fraction, `-2**2` is `-4`, and `007` is a mistake. What Python would compute for
//! hours (`9**9**9`) is refused instead.
//!
//! The parser is one function a line of this grammar, and computes while it reads:
//!
//! ```text
//! sum    = product (("+" | "-") product)*
//! product= signed (("*" | "/" | "//") signed)*
//! signed = ("+" | "-") signed | power
//! power  = atom ("**" signed)?
//! atom   = number | "(" sum ")"
//! ```

mod number;
#[cfg(test)]
mod tests;

use std::str::FromStr;

use num_bigint::BigInt;

use self::number::Number;
use crate::money::round2;

/// Longest expression that is looked at, in bytes.
const MAX_LENGTH: usize = 10_000;

/// How deep parentheses, signs and powers may nest: each level is a few calls on the stack.
const MAX_DEPTH: usize = 200;

/// Why an expression has no value. Reads well behind `Error: `.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CalculationError {
    #[error("invalid characters in expression")]
    InvalidCharacters,
    #[error("invalid syntax at position {0}: expected a number or `(`")]
    ExpectedValue(usize),
    #[error("invalid syntax at position {0}: expected an operator or the end")]
    ExpectedOperator(usize),
    #[error("invalid syntax: `(` at position {0} is never closed")]
    NeverClosed(usize),
    #[error("invalid syntax at position {0}: a whole number has no leading zeros")]
    LeadingZeros(usize),
    #[error("expression too long: more than {MAX_LENGTH} characters")]
    TooLong,
    #[error("expression nested too deeply: more than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("{0}")]
    DivisionByZero(&'static str),
    #[error("number too large")]
    TooLarge,
    #[error("the result is not a real number")]
    NotReal,
}

/// The value of an expression, rounded to two decimals and printed as Python prints a float: `54.04`, `3.0`, `1e+16`.
pub(crate) fn calculate(expression: &str) -> Result<String, CalculationError> {
    if !expression.bytes().all(|byte| b"0123456789+-*/(). ".contains(&byte)) {
        return Err(CalculationError::InvalidCharacters);
    }
    if expression.len() > MAX_LENGTH {
        return Err(CalculationError::TooLong);
    }
    let mut parser = Parser { text: expression, at: 0, depth: 0 };
    let value = parser.sum()?;
    if parser.peek().is_some() {
        return Err(CalculationError::ExpectedOperator(parser.position()));
    }
    Ok(print_float(round2(value.to_float()?)))
}

/// Python's `str` of a float. Of a rounded one: the smallest that is not zero is 0.01, so only large ones need an
/// exponent.
fn print_float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_finite() && value.abs() >= 1e16 {
        return format!("{value:e}").replace('e', "e+");
    }
    // Debug prints the shortest digits that read back as the same double, with `.0` for a whole one, and `inf`.
    format!("{value:?}")
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<Number, CalculationError> {
        let mut value = self.product()?;
        loop {
            if self.take("+") {
                value = value.add(self.product()?)?;
            } else if self.take("-") {
                value = value.subtract(self.product()?)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<Number, CalculationError> {
        let mut value = self.signed()?;
        loop {
            // `power` has taken every `**` that can stand here.
            if self.take("*") {
                value = value.multiply(self.signed()?)?;
            } else if self.take("//") {
                value = value.divide_down(self.signed()?)?;
            } else if self.take("/") {
                value = value.divide(self.signed()?)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn signed(&mut self) -> Result<Number, CalculationError> {
        if self.take("-") {
            self.nested(Self::signed).map(Number::negate)
        } else if self.take("+") {
            self.nested(Self::signed)
        } else {
            self.power()
        }
    }

    /// A power binds closer than a sign on its left and looser than one on its right: `-2**-1` is `-(2**(-1))`.
    fn power(&mut self) -> Result<Number, CalculationError> {
        let base = self.atom()?;
        if self.take("**") { base.power(self.nested(Self::signed)?) } else { Ok(base) }
    }

    fn atom(&mut self) -> Result<Number, CalculationError> {
        let start = self.position();
        if !self.take("(") {
            return self.number();
        }
        let value = self.nested(Self::sum)?;
        if self.take(")") {
            Ok(value)
        } else if self.peek().is_none() {
            Err(CalculationError::NeverClosed(start))
        } else {
            Err(CalculationError::ExpectedOperator(self.position()))
        }
    }

    /// `12`, `1.5`, `1.` and `.5`.
    fn number(&mut self) -> Result<Number, CalculationError> {
        let start = self.position();
        let whole = self.digits();
        let is_float = self.text[self.at..].starts_with('.');
        let fraction = if is_float {
            self.at += 1;
            self.digits()
        } else {
            ""
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(CalculationError::ExpectedValue(start));
        }
        if is_float {
            let text = format!("{whole}.{fraction}");
            return f64::from_str(&text).map(Number::Float).map_err(|_| CalculationError::ExpectedValue(start));
        }
        if whole.starts_with('0') && whole.bytes().any(|digit| digit != b'0') {
            return Err(CalculationError::LeadingZeros(start));
        }
        let value = BigInt::from_str(whole).map_err(|_| CalculationError::ExpectedValue(start))?;
        Number::int(value)
    }

    fn digits(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn nested(&mut self, inner: fn(&mut Self) -> Result<Number, CalculationError>) -> Result<Number, CalculationError> {
        if self.depth == MAX_DEPTH {
            return Err(CalculationError::TooDeep);
        }
        self.depth += 1;
        let value = inner(self);
        self.depth -= 1;
        value
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip_spaces();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip_spaces();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Where the next token starts, counted from 1 as people do.
    fn position(&mut self) -> usize {
        self.skip_spaces();
        self.at + 1
    }

    fn skip_spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches(' ').len();
    }
}
