//! Bounds that a schema has and a decoder does not: it takes what is beyond them.

use serde_json::{Value, json};

use super::allows;

/// A keyword of `one` that refuses something that `other` allows, and that the decoder of `one` knows nothing of.
pub(super) fn keyword(one: &Value, other: &Value) -> Option<&'static str> {
    // A few values, mostly short words: not compared with bounds.
    if other.get("const").is_some() || other.get("enum").is_some() {
        return None;
    }
    let both = |kind: &str| allows(one, kind) && allows(other, kind);
    let is_number = |schema: &Value| allows(schema, "number") || allows(schema, "integer");
    let of_number = if is_number(one) && is_number(other) { of_number(one, other) } else { None };
    of_number
        .or_else(|| if both("string") { of_string(one, other) } else { None })
        .or_else(|| if both("array") { of_array(one, other) } else { None })
        .or_else(|| if both("object") { counted(one, other, "minProperties", "maxProperties") } else { None })
}

fn of_number(one: &Value, other: &Value) -> Option<&'static str> {
    let (lower, upper) = of_integer_type(one);
    let is_within =
        |theirs: Option<f64>, ours: f64, tighter: fn(f64, f64) -> bool| theirs.is_some_and(|b| tighter(b, ours));
    let bound = |schema: &Value, keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    for (keyword, known, exclusive, tighter) in [
        ("minimum", lower, "exclusiveMinimum", (|theirs, ours| theirs >= ours) as fn(f64, f64) -> bool),
        ("maximum", upper, "exclusiveMaximum", |theirs, ours| theirs <= ours),
    ] {
        let theirs = || [bound(other, keyword), bound(other, exclusive)];
        if let Some(ours) = bound(one, keyword).filter(|_| !known)
            && !theirs().into_iter().any(|theirs| is_within(theirs, ours, tighter))
        {
            return Some(keyword);
        }
        // Their own bound, where it is not exclusive, has to be beyond: the bound itself is out.
        if let Some(ours) = bound(one, exclusive)
            && !is_within(bound(other, exclusive), ours, tighter)
            && !bound(other, keyword).is_some_and(|theirs| tighter(theirs, ours) && !theirs.total_cmp(&ours).is_eq())
        {
            return Some(exclusive);
        }
    }
    let divisor = one.get("multipleOf").filter(|divisor| other.get("multipleOf") != Some(*divisor));
    divisor.map(|_| "multipleOf")
}

/// Whether the lower and the upper bound are those of an integer type of Rust, which its decoder knows.
fn of_integer_type(schema: &Value) -> (bool, bool) {
    if allows(schema, "number") {
        return (false, false);
    }
    let lowest = [json!(i8::MIN), json!(i16::MIN), json!(i32::MIN), json!(i64::MIN)];
    let highest_signed = [json!(i8::MAX), json!(i16::MAX), json!(i32::MAX), json!(i64::MAX)];
    let highest = [json!(u8::MAX), json!(u16::MAX), json!(u32::MAX), json!(u64::MAX)];
    let (lower, upper) = (schema.get("minimum"), schema.get("maximum"));
    let is_of = |bound: Option<&Value>, of: &[Value]| bound.is_some_and(|bound| of.contains(bound));
    // Zero is that of every unsigned type, one that of those without zero.
    let is_unsigned = match lower.and_then(Value::as_u64) {
        Some(0) => !is_of(upper, &highest_signed),
        Some(1) => upper.is_none() || is_of(upper, &highest),
        _ => false,
    };
    (is_of(lower, &lowest) || is_unsigned, is_of(upper, &highest_signed) || is_of(upper, &highest))
}

/// The patterns that the generator has for types whose decoders know them: a decimal number and a version.
const DECODED: [&str; 2] = [
    r"^-?\d+(\.\d+)?([eE]\d+)?$",
    r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$",
];

fn of_string(one: &Value, other: &Value) -> Option<&'static str> {
    // A `char`, whose decoder takes no other length.
    let is_char = ["minLength", "maxLength"].iter().all(|keyword| one.get(keyword) == Some(&json!(1)));
    let length = if is_char { None } else { counted(one, other, "minLength", "maxLength") };
    let pattern = one.get("pattern").and_then(Value::as_str).filter(|_| one.get("pattern") != other.get("pattern"));
    let pattern = pattern.filter(|pattern| !DECODED.contains(pattern));
    length.or(pattern.map(|_| "pattern"))
}

fn of_array(one: &Value, other: &Value) -> Option<&'static str> {
    // Tuples and arrays of Rust have one length, which their decoders know.
    let is_fixed = one.get("minItems").is_some() && one.get("minItems") == one.get("maxItems");
    let count = if is_fixed { None } else { counted(one, other, "minItems", "maxItems") };
    let is_set = |schema: &Value| schema.get("uniqueItems") == Some(&json!(true));
    count.or((is_set(one) && !is_set(other)).then_some("uniqueItems"))
}

fn counted(one: &Value, other: &Value, least: &'static str, most: &'static str) -> Option<&'static str> {
    let count = |schema: &Value, keyword| schema.get(keyword).and_then(Value::as_u64);
    let has_fewer = count(one, least).is_some_and(|least_of_one| count(other, least).unwrap_or(0) < least_of_one);
    let has_more = count(one, most).is_some_and(|most_of_one| count(other, most).is_none_or(|most| most > most_of_one));
    if has_fewer { Some(least) } else { has_more.then_some(most) }
}
