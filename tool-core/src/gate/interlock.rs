//! The interlock: what must not come together in one run.

use async_trait::async_trait;

use super::{GateRequest, ToolGate, Touched, Verdict};
use crate::behaviour::{Egress, ToolBehaviour};
use crate::descriptor::ToolDescriptor;

/// A gate that keeps a run from having private data, text that somebody else wrote, and a receiver that the model chooses.
///
/// With all three, the text can tell the model to send the data to its author, and no instruction to the model prevents
/// that for certain. Any two are let be; the call that brings the third is refused, whichever it is, also where it would
/// bring several at once. After that, what touches none of them may still be called.
///
/// What a tool touches is what it states: `private_data`, `untrusted_input` and `egress` of [`ToolBehaviour`]. What it does
/// not state counts as the worse, so that the remedy of a refusal says what to add to which tool.
///
/// ```
/// use serde_json::json;
/// use tool_core::*;
///
/// /// Sends a letter.
/// #[tool(egress = chosen, private_data = false, untrusted_input = false)]
/// fn send(to: String) -> String { to }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let tool = erase(Send);
/// let descriptor = tool.descriptor().unwrap();
/// let call = ToolCall::new("call_1", "send", json!({"to": "eve"}));
/// let arguments = GateArguments::new(r#"{"to":"eve"}"#);
/// let operation =
///     ToolOperationContext::new(WorkspaceId::new("w"), ThreadId::new("t"), RunId::new("r"), OperationId::at(0, 0));
/// let request = GateRequest::new(&call, &arguments, &operation).with_descriptor(&descriptor);
/// let interlock = Interlock::new();
/// assert_eq!(interlock.judge(&request).await, Verdict::Allow);
///
/// let read_a_page_and_a_file = Touched { private_data: true, untrusted_input: true, ..Touched::default() };
/// let refused = interlock.judge(&request.with_touched(read_a_page_and_a_file)).await;
/// assert!(matches!(refused, Verdict::Deny { .. }));
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interlock {
    seals_private_data: bool,
}

impl Interlock {
    /// Refuses the three together, and nothing else.
    pub fn new() -> Self {
        Self::default()
    }

    /// Refuses as well whatever sends something out, to whomever, once the run has touched private data. A call that does
    /// both itself is refused too: what it sends may be what it read. Sending first and reading later is let be.
    #[must_use]
    pub fn without_egress_after_private_data(self) -> Self {
        Self { seals_private_data: true }
    }

    fn verdict(self, request: &GateRequest<'_>) -> Verdict {
        let behaviour = request.descriptor.map(ToolDescriptor::behaviour);
        let sends = behaviour.is_none_or(|tool| tool.egress != Some(Egress::None));
        let Some(clash) = self.clash(request.touched, Touched::by(request.descriptor), sends) else {
            return Verdict::Allow;
        };
        // What the call would bring if all that the tool does not state were harmless.
        let stated = Touched {
            private_data: behaviour.is_some_and(|tool| tool.private_data == Some(true)),
            untrusted_input: behaviour.is_some_and(|tool| tool.untrusted_input == Some(true)),
            chosen_egress: behaviour.is_some_and(|tool| tool.egress == Some(Egress::Chosen)),
        };
        let sends = behaviour.is_some_and(|tool| tool.egress.is_some_and(|egress| egress != Egress::None));
        let unstated = match self.clash(request.touched, stated, sends) {
            Some(_) => Vec::new(),
            None => unstated(behaviour, clash),
        };
        refusal(request, clash, &unstated)
    }

    /// What would come together if a run that has touched `before` made a call that touches `call`, and `sends`.
    fn clash(self, before: Touched, call: Touched, sends: bool) -> Option<Clash> {
        // Where all three have come together already (a tool of another time, say), what touches none is harmless still.
        if before.with(call).is_everything() && call != Touched::default() {
            Some(Clash::AllThree)
        } else if self.seals_private_data && sends && (before.private_data || call.private_data) {
            Some(Clash::Egress)
        } else {
            None
        }
    }
}

/// What came together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clash {
    AllThree,
    /// Private data, and anything that is sent.
    Egress,
}

#[async_trait]
impl ToolGate for Interlock {
    async fn judge(&self, request: &GateRequest<'_>) -> Verdict {
        self.verdict(request)
    }
}

/// The attributes that a tool does not state, of those that the clash is about.
fn unstated(behaviour: Option<&ToolBehaviour>, clash: Clash) -> Vec<&'static str> {
    let unstated = |is_none: fn(&ToolBehaviour) -> bool| behaviour.is_none_or(is_none);
    let attributes = [
        (unstated(|tool| tool.private_data.is_none()), "`private_data = false`"),
        (unstated(|tool| tool.untrusted_input.is_none()) && clash == Clash::AllThree, "`untrusted_input = false`"),
        (unstated(|tool| tool.egress.is_none()), "`egress = none`"),
    ];
    attributes.into_iter().filter_map(|(unstated, attribute)| unstated.then_some(attribute)).collect()
}

fn refusal(request: &GateRequest<'_>, clash: Clash, unstated: &[&str]) -> Verdict {
    let tool = request.descriptor.map_or(&*request.call.tool_id, ToolDescriptor::id);
    let together = match clash {
        Clash::AllThree => "private data, text from outside, and a receiver that you choose",
        Clash::Egress => "private data, and sent something out",
    };
    let before = touched(request.touched).map_or(String::new(), |touched| format!(" It has already had {touched}."));
    let reason = format!(
        "With a call of {tool:?} this run would have had {together}, which must not come together in one run.{before} \
         Finish without this call, or ask the user to start a new run for it."
    );
    let first = if unstated.is_empty() {
        format!("Tool {tool:?} states itself what it touches: such a task needs two runs.")
    } else {
        let unstated = unstated.join(", ");
        format!("What tool {tool:?} does not state counts as the worse: add to it what is true of {unstated}.")
    };
    let rest = if request.touched == Touched::default() {
        ""
    } else {
        " What the tools that the run called before do not state counts as the worse as well."
    };
    Verdict::deny(reason, format!("{first}{rest}"))
}

/// What was touched, in words; `None` for nothing.
fn touched(touched: Touched) -> Option<String> {
    let kinds = [
        (touched.private_data, "private data"),
        (touched.untrusted_input, "text from outside"),
        (touched.chosen_egress, "a receiver that you chose"),
    ];
    let kinds: Vec<_> = kinds.into_iter().filter_map(|(had, kind)| had.then_some(kind)).collect();
    (!kinds.is_empty()).then(|| kinds.join(" and "))
}
