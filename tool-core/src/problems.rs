//! All that is wrong with something, listed.

use std::fmt;

/// What is wrong, one problem a line. Its `Debug` is its `Display`, so that a `main` which returns it says what to do.
#[derive(Clone, PartialEq, Eq)]
pub struct Problems<P>(Vec<P>);

impl<P> Problems<P> {
    pub(crate) fn new(problems: Vec<P>) -> Self {
        Self(problems)
    }

    /// The problems, in the order in which they were found; at least one.
    pub fn problems(&self) -> &[P] {
        &self.0
    }
}

impl<P: fmt::Display> fmt::Display for Problems<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl<P: fmt::Display> fmt::Debug for Problems<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<P: fmt::Display> std::error::Error for Problems<P> {}
