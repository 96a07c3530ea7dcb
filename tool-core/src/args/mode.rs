//! How arguments are read: the limits, and the repairs that lenient reading makes.
//!
//! The mode is [`ArgumentMode`]: lenient reading repairs what the tool's own schema makes unambiguous and lossless
//! ([`RepairRule`]), strict reading repairs nothing. Neither changes a string where the schema wants one, guesses a name,
//! completes a text that was cut off, or chooses between two readings.

use serde::{Deserialize, Serialize};
use std::fmt;

pub(super) use crate::behaviour::ArgumentMode;

/// How much a call's arguments may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ArgumentLimits {
    /// The longest text, in bytes: [`DEFAULT_MAX_BYTES`](Self::DEFAULT_MAX_BYTES) unless set.
    pub max_bytes: usize,
    /// How deep arrays and objects may be nested, the arguments themselves included:
    /// [`DEFAULT_MAX_DEPTH`](Self::DEFAULT_MAX_DEPTH) unless set, at most [`GREATEST_MAX_DEPTH`](Self::GREATEST_MAX_DEPTH).
    pub max_depth: usize,
}

impl ArgumentLimits {
    /// 1 MiB.
    pub const DEFAULT_MAX_BYTES: usize = 1 << 20;
    /// 64 levels.
    pub const DEFAULT_MAX_DEPTH: usize = 64;
    /// 120 levels, a little below the depth at which `serde_json` stops: the stack is finite.
    pub const GREATEST_MAX_DEPTH: usize = 120;

    /// The same limits with another longest text.
    #[must_use]
    pub fn with_max_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    /// The same limits with another depth.
    #[must_use]
    pub fn with_max_depth(self, max_depth: usize) -> Self {
        Self { max_depth: max_depth.min(Self::GREATEST_MAX_DEPTH), ..self }
    }

    /// The depth that holds, also where the field was set by hand.
    pub(super) fn depth(self) -> usize {
        self.max_depth.min(Self::GREATEST_MAX_DEPTH)
    }
}

impl Default for ArgumentLimits {
    fn default() -> Self {
        Self { max_bytes: Self::DEFAULT_MAX_BYTES, max_depth: Self::DEFAULT_MAX_DEPTH }
    }
}

/// One change that was made to what the model wrote, so that it fits the tool's schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArgumentRepair {
    /// Where: `items[2].price`; empty for the arguments as a whole.
    pub path: String,
    /// By which rule.
    pub rule: RepairRule,
}

impl ArgumentRepair {
    pub(super) fn new(path: String, rule: RepairRule) -> Self {
        Self { path, rule }
    }
}

/// What may be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RepairRule {
    /// `null` for a property that may be left out and has no null of its own: it is left out.
    NullAsAbsent,
    /// The text of an object or array, once or twice encoded, where one is wanted and a string is not: it is decoded.
    DoubleEncoding,
    /// A number written as a string, where only a number is wanted.
    NumberFromString,
    /// A boolean written as a string, where only a boolean is wanted.
    BooleanFromString,
    /// A value of an enumeration in other letter case, where only one value is meant.
    EnumLetterCase,
    /// `3.0` or `1e3` for an integer. JSON Schema counts these as integers, so that it is accepted in strict mode too.
    IntegralFloat,
}

impl RepairRule {
    /// The rule's name, as it is serialized: `number_from_string`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NullAsAbsent => "null_as_absent",
            Self::DoubleEncoding => "double_encoding",
            Self::NumberFromString => "number_from_string",
            Self::BooleanFromString => "boolean_from_string",
            Self::EnumLetterCase => "enum_letter_case",
            Self::IntegralFloat => "integral_float",
        }
    }
}

impl fmt::Display for RepairRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
