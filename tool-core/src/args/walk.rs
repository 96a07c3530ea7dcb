//! Walks arguments along a [`Plan`]: one set of rules for every reading.
//!
//! On the way that succeeds the walk only asks whether the arguments are clean, that is free of faults and in need of no
//! repair, and stops at the first finding; nothing is allocated. Most of it is done while a type is decoded ([`typed`]).
//! After a refusal the same walk goes on to the end and collects what it finds.

mod again;
mod alternatives;
mod bare;
mod object;
#[cfg(test)]
mod properties;
mod repair;
mod scalar;
mod secret;
mod tried;
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
use tried::Tried;

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
        Err(halt) => Err(Stop { halt, why: reader.why(), path: walker.gave_up_at }),
    }
}

/// Why a walk did not come to the end of a text.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) halt: Halt,
    /// What is wrong with the text, and at which byte.
    pub(super) why: (&'static str, usize),
    /// At which value it gave up; empty where that is not known.
    pub(super) path: String,
}

/// Where in the arguments, as a list on the stack that is only written out for a finding.
#[derive(Clone, Copy)]
pub(super) enum Path<'p> {
    Root,
    Key(&'p Path<'p>, Text<'p>),
    Index(&'p Path<'p>, usize),
}

/// What a walk is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
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
    /// With less fuel than this, what came of a try is remembered.
    remembers_below: usize,
    tried: Tried,
    /// How many schemas stand open that lead on to another one of the same value.
    links: usize,
    findings: Findings,
    gave_up_at: String,
    /// Looked at where words are made, and only there.
    secrets: Option<&'p Secrets>,
}

impl<'p> Walker<'p> {
    fn new(plan: &'p Plan, way: Way, limits: ArgumentLimits, size: usize) -> Self {
        let least = size.saturating_add(1024);
        // Each form of the widest alternatives is read in three ways; whatever else is read again shares the rest.
        let fuel = least.saturating_mul(16 + 3 * plan.widest);
        Self {
            plan,
            way,
            max_depth: limits.depth(),
            tries: 0,
            fuel,
            remembers_below: fuel - least,
            tried: Tried::default(),
            links: 0,
            findings: Findings::default(),
            gave_up_at: String::new(),
            secrets: None,
        }
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
            if self.try_out(Way::Valid, refused, input, path, depth)?.is_some() {
                self.not_allowed(id, input, path)?;
                self.rewind(input, start)?;
            }
            read = false;
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
