//! A refusal, of which the decoder is told nothing and tells nothing: the careful way says it better.

use serde::de::Error;
use std::fmt;

use crate::args::input::Halt;

#[derive(Debug)]
pub(in crate::args) struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

impl Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl From<Halt> for Refused {
    fn from(_: Halt) -> Self {
        Self
    }
}

impl From<serde_json::Error> for Refused {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}
