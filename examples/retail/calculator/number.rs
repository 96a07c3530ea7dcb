//! Python's two kinds of number: whole ones without limit (here: up to [`MAX_BITS`]) and doubles.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use super::CalculationError;

/// Largest whole number, in bits: some 4,900 digits. Keeps every operation short; a result beyond 1.8e308 cannot be
/// printed anyway.
const MAX_BITS: u64 = 1 << 14;

#[derive(Clone, Debug)]
pub(super) enum Number {
    Int(BigInt),
    Float(f64),
}

use Number::{Float, Int};

type Result = std::result::Result<Number, CalculationError>;

impl Number {
    /// A whole number, if it is not too large.
    pub(super) fn int(value: BigInt) -> Result {
        if value.bits() > MAX_BITS {
            return Err(CalculationError::TooLarge);
        }
        Ok(Int(value))
    }

    /// The nearest double; a whole number may have none.
    pub(super) fn to_float(&self) -> std::result::Result<f64, CalculationError> {
        match self {
            Float(value) => Ok(*value),
            Int(value) => finite(value.to_f64().unwrap_or(f64::INFINITY)),
        }
    }

    pub(super) fn negate(self) -> Self {
        match self {
            Int(value) => Int(-value),
            Float(value) => Float(-value),
        }
    }

    pub(super) fn add(self, other: Self) -> Result {
        match (self, other) {
            (Int(a), Int(b)) => Self::int(a + b),
            (a, b) => Ok(Float(a.to_float()? + b.to_float()?)),
        }
    }

    pub(super) fn subtract(self, other: Self) -> Result {
        self.add(other.negate())
    }

    pub(super) fn multiply(self, other: Self) -> Result {
        match (self, other) {
            (Int(a), Int(b)) => Self::int(a * b),
            (a, b) => Ok(Float(a.to_float()? * b.to_float()?)),
        }
    }

    /// `/`: always a double, and the nearest one also where the whole numbers themselves have none.
    pub(super) fn divide(self, other: Self) -> Result {
        match (self, other) {
            (Int(_), Int(b)) if b.is_zero() => Err(CalculationError::DivisionByZero("division by zero")),
            (Int(a), Int(b)) => finite(nearest_quotient(&a, &b)).map(Float),
            (a, b) => {
                let (a, b) = (a.to_float()?, b.to_float()?);
                if b == 0.0 {
                    return Err(CalculationError::DivisionByZero("float division by zero"));
                }
                Ok(Float(a / b))
            }
        }
    }

    /// `//`: rounded down, so `-7//2` is `-4`.
    pub(super) fn divide_down(self, other: Self) -> Result {
        match (self, other) {
            (Int(_), Int(b)) if b.is_zero() => {
                Err(CalculationError::DivisionByZero("integer division or modulo by zero"))
            }
            (Int(a), Int(b)) => Ok(Int(a.div_floor(&b))),
            (a, b) => {
                let (a, b) = (a.to_float()?, b.to_float()?);
                if b == 0.0 {
                    return Err(CalculationError::DivisionByZero("float floor division by zero"));
                }
                Ok(Float(floor_quotient(a, b)))
            }
        }
    }

    /// `**`: whole only if both are and the exponent is not negative.
    pub(super) fn power(self, exponent: Self) -> Result {
        match (self, exponent) {
            (Int(base), Int(exponent)) if !exponent.is_negative() => int_power(&base, &exponent),
            (base, exponent) => float_power(base.to_float()?, exponent.to_float()?),
        }
    }
}

fn finite(value: f64) -> std::result::Result<f64, CalculationError> {
    if value.is_finite() { Ok(value) } else { Err(CalculationError::TooLarge) }
}

/// The double nearest to `a / b`.
///
/// Takes 66 or 67 bits of the quotient and lets the lowest one say whether anything follows; the conversion to a
/// double then rounds once, and rightly.
fn nearest_quotient(a: &BigInt, b: &BigInt) -> f64 {
    let (top, bottom) = (a.magnitude(), b.magnitude());
    let shift = 66 + bits(bottom) - bits(top);
    let by = shift.unsigned_abs();
    let (quotient, rest) = if shift >= 0 { (top << by).div_rem(bottom) } else { top.div_rem(&(bottom << by)) };
    let quotient = quotient | BigUint::from(u8::from(!rest.is_zero()));
    // In two steps, because the power alone can be out of range where the product is not.
    let value = quotient.to_f64().unwrap_or(f64::INFINITY) * 2f64.powi(-(shift / 2)) * 2f64.powi(-(shift - shift / 2));
    if a.is_negative() == b.is_negative() { value } else { -value }
}

/// Never more than [`MAX_BITS`].
fn bits(value: &BigUint) -> i32 {
    value.bits().to_i32().unwrap_or(i32::MAX)
}

/// The algorithm of Python's float `//`: by way of the remainder, which is exact, because `a / b` may round up to the
/// next whole number.
fn floor_quotient(a: f64, b: f64) -> f64 {
    let rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest != 0.0 && (b < 0.0) != (rest < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0f64.copysign(a / b);
    }
    // The division before may have come out a little below the whole number that it stands for.
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

fn int_power(base: &BigInt, exponent: &BigInt) -> Result {
    // 0, 1 and -1 stay small whatever the exponent is, so that only its parity counts.
    if base.bits() <= 1 {
        let small = if exponent.is_zero() { 0 } else { 2 - u32::from(exponent.is_odd()) };
        return Number::int(base.pow(small));
    }
    // The result has at least (bits - 1) * exponent bits: too many are refused before they are computed.
    match exponent.to_u32() {
        Some(exponent) if (base.bits() - 1).saturating_mul(exponent.into()) < MAX_BITS => {
            Number::int(base.pow(exponent))
        }
        _ => Err(CalculationError::TooLarge),
    }
}

fn float_power(base: f64, exponent: f64) -> Result {
    if base == 0.0 && exponent < 0.0 {
        return Err(CalculationError::DivisionByZero("0.0 cannot be raised to a negative power"));
    }
    // A root of a negative number: Python goes on with a complex one, which is no answer in the end.
    if base < 0.0 && base.is_finite() && exponent.is_finite() && exponent.fract() != 0.0 {
        return Err(CalculationError::NotReal);
    }
    let value = base.powf(exponent);
    if value.is_infinite() && base.is_finite() && exponent.is_finite() {
        return Err(CalculationError::TooLarge);
    }
    Ok(Float(value))
}
