//! What a walk finds: faults, and the edits that repair the text.

use super::mode::{ArgumentRepair, RepairRule};
use crate::error::ArgumentFault;

/// More faults than this are counted and not written out: no message holds them.
const KEPT_FAULTS: usize = 24;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Findings {
    pub(super) faults: Vec<ArgumentFault>,
    /// Faults beyond those.
    pub(super) more_faults: usize,
    /// Faults that are kept elsewhere, while a value within a string is read.
    pub(super) kept_before: usize,
    pub(super) edits: Vec<Edit>,
}

/// One change of the text, and why.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    /// `None` takes a member of an object away, with a comma.
    pub(super) replacement: Option<String>,
    pub(super) repairs: Vec<ArgumentRepair>,
}

impl Edit {
    pub(super) fn new(start: usize, end: usize, replacement: Option<String>, path: String, rule: RepairRule) -> Self {
        Self { start, end, replacement, repairs: vec![ArgumentRepair::new(path, rule)] }
    }
}

/// Whether nothing is repaired but nulls, each left out.
pub(super) fn only_absent(edits: &[Edit]) -> bool {
    edits.iter().flat_map(|edit| &edit.repairs).all(|repair| repair.rule == RepairRule::NullAsAbsent)
}

impl Findings {
    /// Whether there is nothing that cannot be repaired.
    pub(super) fn is_repairable(&self) -> bool {
        self.faults.is_empty() && self.more_faults == 0
    }

    /// Whether no further fault is written out: its words need not be made.
    pub(super) fn is_full(&self) -> bool {
        self.kept_before + self.faults.len() >= KEPT_FAULTS
    }

    /// Where it is full, a fault may come without words.
    pub(super) fn fault(&mut self, fault: ArgumentFault) {
        // A value under several schemas (`allOf`) breaks the same rule more than once.
        if self.faults.contains(&fault) {
        } else if !self.is_full() {
            self.faults.push(fault);
        } else {
            self.more_faults += 1;
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        other.faults.into_iter().for_each(|fault| self.fault(fault));
        self.more_faults += other.more_faults;
        self.edits.extend(other.edits);
    }

    /// The text with all edits made, and the repairs in its order; nothing where two edits contradict each other.
    pub(super) fn repaired(mut self, text: &str) -> Option<(String, Vec<ArgumentRepair>)> {
        self.edits.sort_by_key(|edit| (edit.start, edit.end));
        self.edits.dedup();
        let mut repaired = String::with_capacity(text.len());
        let mut repairs = Vec::with_capacity(self.edits.len());
        let mut at = 0;
        for edit in self.edits {
            if edit.start < at {
                return None;
            }
            repaired.push_str(&text[at..edit.start]);
            at = edit.end;
            match edit.replacement {
                Some(replacement) => repaired.push_str(&replacement),
                None => at = without_comma(&mut repaired, text, at),
            }
            repairs.extend(edit.repairs);
        }
        repaired.push_str(&text[at..]);
        Some((repaired, repairs))
    }
}

/// Takes away the comma after a member that is left out, or, behind the last one, that before it; answers where the
/// text goes on.
fn without_comma(repaired: &mut String, text: &str, at: usize) -> usize {
    let white = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let rest = text[at..].trim_start_matches(white);
    if let Some(after) = rest.strip_prefix(',') {
        return text.len() - after.len();
    }
    let kept = repaired.trim_end_matches(white);
    if let Some(kept) = kept.strip_suffix(',') {
        repaired.truncate(kept.len());
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, replacement: &str) -> Edit {
        Edit::new(start, end, Some(replacement.to_owned()), "p".to_owned(), RepairRule::NumberFromString)
    }

    #[test]
    fn the_same_edit_twice_is_one_and_two_that_overlap_are_none() {
        let found = |edits: &[Edit]| Findings { edits: edits.to_vec(), ..Findings::default() }.repaired(r#"{"p":"1"}"#);
        let (text, repairs) = found(&[edit(5, 8, "1"), edit(5, 8, "1")]).unwrap();
        assert_eq!((text.as_str(), repairs.len()), (r#"{"p":1}"#, 1));
        assert_eq!(found(&[edit(5, 8, "1"), edit(5, 8, "2")]), None);
        assert_eq!(found(&[edit(0, 9, "{}"), edit(5, 8, "1")]), None);
    }
}
