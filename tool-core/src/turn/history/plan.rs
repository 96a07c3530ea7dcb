//! Which results are left out, and what is said in their place.
//!
//! Which ones is decided by the calls, their order and whether they failed, never by what a result says: all of that stays
//! when results are replaced, so that a second look decides the same.

use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::{HistoryOptions, HistoryPolicies, HistoryReplacement, ReplacementReason};
use crate::behaviour::HistoryPolicy;
use crate::same::{clipped, key_of};
use crate::turn::transcript::{Transcript, TranscriptCall};

/// So much of an argument's value is repeated in the text that replaces a result.
const VALUE_CHARS: usize = 80;

/// A result of a tool with a policy.
struct Held<'a> {
    message: usize,
    call: &'a TranscriptCall,
    policy: &'a HistoryPolicy,
    is_error: bool,
    chars: usize,
    superseded: bool,
    pinned: bool,
}

pub(super) fn replacements(
    policies: &HistoryPolicies,
    transcript: &Transcript,
    options: &HistoryOptions,
) -> Vec<HistoryReplacement> {
    let mut results = held(policies, transcript);
    mark_pinned(&mut results);
    mark_superseded(&mut results);
    let mut total = transcript.chars();
    let mut replaced = Vec::new();
    for result in results.iter().filter(|result| result.superseded && !result.pinned) {
        replaced.extend(result.replaced(superseded_text(result), ReplacementReason::Superseded, &mut total));
    }
    if total > options.max_chars {
        let compactable = |result: &&Held| result.policy.compact && !result.superseded && !result.pinned;
        let compactable: Vec<&Held> = results.iter().filter(compactable).collect();
        let old = compactable.len().saturating_sub(options.keep_recent);
        for result in compactable.into_iter().take(old) {
            if total <= options.compact_to.min(options.max_chars) {
                break;
            }
            replaced.extend(result.replaced(compacted_text(result), ReplacementReason::Compacted, &mut total));
        }
    }
    replaced.sort_unstable_by_key(|replacement| replacement.message);
    replaced
}

/// The results of tools with a policy, in their own order, which need not be that of the calls.
fn held<'a>(policies: &'a HistoryPolicies, transcript: &'a Transcript) -> Vec<Held<'a>> {
    let exchanges = transcript.exchanges();
    let with_policy = exchanges.into_iter().filter_map(|exchange| {
        let (message, result) = (exchange.answered_at?, exchange.result?);
        let policy = policies.get(&exchange.call.tool_id)?;
        let (is_error, chars) = (result.is_error, result.chars());
        Some(Held { message, call: exchange.call, policy, is_error, chars, superseded: false, pinned: false })
    });
    let mut results: Vec<_> = with_policy.collect();
    results.sort_unstable_by_key(|result| result.message);
    results
}

/// The latest result of each tool that asks for it, and the latest success, since a plan that could not be changed is still
/// the plan.
fn mark_pinned(results: &mut [Held]) {
    let (mut any, mut success) = (HashSet::new(), HashSet::new());
    for result in results.iter_mut().rev().filter(|result| result.policy.pin) {
        let tool_id = result.call.tool_id.as_str();
        let latest = any.insert(tool_id);
        let latest_success = !result.is_error && success.insert(tool_id);
        result.pinned = latest || latest_success;
    }
}

/// Results with a later one of the same tool and the same arguments. A failure does not take a success' place.
fn mark_superseded(results: &mut [Held]) {
    // By tool and arguments, whether one of the later results is a success.
    let mut later: HashMap<(&str, String), bool> = HashMap::new();
    for result in results.iter_mut().rev() {
        let Some(key) = duplicate_key(result) else { continue };
        let success = !result.is_error;
        later
            .entry((&result.call.tool_id, key))
            .and_modify(|later_success| {
                result.superseded = *later_success || !success;
                *later_success |= success;
            })
            .or_insert(success);
    }
}

/// By what a result is the same as another of its tool; `None` where it is the same as no other.
fn duplicate_key(result: &Held) -> Option<String> {
    let names = &result.policy.deduplicate_by;
    if names.is_empty() {
        return None;
    }
    let arguments = object(&result.call.arguments)?;
    let value = |name: &Cow<str>| arguments.get(name.as_ref()).cloned().unwrap_or(Value::Null);
    Some(key_of(&names.iter().map(value).collect()))
}

/// Arguments as the argument boundary would take them: nothing is the empty object, and an object may be written as text,
/// twice at most.
fn object(arguments: &Value) -> Option<Cow<'_, Map<String, Value>>> {
    let mut unwrapped = Cow::Borrowed(arguments);
    for _ in 0..2 {
        let Value::String(text) = unwrapped.as_ref() else { break };
        let inner = if text.trim().is_empty() { Value::Null } else { serde_json::from_str(text).ok()? };
        unwrapped = Cow::Owned(inner);
    }
    match unwrapped {
        Cow::Borrowed(Value::Object(properties)) => Some(Cow::Borrowed(properties)),
        Cow::Owned(Value::Object(properties)) => Some(Cow::Owned(properties)),
        other => other.is_null().then(|| Cow::Owned(Map::new())),
    }
}

impl Held<'_> {
    /// The replacement, unless the result is no longer than it: of two texts of one length the one that is there stays.
    fn replaced(&self, text: String, reason: ReplacementReason, total: &mut usize) -> Option<HistoryReplacement> {
        let saved = self.chars.checked_sub(text.chars().count()).filter(|saved| *saved > 0)?;
        *total = total.saturating_sub(saved);
        Some(HistoryReplacement { message: self.message, text, reason })
    }
}

/// Names the later call by what the model knows it by, its tool and arguments. Its id would tell less, since ids may repeat
/// and some models never see them, and a position would be another one after every turn.
fn superseded_text(result: &Held) -> String {
    let arguments = object(&result.call.arguments);
    let value = |name: &str| {
        let value = arguments.as_ref().and_then(|arguments| arguments.get(name));
        clipped(&value.unwrap_or(&Value::Null).to_string(), VALUE_CHARS).into_owned()
    };
    let names = &result.policy.deduplicate_by;
    let arguments: Vec<_> = names.iter().map(|name| format!("{name} = {}", value(name))).collect();
    format!(
        "[Left out: the result of a later call of {:?} with {} stands further down and replaces this one.]",
        result.call.tool_id,
        arguments.join(", ")
    )
}

fn compacted_text(result: &Held) -> String {
    let tool_id = &result.call.tool_id;
    if result.is_error {
        format!(
            "[Left out to save room: an old failure of {tool_id:?}. Calling it again shows whether it still fails.]"
        )
    } else {
        format!(
            "[Left out to save room: an old result of {tool_id:?}. Calling it again with the same arguments brings it back.]"
        )
    }
}
