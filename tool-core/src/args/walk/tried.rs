//! What came of trying a schema on a value, so that none is tried twice: of alternatives within alternatives, each outer
//! one asks the same of all that is within.

use std::collections::HashMap;

use super::{Path, Walker, Way};
use crate::args::findings::{Edit, only_absent};
use crate::args::input::{Halt, Input};
use crate::args::plan::NodeId;

/// How a value fits a schema.
#[derive(Clone)]
pub(super) struct Fit {
    /// Where the value ends.
    pub(super) end: usize,
    /// What makes it fit.
    pub(super) edits: Vec<Edit>,
}

impl Fit {
    /// Whether it fits as it stands, but for nulls that are left out.
    pub(super) fn only_absent(&self) -> bool {
        only_absent(&self.edits)
    }
}

/// What is known of the values within the outermost alternatives, by where each begins.
#[derive(Default)]
pub(super) struct Tried {
    known: Option<HashMap<(Way, NodeId, usize), Option<Fit>>>,
    /// Within how many alternatives the walk is.
    open: usize,
}

impl Tried {
    /// More is not kept: a deep value has few values in its line, and of a broad one the latest are asked for again.
    const MOST: usize = 1 << 16;

    fn keep(&mut self, key: (Way, NodeId, usize), fit: Option<Fit>) {
        let known = self.known.get_or_insert_default();
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(key, fit);
    }
}

impl Walker<'_> {
    /// Reads alternatives. What is within them is known until the outermost have been read.
    pub(super) fn within_alternatives<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.tried.open += 1;
        let answer = read(self);
        self.tried.open -= 1;
        if self.tried.open == 0 {
            self.tried.known = None;
        }
        answer
    }

    /// Whether a value is clean, or valid, or can be made so, under `id`. The reader stands before the value as it did.
    pub(super) fn try_out<'s, I: Input<'s>>(
        &mut self,
        way: Way,
        id: NodeId,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Option<Fit>, Halt> {
        let (key, start) = ((way, id, input.place()), input.mark());
        if let Some(known) = &self.tried.known
            && let Some(fit) = known.get(&key)
        {
            let fit = fit.clone();
            self.spend(1 + fit.as_ref().map_or(0, |fit| fit.edits.len()))?;
            return Ok(fit);
        }
        let outside = std::mem::take(&mut self.findings);
        let (outer, tries) = (std::mem::replace(&mut self.way, way), self.tries);
        self.tries += 1;
        let read = self.linked(id, input, path, depth);
        (self.way, self.tries) = (outer, tries); // whatever a try leaves behind where it stops
        let inside = std::mem::replace(&mut self.findings, outside);
        let fit = match read {
            Ok(()) => Some(Fit { end: input.mark(), edits: inside.edits }),
            Err(Halt::Found) => None,
            Err(halt) => return Err(halt),
        };
        self.rewind(input, start)?;
        // Most values have no alternatives within alternatives, or few: they are spared the table.
        if self.fuel < self.remembers_below && self.tried.open > 0 {
            self.tried.keep(key, fit.clone());
        }
        Ok(fit)
    }

    /// Reads what is no part of the text, or of the value, that the walk is on: what is known of that says nothing of it.
    pub(super) fn elsewhere<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let here = std::mem::take(&mut self.tried);
        let answer = read(self);
        self.tried = here;
        answer
    }
}
