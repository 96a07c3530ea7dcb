//! Walks arguments along a [`Plan`]: one set of rules for every reading.
//!
//! On the way that succeeds the walk only asks whether the arguments are clean, that is free of faults and in need of no
//! repair, and stops at the first finding; nothing is allocated. Most of it is done while a type is decoded ([`typed`]).
//! After a refusal the same walk goes on to the end and collects what it finds.

mod again;
mod alternatives;
mod bare;
mod object;
mod repair;
mod scalar;
mod secret;
mod typed;

pub(super) use typed::{decode, decode_text};

use super::describe;
use super::findings::{Edit, Findings};
use super::input::{Elements, Halt, Input, Kind, Members, Text, Token};
use super::mode::{ArgumentLimits, ArgumentMode, RepairRule};
use super::number::{self, Exact};
use super::plan::{ArrayRules, Kinds, Node, NodeId, Plan};
use super::reader::Reader;
use crate::error::ArgumentFault;
use crate::secrets::Secrets;
use object::Keys;
use serde_json::Value;
use std::collections::HashSet;

/// Whether the arguments are clean: what they decode to is what their schema allows, as they stand.
pub(super) fn is_clean<'s, I: Input<'s>>(
    plan: &Plan,
    input: I,
    limits: ArgumentLimits,
    size: usize,
) -> Result<(), Halt> {
    Walker::new(plan, Way::Clean, limits, size).value(plan.root(), input, &Path::Root, 0)
}

/// [`is_clean`] for a whole text.
#[cfg(test)]
pub(super) fn is_clean_text(plan: &Plan, text: &str, limits: ArgumentLimits) -> Result<(), Halt> {
    let reader = Reader::new(text);
    is_clean(plan, &reader, limits, text.len())?;
    reader.end()
}

/// Whether a value is deeper than the limit.
pub(super) fn is_too_deep(value: &Value, limits: ArgumentLimits) -> bool {
    is_clean(&Plan::anything(), value, limits, 0) == Err(Halt::TooDeep)
}

/// All that is to be found in a whole text.
pub(super) fn findings(
    plan: &Plan,
    secrets: &Secrets,
    text: &str,
    mode: ArgumentMode,
    limits: ArgumentLimits,
) -> Result<Findings, Stop> {
    let reader = Reader::new(text);
    let mut walker = Walker::new(plan, Way::Careful(mode), limits, text.len());
    walker.secrets = Some(secrets).filter(|secrets| !secrets.is_empty());
    match walker.value(plan.root(), &reader, &Path::Root, 0).and_then(|()| reader.end()) {
        Ok(()) => Ok(walker.findings),
        Err(halt) => Err(Stop { halt, why: reader.why() }),
    }
}

/// Why a walk did not come to the end of a text.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) halt: Halt,
    /// What is wrong with the text, and at which byte.
    pub(super) why: (&'static str, usize),
}

/// Where in the arguments, as a list on the stack that is only written out for a finding.
#[derive(Clone, Copy)]
pub(super) enum Path<'p> {
    Root,
    Key(&'p Path<'p>, Text<'p>),
    Index(&'p Path<'p>, usize),
}

/// What a walk is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// To know whether there is something to find.
    Clean,
    /// To know whether the schema holds, as a validator decides it: an integer may be written as a float.
    Valid,
    /// To collect the edits by which a lenient reading makes the schema hold, or know that none do.
    Repair,
    /// To find it all.
    Careful(ArgumentMode),
}

struct Walker<'p> {
    plan: &'p Plan,
    way: Way,
    max_depth: usize,
    /// Within how many alternatives the walk is that may yet be read again.
    tries: usize,
    /// How much may still be read again: each reading within another doubles the work.
    fuel: usize,
    /// How many schemas stand open that lead on to another one of the same value.
    links: usize,
    findings: Findings,
    /// Looked at where words are made, and only there.
    secrets: Option<&'p Secrets>,
}

impl<'p> Walker<'p> {
    fn new(plan: &'p Plan, way: Way, limits: ArgumentLimits, size: usize) -> Self {
        let fuel = size.saturating_add(1024).saturating_mul(16);
        let findings = Findings::default();
        Self { plan, way, max_depth: limits.depth(), tries: 0, fuel, links: 0, findings, secrets: None }
    }

    /// Reads one value, which has to fit `id`.
    fn value<'s, I: Input<'s>>(&mut self, id: NodeId, input: I, path: &Path<'_>, depth: usize) -> Result<(), Halt> {
        self.spend(1)?;
        let plan = self.plan;
        let node = plan.node(id);
        let kind = input.kind()?;
        if node.free.meets(kind) && self.tries == 0 {
            return input.pass_scalar();
        }
        let start = input.mark();
        if kind == Kind::String && !node.admits.holds(Kinds::STRING) && self.is_lenient() {
            if self.held(id, input, path, depth)? {
                return Ok(());
            }
            self.rewind(input, start)?;
        }
        if !node.kinds.meets(kind) {
            return self.wrong_kind(id, input, path, depth);
        }
        let mut read = false;
        if node.has_rules() || !node.has_more() {
            self.own(id, node, input, path, depth)?;
            read = true;
        }
        for also in &node.all {
            let again = self.again(&mut read, input, start)?;
            self.linked(*also, input, path, depth)?;
            self.tries -= again;
        }
        if let Some(inner) = node.or_null
            && kind != Kind::Null
        {
            let again = self.again(&mut read, input, start)?;
            self.linked(inner, input, path, depth)?;
            self.tries -= again;
        }
        for alternatives in &node.alternatives {
            let again = self.again(&mut read, input, start)?;
            self.alternatives(alternatives, input, path, depth)?;
            self.tries -= again;
        }
        if let Some(refused) = node.not {
            self.tries -= self.again(&mut read, input, start)?;
            if self.try_out(Way::Valid, refused, input, path, depth)? {
                self.not_allowed(id, input, start, path)?;
            }
            read = false;
            self.rewind(input, start)?;
        }
        if read { Ok(()) } else { self.anything(input, path, depth) }
    }

    /// Reads one value under the keywords of the node itself.
    fn own<'s, I: Input<'s>>(
        &mut self,
        id: NodeId,
        node: &'p Node,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        let start = input.mark();
        match input.open()? {
            Token::Null => self.constant(id, node, &Value::Null, path),
            Token::Bool(value) => self.constant(id, node, &Value::Bool(value), path),
            Token::Number(number) => self.number(id, node, number, (start, input.mark()), path),
            Token::String(text) => self.string(id, node, text, (start, input.mark()), path),
            Token::Array(elements) => {
                self.array(node.array.as_ref(), elements, path, self.deeper(depth)?)?;
                self.composite(id, node, input, start, path)
            }
            Token::Object(members) => {
                match &node.object {
                    Some(rules) => self.object(rules, members, path, self.deeper(depth)?)?,
                    None => self.any_object(members, path, self.deeper(depth)?)?,
                }
                self.composite(id, node, input, start, path)
            }
        }
    }

    /// An array or object where only certain values are allowed.
    fn composite<'s, I: Input<'s>>(
        &mut self,
        id: NodeId,
        node: &Node,
        input: I,
        start: usize,
        path: &Path<'_>,
    ) -> Result<(), Halt> {
        if node.allowed.is_none() {
            return Ok(());
        }
        let end = input.mark();
        input.rewind(start);
        let value = input.to_value().unwrap_or_default();
        input.rewind(end);
        self.constant(id, node, &value, path)
    }

    fn array<'s, I: Input<'s>, E: Elements<I>>(
        &mut self,
        rules: Option<&ArrayRules>,
        mut elements: E,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        let mut count = 0_usize;
        let mut seen = rules.filter(|rules| rules.unique).map(|_| HashSet::new());
        while let Some(element) = elements.next()? {
            let here = Path::Index(path, count);
            let start = element.mark();
            let node = rules.and_then(|rules| rules.prefix.get(count).copied().or(rules.items));
            match node {
                Some(node) => self.value(node, element, &here, depth)?,
                None => self.anything(element, &here, depth)?,
            }
            if let Some(seen) = &mut seen {
                let end = element.mark();
                element.rewind(start);
                let value = element.to_value().map(|value| canonical(&value));
                element.rewind(end);
                if value.is_some_and(|value| !seen.insert(value)) {
                    self.fault(&here, || "the same element again; each may be given once".to_owned())?;
                }
            }
            count += 1;
        }
        rules.map_or(Ok(()), |rules| self.counted(rules, count, path))
    }

    /// The bounds of an array's length.
    fn counted(&mut self, rules: &ArrayRules, count: usize, path: &Path<'_>) -> Result<(), Halt> {
        let count = count as u64;
        if rules.min_items.is_some_and(|least| count < least) || rules.max_items.is_some_and(|most| count > most) {
            let expected = describe::counted("array", "item", rules.min_items, rules.max_items);
            let got = self.quote(path).count(Kind::Array, count);
            self.fault(path, || format!("expected {expected}, got {got}"))?;
        }
        Ok(())
    }

    /// Reads one value of which nothing is asked but that it is JSON.
    fn anything<'s, I: Input<'s>>(&mut self, input: I, path: &Path<'_>, depth: usize) -> Result<(), Halt> {
        self.spend(1)?;
        match input.open()? {
            Token::Null | Token::Bool(_) => Ok(()),
            Token::Number(number) => {
                if number.is_surely_finite() || number.numeric().exact.is_finite() {
                    return Ok(());
                }
                let quote = self.quote(path);
                self.fault(path, || {
                    format!("expected {}, got {}", describe::any_number(), quote.number(&number.text()))
                })
            }
            Token::String(text) => self.spend(text.weight()),
            Token::Array(mut elements) => {
                let depth = self.deeper(depth)?;
                let mut at = 0;
                while let Some(element) = elements.next()? {
                    self.anything(element, &Path::Index(path, at), depth)?;
                    at += 1;
                }
                Ok(())
            }
            Token::Object(members) => self.any_object(members, path, self.deeper(depth)?),
        }
    }

    fn any_object<'s, I: Input<'s>, M: Members<'s, I>>(
        &mut self,
        mut members: M,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        let mut keys = Keys::default();
        while let Some((key, _, value)) = members.next()? {
            let here = Path::Key(path, key);
            if !keys.insert(key) {
                self.given_again(&here)?;
            }
            self.anything(value, &here, depth)?;
        }
        Ok(())
    }

    /// A value of a kind that the node does not take.
    fn wrong_kind<'s, I: Input<'s>>(
        &mut self,
        id: NodeId,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        let start = input.mark();
        if let Way::Careful(_) = self.way {
            let (token, quote) = (input.open()?, self.quote(path));
            self.expected(id, || quote.got(&token), path)?;
            input.rewind(start);
        } else {
            return Err(Halt::Found);
        }
        self.anything(input, path, depth)
    }

    fn expected(&mut self, id: NodeId, got: impl FnOnce() -> String, path: &Path<'_>) -> Result<(), Halt> {
        let plan = self.plan;
        self.fault(path, || {
            format!("expected {}, got {}{}", describe::expected(plan, id), got(), describe::example(plan, id))
        })
    }

    fn given_again(&mut self, path: &Path<'_>) -> Result<(), Halt> {
        self.fault(path, || "given more than once".to_owned())
    }

    fn fault(&mut self, path: &Path<'_>, message: impl FnOnce() -> String) -> Result<(), Halt> {
        let Way::Careful(_) = self.way else { return Err(Halt::Found) };
        if self.findings.is_full() {
            self.findings.more_faults += 1;
            return Ok(());
        }
        self.findings.fault(ArgumentFault::new(self.written(path), message()));
        Ok(())
    }

    fn edit(
        &mut self,
        span: (usize, usize),
        replacement: impl FnOnce() -> Option<String>,
        path: &Path<'_>,
        rule: RepairRule,
    ) -> Result<(), Halt> {
        match self.way {
            Way::Clean => return Err(Halt::Found),
            Way::Valid => {}
            Way::Repair | Way::Careful(_) => {
                let edit = Edit::new(span.0, span.1, replacement(), self.written(path), rule);
                self.findings.edits.push(edit);
            }
        }
        Ok(())
    }

    fn is_lenient(&self) -> bool {
        matches!(self.way, Way::Repair | Way::Careful(ArgumentMode::Lenient))
    }

    fn deeper(&self, depth: usize) -> Result<usize, Halt> {
        if depth < self.max_depth { Ok(depth + 1) } else { Err(Halt::TooDeep) }
    }

    fn spend(&mut self, steps: usize) -> Result<(), Halt> {
        if self.tries == 0 {
            return Ok(());
        }
        self.fuel = self.fuel.checked_sub(steps).ok_or(Halt::TooManyTries)?;
        Ok(())
    }
}

/// A value as a text that is the same for equal values: keys sorted, numbers by their value.
fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => match number::of(number).exact {
            Exact::Integer(integer) => integer.to_string(),
            Exact::Beyond(float) | Exact::Fraction(float) => format!("{float:e}"),
        },
        Value::Array(elements) => format!("[{}]", elements.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)))
                .collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({"type": "object", "required": ["n"], "additionalProperties": false, "properties": {
            "n": {"type": "integer", "minimum": 0, "maximum": 9},
            "f": {"type": "number", "multipleOf": 0.5},
            "s": {"type": "string", "maxLength": 2, "pattern": "^a"},
            "e": {"enum": ["a", "b", null, 3]},
            "l": {"type": "array", "items": {"$ref": "#/properties/n"}, "uniqueItems": true, "maxItems": 2},
            "m": {"type": "object", "additionalProperties": {"$ref": "#"}},
            "a": {"anyOf": [{"type": "integer"}, {"type": "array"}, {"type": "null"}]},
            "o": {"oneOf": [
                {"type": "object", "properties": {"k": {"const": "x"}, "v": {"type": "integer"}}, "required": ["k"]},
                {"type": "object", "properties": {"k": {"const": "y"}, "v": {"type": "string"}}, "required": ["k", "v"]},
            ]},
            "w": {"allOf": [{"type": "integer"}, {"minimum": 2}, {"not": {"const": 5}}]},
            "x": true,
        }})
    }

    /// Text of JSON that may have a key twice, numbers in every spelling, and now and then a character too many.
    fn text() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "1",
            "3.0",
            "-1",
            "12",
            "0.5",
            "0.3",
            "1e0",
            "null",
            "true",
            "\"a\"",
            "\"ab\"",
            "\"A\"",
            "\"3\"",
            "\"b\"",
            "\"[1]\"",
            "\"{\\\"k\\\":\\\"x\\\"}\"",
            "\"x\"",
            "\"Y\"",
            "\"\\u0061\"",
            "\"true\"",
            "]",
            "5",
            "5.0",
        ]);
        let key = prop::sample::select(vec!["n", "f", "s", "e", "l", "m", "a", "o", "w", "x", "k", "v", "\\u006e"]);
        leaf.prop_map(str::to_owned).prop_recursive(4, 24, 5, move |inner| {
            let members = prop::collection::vec((key.clone(), inner.clone()), 0..5);
            prop_oneof![
                1 => prop::collection::vec(inner, 0..4).prop_map(|elements| format!("[{}]", elements.join(" , "))),
                4 => members.prop_map(|members| {
                    let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
                    format!("{{{}}}", members.join(","))
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_clean_has_no_findings_and_is_what_is_decoded(mut text in text(), with_n: bool) {
            thread_local!(static PLAN: Plan = Plan::compile(&schema()).unwrap());
            if with_n && text.starts_with("{\"") {
                text = text.replacen('{', "{\"n\":1,", 1);
            }
            let limits = ArgumentLimits::default();
            PLAN.with(|plan| {
                let clean = is_clean_text(plan, &text, limits);
                for mode in [ArgumentMode::Lenient, ArgumentMode::Strict] {
                    let found = findings(plan, &Secrets::default(), &text, mode, limits);
                    let is_clean = found.as_ref().is_ok_and(|found| found.faults.is_empty() && found.edits.is_empty());
                    prop_assert_eq!(clean.is_ok(), is_clean, "{} {:?} {:?}", text, clean, found);
                    let Ok(found) = found else { continue };
                    if found.faults.is_empty() {
                        let (repaired, repairs) = found.repaired(&text).expect("no contradicting edits");
                        prop_assert_eq!(is_clean_text(plan, &repaired, limits), Ok(()), "{} {} {:?}", text, repaired, repairs);
                    }
                }
                let value = serde_json::from_str::<Value>(&text).ok();
                let decoded = decode_text::<Value>(plan, &text, limits);
                prop_assert_eq!(decoded.as_ref(), value.as_ref().filter(|_| clean.is_ok()), "{}", text);
                if let Some(value) = value {
                    let is_clean = is_clean(plan, &value, limits, 1 << 16) == Ok(());
                    prop_assert!(is_clean || clean.is_err(), "{}", text);
                    let decoded = decode::<Value, _>(plan, &value, limits, 1 << 16);
                    prop_assert_eq!(decoded, Some(value).filter(|_| is_clean), "{}", text);
                }
                Ok(())
            })?;
        }
    }
}
