use super::{CalculationError, MAX_DEPTH, MAX_LENGTH, calculate};

/// What Python 3.11 answers: `str(round(float(eval(expression)), 2))`.
#[test]
fn values_are_those_of_python() {
    let table = [
        ("2 + 2", "4.0"),
        ("1-2-3", "-4.0"),
        ("100/10/5", "2.0"),
        ("2*3**2", "18.0"),
        ("1179.48 - 1010.21 - 19.9", "149.37"),
        ("164.28+46.29*2-(3.5/7)", "256.36"),
        (" 1 +  1 ", "2.0"),
        ("((((7))))", "7.0"),
        // Numbers.
        ("5.", "5.0"),
        (".5", "0.5"),
        ("00", "0.0"),
        ("08.25", "8.25"),
        ("1.-2", "-1.0"),
        // Signs and powers.
        ("--1", "1.0"),
        ("+-+5", "-5.0"),
        ("2*-3", "-6.0"),
        ("2- -3", "5.0"),
        ("-2**2", "-4.0"),
        ("(-2)**2", "4.0"),
        ("2**3**2", "512.0"),
        ("2**-1", "0.5"),
        ("-2**-1", "-0.5"),
        ("2**-2**2", "0.06"),
        ("0**0", "1.0"),
        ("(-1)**99999999999", "-1.0"),
        ("0**99999999999", "0.0"),
        ("2.5**0.5", "1.58"),
        ("-1**2.5", "-1.0"),
        // Division rounded down.
        ("7//2", "3.0"),
        ("-7//2", "-4.0"),
        ("7//-2", "-4.0"),
        ("-7.5//2", "-4.0"),
        ("7//0.1", "69.0"),
        ("1.1//0.1", "11.0"),
        ("759.9//6.26", "121.0"),
        ("0//-3.5", "-0.0"),
        // Rounding: the exact binary value, a tie to the even digit.
        ("0.125", "0.12"),
        ("0.375", "0.38"),
        ("2.675", "2.67"),
        ("1.005", "1.0"),
        ("0.005", "0.01"),
        ("0.015", "0.01"),
        ("-0.001", "-0.0"),
        // Large numbers.
        ("10**15", "1000000000000000.0"),
        ("10**16", "1e+16"),
        ("123456789012345678", "1.2345678901234568e+17"),
        ("1234567890123456.78", "1234567890123456.8"),
        ("2**1000", "1.0715086071862673e+301"),
        ("3**300", "1.3689147905858837e+143"),
        ("10**400/10**399", "10.0"),
        ("10**50-10**50+1", "1.0"),
        ("(2**53+1)/3", "3002399751580331.0"),
        ("((2**53+1)*10**30+1)/10**30", "9007199254740994.0"),
        ("1/10**305*10**305", "1.0"),
        ("10.0**-400", "0.0"),
        ("10.0**300*10.0**300", "inf"),
        ("10.0**300*10.0**300-10.0**300*10.0**300", "nan"),
    ];
    for (expression, value) in table {
        assert_eq!(calculate(expression).as_deref(), Ok(value), "{expression}");
    }
}

#[test]
fn what_has_no_value_is_refused() {
    use CalculationError::{
        DivisionByZero, ExpectedOperator, ExpectedValue, InvalidCharacters, LeadingZeros, NeverClosed, NotReal,
        TooLarge,
    };
    let table = [
        ("1,2", InvalidCharacters),
        ("1e5", InvalidCharacters),
        ("1_000", InvalidCharacters),
        ("2\t+2", InvalidCharacters),
        ("two", InvalidCharacters),
        ("٣", InvalidCharacters),
        ("", ExpectedValue(1)),
        ("  ", ExpectedValue(3)),
        ("()", ExpectedValue(2)),
        ("2 +", ExpectedValue(4)),
        ("2 * * 3", ExpectedValue(5)),
        (".", ExpectedValue(1)),
        ("1 2", ExpectedOperator(3)),
        ("1.2.3", ExpectedOperator(4)),
        ("2(3)", ExpectedOperator(2)),
        ("1)", ExpectedOperator(2)),
        ("3 * (1 + 2", NeverClosed(5)),
        ("1 + 007", LeadingZeros(5)),
        ("1/0", DivisionByZero("division by zero")),
        ("1/0.0", DivisionByZero("float division by zero")),
        ("1//0", DivisionByZero("integer division or modulo by zero")),
        ("1//0.0", DivisionByZero("float floor division by zero")),
        ("0**-1", DivisionByZero("0.0 cannot be raised to a negative power")),
        ("(-8)**0.5", NotReal),
        ("10**309", TooLarge),
        ("10**308*10", TooLarge),
        ("10.0**309", TooLarge),
        ("2**1024/1", TooLarge),
    ];
    for (expression, refusal) in table {
        assert_eq!(calculate(expression), Err(refusal), "{expression}");
    }
}

/// None of these takes long, or much of the stack.
#[test]
fn what_would_take_for_ever_is_refused_at_once() {
    assert_eq!(calculate("9**9**9"), Err(CalculationError::TooLarge));
    assert_eq!(calculate("9**9**9**9"), Err(CalculationError::TooLarge));
    let squares = "(".repeat(100) + "9" + &"**9)".repeat(100);
    assert_eq!(calculate(&squares), Err(CalculationError::TooLarge));

    let nested = |depth: usize| "(".repeat(depth) + "1" + &")".repeat(depth);
    assert_eq!(calculate(&nested(MAX_DEPTH)).as_deref(), Ok("1.0"));
    assert_eq!(calculate(&nested(MAX_DEPTH + 1)), Err(CalculationError::TooDeep));
    assert_eq!(calculate(&("-".repeat(MAX_DEPTH + 1) + "1")), Err(CalculationError::TooDeep));
    assert_eq!(calculate(&("1**".repeat(MAX_DEPTH + 1) + "1")), Err(CalculationError::TooDeep));

    assert_eq!(calculate(&"1".repeat(MAX_LENGTH + 1)), Err(CalculationError::TooLong));
    let sum = "1+".repeat(MAX_LENGTH / 2 - 1) + "1";
    assert_eq!(calculate(&sum).as_deref(), Ok("5000.0"));
    let digits = "9".repeat(MAX_LENGTH);
    assert_eq!(calculate(&digits), Err(CalculationError::TooLarge));
}
