//! From faults to the error that a model is told: all of them, as far as a short message holds them.

use serde::de::IgnoredAny;

use super::findings::Findings;
use super::input::Halt;
use super::mode::{ArgumentLimits, ArgumentRepair, RepairRule};
use super::walk::Stop;
use crate::error::{ArgumentFault, InvalidArguments, ToolError};

/// The whole message stays below 1,000 characters, with room for its head and for how many faults it leaves out.
const MESSAGE_CHARS: usize = 900;
/// What one fault may say, so that several fit.
const FAULT_CHARS: usize = 600;

/// The faults of a walk, in the order in which the text has them.
pub(super) fn faults(findings: Findings) -> ToolError {
    let mut left = MESSAGE_CHARS;
    let mut kept = Vec::new();
    let mut more = findings.more_faults;
    for fault in findings.faults {
        let fault = match cut(fault.message()) {
            Some(beginning) => ArgumentFault::new(fault.path(), beginning),
            None => fault,
        };
        let chars = fault.chars() + 2; // and "; " before it
        if more > findings.more_faults || chars > left {
            more += 1;
            continue;
        }
        left -= chars;
        kept.push(fault);
    }
    if more > 0 {
        let noun = if more == 1 { "fault" } else { "faults" };
        kept.push(ArgumentFault::new("", format!("and {more} more {noun}")));
    }
    ToolError::InvalidArguments(InvalidArguments::new(kept))
}

/// Tells with each fault of a repaired text what was repaired beside it: the model wrote something else there.
pub(super) fn tell_repairs(findings: &mut Findings, repairs: &[ArgumentRepair]) {
    for fault in &mut findings.faults {
        let within = fault.path().rfind(['.', '[']).map_or("", |end| &fault.path()[..end]);
        let mut told: Vec<&str> = repairs
            .iter()
            .filter(|repair| is_within(&repair.path, within))
            .map(|repair| as_read(repair.rule))
            .collect();
        told.sort_unstable();
        told.dedup();
        if !told.is_empty() {
            *fault = ArgumentFault::new(fault.path(), format!("{} ({})", fault.message(), told.join(", ")));
        }
    }
}

/// Whether a path leads into another one, or to it.
fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
}

/// How lenient reading takes what was repaired by this rule.
fn as_read(rule: RepairRule) -> &'static str {
    match rule {
        RepairRule::NullAsAbsent => "null counts as left out",
        RepairRule::DoubleEncoding => "JSON in a string counts as what it holds",
        RepairRule::NumberFromString => "a number in a string counts as the number",
        RepairRule::BooleanFromString => "a boolean in a string counts as the boolean",
        RepairRule::EnumLetterCase => "letter case does not count",
        RepairRule::IntegralFloat => "a number without a fraction counts as an integer",
    }
}

/// The message's beginning, where it is too long. No text has more characters than bytes.
pub(super) fn cut(message: &str) -> Option<String> {
    let end = if message.len() > FAULT_CHARS { message.char_indices().nth(FAULT_CHARS) } else { None };
    end.map(|(end, _)| format!("{}…", &message[..end]))
}

/// A walk that could not come to the end of `text`.
pub(super) fn halted(stop: &Stop, text: &str, limits: ArgumentLimits) -> ToolError {
    let (why, at) = stop.why;
    let message = match stop.halt {
        Halt::Syntax => match serde_json::from_str::<IgnoredAny>(text) {
            Err(error) => format!("not valid JSON: {error}"),
            // It reads on where it only skips a string.
            Ok(_) => {
                let before = text.get(..at).unwrap_or_default();
                format!("not valid JSON: {why} at character {}", before.chars().count() + 1)
            }
        },
        Halt::TooDeep => return too_deep(limits),
        Halt::TooManyTries => {
            let message = "may be read in more ways than can be tried; send less, or a simpler value";
            let faults = vec![ArgumentFault::new(stop.path.as_str(), message)];
            return ToolError::InvalidArguments(InvalidArguments::new(faults));
        }
        Halt::Found => "the arguments do not fit the tool".to_owned(),
    };
    ToolError::invalid_arguments(message)
}

pub(super) fn too_deep(limits: ArgumentLimits) -> ToolError {
    ToolError::invalid_arguments(format!("nested too deeply: at most {} levels are read", limits.depth()))
}

pub(super) fn too_long(bytes: usize, limits: ArgumentLimits) -> ToolError {
    ToolError::invalid_arguments(format!("too long: {bytes} bytes, and at most {} are read", limits.max_bytes))
}
