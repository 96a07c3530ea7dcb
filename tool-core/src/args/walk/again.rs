//! Reading a value again under a further schema, within bounds: of the work, which would double at every level, and of the
//! stack.

use super::{Path, Walker};
use crate::args::input::{Halt, Input};
use crate::args::plan::NodeId;

impl Walker<'_> {
    /// Reads a value under a further schema. How many stand open is limited, since each takes stack: a recursive schema
    /// may lead through many at every level.
    pub(super) fn linked<'s, I: Input<'s>>(
        &mut self,
        id: NodeId,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        const MOST: usize = 400;
        if self.links == MOST {
            return Err(Halt::TooDeep);
        }
        self.links += 1;
        let read = self.value(id, input, path, depth);
        self.links -= 1;
        read
    }

    /// Goes back, where the value has been read before, which makes the next reading a try: answers how many it adds.
    pub(super) fn again<'s, I: Input<'s>>(&mut self, read: &mut bool, input: I, start: usize) -> Result<usize, Halt> {
        if !std::mem::replace(read, true) {
            return Ok(0);
        }
        self.rewind(input, start)?;
        self.tries += 1;
        Ok(1)
    }

    /// Goes back to read a value again. What is read then is paid for: schemas that hold at once, each with the same below
    /// it, would double the work at every level.
    pub(super) fn rewind<'s, I: Input<'s>>(&mut self, input: I, start: usize) -> Result<(), Halt> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Halt::TooManyTries)?;
        input.rewind(start);
        Ok(())
    }
}
