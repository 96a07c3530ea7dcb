//! Whether a call may be made: asked after its arguments were read, before anything is recorded.
//!
//! Two gates are provided, and a program may add its own. [`Rules`] are what an operator decides: which tools, with which
//! arguments, are allowed, asked for or refused. [`Interlock`] looks at the run as a whole: three harmless calls can
//! together carry a secret out, and no rule on one call sees that. Both err towards refusing where they cannot tell.

mod argument;
mod check;
mod glob;
mod interlock;
mod path;
mod rules;

pub use argument::ArgumentTest;
pub use check::RuleProblem;
pub use interlock::Interlock;
pub use rules::{GateRule, InvalidRule, RuleEffect, Rules};

use async_trait::async_trait;
use serde_json::Value;
use std::fmt;
use std::sync::OnceLock;

use crate::behaviour::Egress;
use crate::call::ToolCall;
use crate::descriptor::ToolDescriptor;
use crate::operation::ToolOperationContext;

/// Judges calls. Every gate of a runtime has to allow a call, and none can widen what another said.
///
/// A gate sees only calls that can be made: their tool exists and their arguments were read. One that panics denies.
#[async_trait]
pub trait ToolGate: Send + Sync {
    /// Whether this call may be made.
    async fn judge(&self, request: &GateRequest<'_>) -> Verdict;

    /// Whether its verdict hangs on the calls before: on what the run [has touched](GateRequest::touched), or on what it
    /// keeps itself. Where that holds for one gate, as is assumed unless it says otherwise, the calls of a run are judged one
    /// after the other.
    fn minds_earlier_calls(&self) -> bool {
        true
    }
}

/// The exact call that is to be made, and where.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct GateRequest<'a> {
    /// The call, as the model made it.
    pub call: &'a ToolCall,
    /// Its arguments, as they were decoded.
    pub arguments: &'a GateArguments<'a>,
    /// The tool, if it has a descriptor.
    pub descriptor: Option<&'a ToolDescriptor>,
    /// The operation that it would be: run, thread and workspace are in there.
    pub operation: &'a ToolOperationContext,
    /// What the run has touched so far.
    pub touched: Touched,
}

impl<'a> GateRequest<'a> {
    /// A request for a call of a tool without a descriptor, in a run that has touched nothing: a runtime makes these, and
    /// so do tests of a gate.
    pub fn new(call: &'a ToolCall, arguments: &'a GateArguments<'a>, operation: &'a ToolOperationContext) -> Self {
        Self { call, arguments, descriptor: None, operation, touched: Touched::default() }
    }

    /// With the tool's descriptor.
    #[must_use]
    pub fn with_descriptor(self, descriptor: &'a ToolDescriptor) -> Self {
        Self { descriptor: Some(descriptor), ..self }
    }

    /// In a run that has touched this.
    #[must_use]
    pub fn with_touched(self, touched: Touched) -> Self {
        Self { touched, ..self }
    }
}

impl fmt::Debug for GateRequest<'_> {
    /// Without the arguments, which may hold what must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GateRequest")
            .field("tool", &self.call.tool_id)
            .field("operation", &self.operation)
            .field("touched", &self.touched)
            .finish_non_exhaustive()
    }
}

/// A call's arguments as they were decoded: read as a value when a gate first asks.
pub struct GateArguments<'a> {
    text: &'a str,
    value: OnceLock<Value>,
}

impl<'a> GateArguments<'a> {
    /// The arguments that this JSON text holds.
    pub fn new(text: &'a str) -> Self {
        Self { text, value: OnceLock::new() }
    }

    /// The arguments.
    pub fn value(&self) -> &Value {
        // What was decoded is JSON; `null` fits no rule that allows.
        self.value.get_or_init(|| serde_json::from_str(self.text).unwrap_or_default())
    }

    /// Their JSON text.
    pub fn text(&self) -> &'a str {
        self.text
    }
}

impl fmt::Debug for GateArguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GateArguments({} bytes)", self.text.len())
    }
}

/// What a gate says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It may be made.
    Allow,
    /// It must not be made.
    Deny {
        /// For the model: what it may do instead.
        reason: String,
        /// For the operator: what to change so that such a call is allowed.
        remedy: String,
    },
    /// A person has to approve of it.
    Ask {
        /// Why, for that person.
        reason: String,
    },
}

impl Verdict {
    /// [`Verdict::Deny`].
    pub fn deny(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into(), remedy: remedy.into() }
    }

    /// [`Verdict::Ask`].
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::Ask { reason: reason.into() }
    }

    /// What two gates say together: the narrower verdict, with both reasons where they are of one kind.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Deny { reason: one, remedy }, Self::Deny { reason: two, remedy: also }) => {
                Self::Deny { reason: joined(one, &two), remedy: joined(remedy, &also) }
            }
            (deny @ Self::Deny { .. }, _) | (_, deny @ Self::Deny { .. }) => deny,
            (Self::Ask { reason: one }, Self::Ask { reason: two }) => Self::Ask { reason: joined(one, &two) },
            (ask @ Self::Ask { .. }, Self::Allow) | (Self::Allow, ask @ Self::Ask { .. }) => ask,
            (Self::Allow, Self::Allow) => Self::Allow,
        }
    }
}

fn joined(one: String, two: &str) -> String {
    if one == two || two.is_empty() { one } else { format!("{one} {two}") }
}

/// A gate that allows every call: for programs that authorise elsewhere, and say so.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

#[async_trait]
impl ToolGate for AllowAll {
    async fn judge(&self, _request: &GateRequest<'_>) -> Verdict {
        Verdict::Allow
    }

    fn minds_earlier_calls(&self) -> bool {
        false
    }
}

/// What a run has touched: of each kind whether it had to do with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Data that is not for everyone.
    pub private_data: bool,
    /// Text that somebody else wrote, who may want to talk to the model.
    pub untrusted_input: bool,
    /// A receiver that the model chose was sent something.
    pub chosen_egress: bool,
}

impl Touched {
    /// Everything: what is assumed of a tool that is not known any more.
    pub const ALL: Self = Self { private_data: true, untrusted_input: true, chosen_egress: true };

    /// What a call of this tool touches. What a tool does not state counts as the worse.
    pub fn by(descriptor: Option<&ToolDescriptor>) -> Self {
        let Some(behaviour) = descriptor.map(ToolDescriptor::behaviour) else { return Self::ALL };
        Self {
            private_data: behaviour.private_data.unwrap_or(true),
            untrusted_input: behaviour.untrusted_input.unwrap_or(true),
            chosen_egress: behaviour.egress.is_none_or(|egress| egress == Egress::Chosen),
        }
    }

    /// Both together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            private_data: self.private_data || other.private_data,
            untrusted_input: self.untrusted_input || other.untrusted_input,
            chosen_egress: self.chosen_egress || other.chosen_egress,
        }
    }

    /// Whether all three came together.
    pub fn is_everything(self) -> bool {
        self == Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_gate_widens_what_another_said() {
        let (allow, ask, deny) = (Verdict::Allow, Verdict::ask("big"), Verdict::deny("no", "allow it"));
        for (one, two, both) in [
            (&allow, &allow, &allow),
            (&allow, &ask, &ask),
            (&ask, &allow, &ask),
            (&ask, &deny, &deny),
            (&deny, &ask, &deny),
            (&deny, &allow, &deny),
        ] {
            assert_eq!(one.clone().and(two.clone()), *both, "{one:?} and {two:?}");
        }
        assert_eq!(Verdict::ask("big").and(Verdict::ask("new")), Verdict::ask("big new"));
        assert_eq!(deny.clone().and(Verdict::deny("never", "")), Verdict::deny("no never", "allow it"));
    }
}
