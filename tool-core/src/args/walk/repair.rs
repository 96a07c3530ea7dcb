//! Values that were sent as a string which holds their JSON text.

use std::borrow::Cow;

use super::{Path, Walker};
use crate::args::findings::Edit;
use crate::args::input::{Halt, Input, Token};
use crate::args::mode::{ArgumentRepair, RepairRule};
use crate::args::plan::{Kinds, NodeId};
use crate::args::reader::{Reader, number_end};

impl Walker<'_> {
    /// Reads a string, where none is wanted, as the value whose text it holds. Answers whether it holds one.
    pub(super) fn held<'s, I: Input<'s>>(
        &mut self,
        id: NodeId,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<bool, Halt> {
        let start = input.mark();
        let Token::String(text) = input.open()? else { return Ok(false) };
        let span = (start, input.mark());
        self.spend(text.weight())?;
        let decoded = text.decoded();
        let Some((held, rule)) = held(&decoded, self.plan.node(id).admits) else { return Ok(false) };
        let outside = std::mem::take(&mut self.findings);
        self.findings.kept_before = outside.kept_before + outside.faults.len();
        let tries = self.tries;
        let reader = Reader::new(&held);
        let depth = self.deeper(depth)?;
        let read = self.elsewhere(|walker| walker.value(id, &reader, path, depth).and_then(|()| reader.end()));
        let mut inside = std::mem::replace(&mut self.findings, outside);
        inside.kept_before = 0;
        self.tries = tries; // where the text is none, the walk stopped somewhere within
        match read {
            Ok(()) => {}
            Err(Halt::Syntax) => return Ok(false),
            Err(halt) => return Err(halt),
        }
        if !inside.is_repairable() {
            self.findings.add(inside);
            return Ok(true);
        }
        let Some((replacement, repairs)) = inside.repaired(&held) else { return Ok(false) };
        let mut edit = Edit::new(span.0, span.1, Some(replacement), self.written(path), rule);
        // A value within has been repaired before: `"3.0"` is a number, and then an integer.
        let within =
            repairs.into_iter().filter(|repair: &ArgumentRepair| *repair != edit.repairs[0]).collect::<Vec<_>>();
        edit.repairs.extend(within);
        self.findings.edits.push(edit);
        Ok(true)
    }
}

/// What JSON counts as white space.
const WHITE: [char; 4] = [' ', '\t', '\n', '\r'];

/// The JSON text that a string holds, if it is one of the wanted kinds and nothing else is wanted.
fn held(text: &str, admits: Kinds) -> Option<(Cow<'_, str>, RepairRule)> {
    let wanted = admits.without(Kinds::NULL);
    if wanted == Kinds::NONE {
        return None;
    }
    if Kinds::ARRAY.with(Kinds::OBJECT).holds(wanted) {
        return structure(text, wanted).map(|held| (held, RepairRule::DoubleEncoding));
    }
    if Kinds::NUMBER.holds(wanted) && number_end(text.as_bytes()) == Some(text.len()) {
        return Some((text.into(), RepairRule::NumberFromString));
    }
    (wanted == Kinds::BOOL && matches!(text, "true" | "false")).then_some((text.into(), RepairRule::BooleanFromString))
}

/// The text of an array or object in `text`, or in the string whose text it is.
fn structure(text: &str, wanted: Kinds) -> Option<Cow<'_, str>> {
    let opens = |text: &str| match text.as_bytes().first() {
        Some(b'{') => wanted.holds(Kinds::OBJECT),
        Some(b'[') => wanted.holds(Kinds::ARRAY),
        _ => false,
    };
    let text = text.trim_matches(WHITE);
    if opens(text) {
        return Some(text.into());
    }
    let inner = string_in(text)?;
    let inner = inner.trim_matches(WHITE);
    opens(inner).then(|| inner.to_owned().into())
}

/// The string whose JSON text this is.
pub(in crate::args) fn string_in(text: &str) -> Option<String> {
    let reader = Reader::new(text);
    match (&reader).open() {
        Ok(Token::String(string)) if reader.end().is_ok() => Some(string.decoded().into_owned()),
        _ => None,
    }
}
