//! Numbers, exactly: an integer is read by its digits, however it is written, and never through a float.

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};
use serde_json::{Number, Value};
use std::cmp::Ordering;
use std::io;

/// A number, and how it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numeric {
    pub(super) exact: Exact,
    /// Written as a decoder of integers reads it: digits alone. (`-0` is a float to `serde_json`.)
    pub(super) plain: bool,
}

impl Numeric {
    pub(super) fn is_positive(self) -> bool {
        self.exact.compare(Exact::Integer(0)).is_gt()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Exact {
    Integer(i128),
    /// An integer beyond 128 bits; infinite where no float holds it.
    Beyond(f64),
    /// Anything else, as the nearest float.
    Fraction(f64),
}

impl Exact {
    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Self::Fraction(_))
    }

    pub(super) fn is_finite(self) -> bool {
        match self {
            Self::Integer(_) => true,
            Self::Beyond(float) | Self::Fraction(float) => float.is_finite(),
        }
    }

    /// Whether a float of 32 bits holds it, which is not infinite then.
    pub(super) fn fits_single(self) -> bool {
        match self {
            Self::Integer(_) => true,
            #[allow(clippy::cast_possible_truncation)] // that is the question
            Self::Beyond(float) | Self::Fraction(float) => (float as f32).is_finite(),
        }
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(&b),
            (Self::Integer(a), Self::Beyond(b) | Self::Fraction(b)) => integer_and_float(a, b),
            (Self::Beyond(a) | Self::Fraction(a), Self::Integer(b)) => integer_and_float(b, a).reverse(),
            (Self::Beyond(a) | Self::Fraction(a), Self::Beyond(b) | Self::Fraction(b)) => a.total_cmp(&b),
        }
    }
}

/// 2^127.
const BEYOND: f64 = 1.701_411_834_604_692_3e38;

fn integer_and_float(integer: i128, float: f64) -> Ordering {
    if float >= BEYOND {
        Ordering::Less
    } else if float < -BEYOND {
        Ordering::Greater
    } else {
        #[allow(clippy::cast_possible_truncation)] // within 128 bits, as was just seen
        let whole = float.floor() as i128;
        integer.cmp(&whole).then(if float.fract() == 0.0 { Ordering::Equal } else { Ordering::Less })
    }
}

/// Reads the text of a JSON number.
pub(super) fn read(text: &str) -> Numeric {
    let bytes = text.as_bytes();
    if bytes.len() <= 18 && bytes.iter().all(u8::is_ascii_digit) {
        let integer = bytes.iter().fold(0_i64, |all, digit| all * 10 + i64::from(digit - b'0'));
        return Numeric { exact: Exact::Integer(integer.into()), plain: true };
    }
    let plain = text != "-0" && !bytes.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    if plain {
        let exact = text.parse().map_or_else(|_| Exact::Beyond(float(text)), Exact::Integer);
        return Numeric { exact, plain };
    }
    Numeric { exact: Decimal::read(text).exact(text), plain }
}

/// Reads a number of a parsed value.
pub(super) fn of(number: &Number) -> Numeric {
    if let Some(integer) = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)) {
        return Numeric { exact: Exact::Integer(integer), plain: true };
    }
    match number.as_f64() {
        // What is not integral as a float is not integral in its digits either.
        Some(float) if float.fract() != 0.0 => Numeric { exact: Exact::Fraction(float), plain: false },
        Some(float) => of_whole(number, float),
        None => read(&number.to_string()),
    }
}

/// An integral float is what it is, and not the shortest digits that tell it from other floats. Under `arbitrary_precision`
/// a number may have digits of its own, which say more.
fn of_whole(number: &Number, float: f64) -> Numeric {
    let written = number.to_string();
    if float.abs() < BEYOND && is_shortest(&written, float) {
        #[allow(clippy::cast_possible_truncation)] // within 128 bits, as was just seen
        return Numeric { exact: Exact::Integer(float as i128), plain: false };
    }
    read(&written)
}

/// Whether these are the digits that `serde_json` gives a float, and not those of a text.
fn is_shortest(written: &str, float: f64) -> bool {
    Number::from_f64(float).is_some_and(|same| same.to_string() == written)
}

/// The JSON text of a value, in which an integral float has all the digits of the integer that it is.
pub(super) fn written(value: &Value) -> String {
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, WholeDigits);
    // Nothing can fail: a value is always JSON, and memory takes what is written.
    let written = value.serialize(&mut serializer).ok().and_then(|()| String::from_utf8(text).ok());
    written.unwrap_or_else(|| value.to_string())
}

struct WholeDigits;

impl Formatter for WholeDigits {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, float: f64) -> io::Result<()> {
        if float.fract() == 0.0 && float.abs() < BEYOND {
            write!(writer, "{float:.1}")
        } else {
            CompactFormatter.write_f64(writer, float)
        }
    }

    /// Under `arbitrary_precision` a float is its digits as well.
    fn write_number_str<W: ?Sized + io::Write>(&mut self, writer: &mut W, digits: &str) -> io::Result<()> {
        match digits.parse::<f64>() {
            Ok(float) if digits.contains(['.', 'e', 'E']) && is_shortest(digits, float) => {
                self.write_f64(writer, float)
            }
            _ => writer.write_all(digits.as_bytes()),
        }
    }
}

fn float(text: &str) -> f64 {
    text.parse().unwrap_or(f64::INFINITY)
}

/// A number as its significant digits and a power of ten.
struct Decimal<'s> {
    negative: bool,
    whole: &'s str,
    fraction: &'s str,
    exponent: i64,
}

impl<'s> Decimal<'s> {
    fn read(text: &'s str) -> Self {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (significand, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
        // An exponent beyond 64 bits is as good as the largest: the number is zero, out of range or no integer.
        let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 });
        Self { negative, whole, fraction, exponent }
    }

    /// The digits without leading and trailing zeros, and the power of ten of the last one.
    #[allow(clippy::cast_possible_wrap)] // lengths of texts
    fn significant(&self) -> (impl Iterator<Item = u8> + use<'s>, usize, i64) {
        let digits = self.whole.bytes().chain(self.fraction.bytes());
        let count = self.whole.len() + self.fraction.len();
        let leading = digits.clone().take_while(|digit| *digit == b'0').count();
        let trailing = digits.clone().rev().take_while(|digit| *digit == b'0').count();
        let kept = count.saturating_sub(leading + trailing);
        let power = self.exponent.saturating_sub(self.fraction.len() as i64).saturating_add(trailing as i64);
        (digits.skip(leading).take(kept), kept, power)
    }

    fn exact(&self, text: &str) -> Exact {
        let (digits, kept, power) = self.significant();
        if kept == 0 {
            return Exact::Integer(0);
        }
        if power < 0 {
            return Exact::Fraction(float(text));
        }
        let zeros = usize::try_from(power).unwrap_or(usize::MAX).min(40);
        let integer = digits
            .chain(std::iter::repeat_n(b'0', zeros))
            .try_fold(0_i128, |all, digit| all.checked_mul(10)?.checked_add(i128::from(digit - b'0')));
        match integer {
            Some(integer) => Exact::Integer(if self.negative { -integer } else { integer }),
            None => Exact::Beyond(float(text)),
        }
    }

    /// The number as an integer times a power of ten, where 128 bits hold it.
    fn scaled(&self) -> Option<(i128, i64)> {
        let (mut digits, kept, power) = self.significant();
        if kept > 38 {
            return None;
        }
        let integer =
            digits.try_fold(0_i128, |all, digit| all.checked_mul(10)?.checked_add(i128::from(digit - b'0')))?;
        Some((integer, if kept == 0 { 0 } else { power }))
    }
}

/// Whether the number is a multiple of `divisor`, both by their decimal digits: 0.3 is one of 0.1.
pub(super) fn is_multiple(number: &str, divisor: &str) -> bool {
    let exact = || {
        let ((number, a), (divisor, b)) = (Decimal::read(number).scaled()?, Decimal::read(divisor).scaled()?);
        let scale = |integer: i128, power: i64| {
            10_i128.checked_pow(u32::try_from(power - a.min(b)).ok()?)?.checked_mul(integer)
        };
        Some(scale(number, a)?.checked_rem(scale(divisor, b)?)? == 0)
    };
    exact().unwrap_or_else(|| (float(number) / float(divisor)).fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_by_their_digits() {
        for (text, integer, plain) in [
            ("0", 0, true),
            ("-7", -7, true),
            ("3.0", 3, false),
            ("-1.0", -1, false),
            ("1e3", 1000, false),
            ("1.5E1", 15, false),
            ("1200e-2", 12, false),
            ("-0", 0, false),
            ("-0.0", 0, false),
            ("0e999999999999999999999", 0, false),
            ("9007199254740993.0", 9_007_199_254_740_993, false),
            ("18446744073709551615", u64::MAX.into(), true),
            ("1844674407370955161.50e1", 18_446_744_073_709_551_615, false),
            ("170141183460469231731687303715884105727", i128::MAX, true),
        ] {
            assert_eq!(read(text), Numeric { exact: Exact::Integer(integer), plain }, "{text}");
        }
        for text in ["3.5", "1e-1", "0.30", "9007199254740993.5", "1e-999999999999999999999"] {
            assert!(!read(text).exact.is_integer(), "{text}");
        }
        for text in ["1e39", "170141183460469231731687303715884105728", "-1e300"] {
            assert!(matches!(read(text).exact, Exact::Beyond(float) if float.is_finite()), "{text}");
        }
        assert!(!read("1e400").exact.is_finite() && !read("1e999999999999999999999").exact.is_finite());
        assert!(!read(&"9".repeat(400)).exact.is_finite());
    }

    #[test]
    fn order_is_exact_between_integers_and_floats() {
        let ordered = [
            "-1e300",
            "-9007199254740993",
            "-1.5",
            "-1",
            "0",
            "0.5",
            "1",
            "1.5",
            "9007199254740992.0",
            "9007199254740993.0",
            "18446744073709551615",
            "18446744073709551616",
            "1e39",
            "1e300",
        ];
        for (low, a) in ordered.iter().enumerate() {
            for (high, b) in ordered.iter().enumerate() {
                assert_eq!(read(a).exact.compare(read(b).exact), low.cmp(&high), "{a} {b}");
            }
        }
    }

    #[test]
    fn multiples_are_decided_by_decimal_digits() {
        for (number, divisor, expected) in [
            ("10", "5", true),
            ("11", "5", false),
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("-1.5", "0.5", true),
            ("0", "7", true),
            ("1e3", "10", true),
            ("7.0", "7", true),
            ("19.99", "0.01", true),
            ("1e300", "1e299", true),
        ] {
            assert_eq!(is_multiple(number, divisor), expected, "{number} {divisor}");
        }
    }
}
