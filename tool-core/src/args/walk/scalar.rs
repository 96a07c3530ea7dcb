//! Numbers, strings and constants.

use serde_json::Value;
use std::cell::LazyCell;

use super::{Path, Walker, Way};
use crate::args::describe;
use crate::args::input::{Halt, Input, Kind, Num, Text};
use crate::args::mode::RepairRule;
use crate::args::number::{self, Exact, Numeric};
use crate::args::plan::{Kinds, Node, NodeId, NumberRules};

impl Walker<'_> {
    pub(super) fn number(
        &mut self,
        id: NodeId,
        node: &Node,
        number: Num<'_>,
        span: (usize, usize),
        path: &Path<'_>,
    ) -> Result<(), Halt> {
        let numeric = number.numeric();
        let fits = numeric.exact.is_finite()
            && (node.kinds.holds(Kinds::NUMBER) || numeric.exact.is_integer())
            && node.number.as_ref().is_none_or(|rules| keeps(rules, number, numeric))
            && node.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|value| is_number(value, numeric.exact)));
        let quote = self.quote(path);
        if !fits && !numeric.exact.is_finite() {
            return self.out_of_reach(id, || quote.number(&number.text()), path);
        }
        if !fits {
            return self.expected(id, || quote.number(&number.text()), path);
        }
        if numeric.plain || node.kinds.holds(Kinds::NUMBER) {
            return Ok(());
        }
        match numeric.exact {
            Exact::Integer(integer) => self.edit(span, || Some(integer.to_string()), path, RepairRule::IntegralFloat),
            // More digits than any integer type has.
            _ => self.out_of_reach(id, || quote.number(&number.text()), path),
        }
    }

    /// A number that no type holds.
    fn out_of_reach(&mut self, id: NodeId, got: impl FnOnce() -> String, path: &Path<'_>) -> Result<(), Halt> {
        let plan = self.plan;
        self.fault(path, || format!("expected {}, got {}", describe::expected_in_reach(plan, id), got()))
    }

    /// The value from `start` on, which the node's `not` refuses.
    pub(super) fn not_allowed<'s, I: Input<'s>>(&mut self, id: NodeId, input: I, path: &Path<'_>) -> Result<(), Halt> {
        if !matches!(self.way, Way::Careful(_)) || !describe::has_known_exception(self.plan, id) {
            return self.fault(path, || "this value is not allowed here".to_owned());
        }
        let (token, quote) = (input.open()?, self.quote(path));
        self.expected(id, || quote.got(&token), path)
    }

    pub(super) fn string(
        &mut self,
        id: NodeId,
        node: &Node,
        text: Text<'_>,
        span: (usize, usize),
        path: &Path<'_>,
    ) -> Result<(), Halt> {
        self.spend(text.weight())?;
        if let Some(allowed) = &node.allowed
            && !allowed.iter().filter_map(Value::as_str).any(|value| text.is(value))
        {
            if self.is_lenient()
                && let Some(meant) = in_other_case(allowed.iter().filter_map(Value::as_str), &text.decoded())
            {
                let quoted = Value::from(meant).to_string();
                return self.edit(span, || Some(quoted), path, RepairRule::EnumLetterCase);
            }
            let quote = self.quote(path);
            return self.fault(path, || quote.unknown_value(&text.decoded(), allowed));
        }
        let Some(rules) = &node.string else { return Ok(()) };
        if rules.min_length.is_some() || rules.max_length.is_some() {
            let count = text.count();
            if rules.min_length.is_some_and(|least| count < least) || rules.max_length.is_some_and(|most| count > most)
            {
                let expected = describe::counted("string", "character", rules.min_length, rules.max_length);
                let plan = self.plan;
                let got = self.quote(path).count(Kind::String, count);
                self.fault(path, || format!("expected {expected}, got {got}{}", describe::example(plan, id)))?;
            }
        }
        if let Some(pattern) = &rules.pattern
            && !pattern.is_match(&text.decoded())
        {
            let quote = self.quote(path);
            self.expected(id, || quote.string(&text.decoded()), path)?;
        }
        Ok(())
    }

    /// Null, a boolean, an array or an object, where only certain values may be allowed.
    pub(super) fn constant(&mut self, id: NodeId, node: &Node, value: &Value, path: &Path<'_>) -> Result<(), Halt> {
        match &node.allowed {
            Some(allowed) if !allowed.iter().any(|known| same(known, value)) => {
                let quote = self.quote(path);
                self.expected(id, || quote.value(value), path)
            }
            _ => Ok(()),
        }
    }
}

fn keeps(rules: &NumberRules, number: Num<'_>, numeric: Numeric) -> bool {
    let above = rules.minimum.is_none_or(|(bound, exclusive)| {
        let order = numeric.exact.compare(bound);
        order.is_gt() || (order.is_eq() && !exclusive)
    });
    let below = rules.maximum.is_none_or(|(bound, exclusive)| {
        let order = numeric.exact.compare(bound);
        order.is_lt() || (order.is_eq() && !exclusive)
    });
    let multiple = || rules.multiple_of.as_ref().is_none_or(|divisor| number::is_multiple(&number.text(), divisor));
    above && below && multiple()
}

fn is_number(value: &Value, number: Exact) -> bool {
    matches!(value, Value::Number(value) if number::of(value).exact.compare(number).is_eq())
}

/// Equal as JSON Schema counts: numbers by their value.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(b)) => is_number(a, number::of(b).exact),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// The one value that differs from `given` in letter case alone.
pub(super) fn in_other_case<'v>(values: impl Iterator<Item = &'v str>, given: &str) -> Option<&'v str> {
    // Most are ASCII, and compared without a copy of each.
    let lower = LazyCell::new(|| given.to_lowercase());
    let are_ascii = |value: &str| given.is_ascii() && value.is_ascii();
    let is_same = |value: &str| {
        if are_ascii(value) { value.eq_ignore_ascii_case(given) } else { value.to_lowercase() == **lower }
    };
    let mut meant = values.filter(|value| is_same(value));
    match (meant.next(), meant.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}
