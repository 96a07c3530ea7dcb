//! What came of trying a schema on a value, so that none is tried twice: of alternatives within alternatives, each outer
//! one asks the same of all that is within.

use std::collections::HashMap;

use super::{Path, Walker, Way};
use crate::args::findings::Findings;
use crate::args::input::{Halt, Input};
use crate::args::plan::NodeId;

/// How a value fits a schema.
#[derive(Clone)]
pub(super) struct Fit {
    /// Where the value ends.
    pub(super) end: usize,
    /// The edits that make it fit.
    pub(super) repaired: Findings,
}

/// What is known of the values of one text, by where each begins.
#[derive(Default)]
pub(super) struct Tried(HashMap<(Way, NodeId, usize), Option<Fit>>);

impl Walker<'_> {
    /// Whether a value is clean, or valid, or can be made so, under `id`. The reader is left anywhere within the value.
    pub(super) fn try_out<'s, I: Input<'s>>(
        &mut self,
        way: Way,
        id: NodeId,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Option<Fit>, Halt> {
        let key = (way, id, input.place());
        if let Some(Tried(known)) = &self.tried
            && let Some(fit) = known.get(&key)
        {
            let fit = fit.clone();
            let edits = fit.as_ref().map_or(0, |fit| fit.repaired.edits.len());
            self.spend(1 + edits)?;
            return Ok(fit);
        }
        let fit = self.try_anew(way, id, input, path, depth)?;
        // Most values have no alternatives within alternatives, or few: they are spared the table.
        if self.fuel < self.remembers_below {
            self.tried.get_or_insert_default().0.insert(key, fit.clone());
        }
        Ok(fit)
    }

    fn try_anew<'s, I: Input<'s>>(
        &mut self,
        way: Way,
        id: NodeId,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Option<Fit>, Halt> {
        let outside = std::mem::take(&mut self.findings);
        let (outer, tries) = (std::mem::replace(&mut self.way, way), self.tries);
        self.tries += 1;
        let read = self.linked(id, input, path, depth);
        (self.way, self.tries) = (outer, tries); // whatever a try leaves behind where it stops
        let repaired = std::mem::replace(&mut self.findings, outside);
        match read {
            Ok(()) => Ok(Some(Fit { end: input.mark(), repaired })),
            Err(Halt::Found) => Ok(None),
            Err(halt) => Err(halt),
        }
    }

    /// Reads what is no part of the text, or of the value, that the walk is on: what is known of that says nothing of it.
    pub(super) fn elsewhere<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let here = self.tried.take();
        let answer = read(self);
        self.tried = here;
        answer
    }
}
