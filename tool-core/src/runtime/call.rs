//! The way of one call.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::time::Instant;
use tracing::Instrument;
use tracing::level_filters::LevelFilter;

use super::event::{self, ToolEvent, ToolEventKind};
use super::report::{CallReport, CallStatus, Ending};
use super::step::Step;
use super::{Inner, PlannedTool, after, authorise, execute, record, render, resume};
use crate::behaviour::{CallIdentity, Concurrency};
use crate::call::ToolCall;
use crate::contain::{self, Panicked};
use crate::error::ToolError;
use crate::gate::Touched;
use crate::ledger::OperationIntent;
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;
use crate::prepared::{CallBody, PreparedCall};
use crate::state::StateCommand;

/// A call on its way.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) step: Step,
    pub(super) planned: Arc<PlannedTool>,
    /// What is recorded of it before it is executed; without the approval, which gates may ask for.
    pub(super) intent: OperationIntent,
    identity: Option<CallIdentity>,
    concurrency: Concurrency,
    /// The limit, where there are more calls in the step before it than that.
    pub(super) beyond_limit: Option<usize>,
}

/// Where a call that goes no further has come to.
pub(super) type Stop = Box<Ending>;

/// One stage within a span of its own. Where nobody looks at spans none is made, and the stage is awaited where it stands: it
/// is not moved into a wrapper, which copies some hundred bytes each time.
macro_rules! stage {
    ($name:literal, $stage:expr) => {
        if LevelFilter::current() >= LevelFilter::DEBUG {
            Box::pin($stage).instrument(tracing::debug_span!($name)).await
        } else {
            $stage.await
        }
    };
}

/// Takes one call through all stages.
///
/// `body` is the first attempt; every other reads the arguments again.
pub(super) async fn perform(call: &Call, body: CallBody) -> Stop {
    let ending = match contain::caught(pin!(stage_all(call, body))).await {
        Ok(Ok(ending) | Err(ending)) => ending,
        Err(Panicked) => unknown(),
    };
    call.tell(|| ending.event());
    ending
}

/// The ledger itself panicked, or what else has no containment of its own: what it knows of the call is not known here.
fn unknown() -> Stop {
    let why = "the runtime's own part in this call panicked";
    Ending::of(ToolOutput::for_error(&ToolError::execution(why)), CallStatus::Unfinished { why: why.into() })
}

async fn stage_all(call: &Call, body: CallBody) -> Result<Stop, Stop> {
    if LevelFilter::current() < LevelFilter::INFO {
        return stages(call, body).await;
    }
    let span = call.span();
    let staged = Box::pin(async {
        call.trace_arguments();
        let staged = stages(call, body).await;
        trace_result(staged.as_ref().unwrap_or_else(|stopped| stopped));
        staged
    });
    let staged = staged.instrument(span.clone()).await;
    let (Ok(ending) | Err(ending)) = &staged;
    if ending.output.is_error {
        let kind = match &ending.status {
            CallStatus::Finished { .. } => "tool_error",
            other => other.name(),
        };
        span.record("error.type", kind);
    }
    staged
}

/// What a call's arguments and results go to: they are shown to whoever asks for this target at this level, and only there.
const PAYLOADS: &str = "tool_core::payloads";

fn trace_result(ending: &Ending) {
    tracing::trace!(target: PAYLOADS, { gen_ai.tool.call.result = &*ending.output.text() }, "result");
}

async fn stages(call: &Call, body: CallBody) -> Result<Stop, Stop> {
    let mut body = Some(body);
    call.go_on().await?;
    let intent = match stage!("authorise", authorise::authorise(call))? {
        None => Cow::Borrowed(&call.intent),
        approval => Cow::Owned(OperationIntent { approval, ..call.intent.clone() }),
    };
    loop {
        let lease = stage!("record_intent", record::begin(call, &intent))?;
        let outcome = stage!("execute", execute::execute(call, &lease, body.take()));
        // An attempt that came to nothing is repeated as far as the tool's recovery allows: the ledger decides.
        let mut output = match outcome {
            Ok(output) => output,
            Err(error) => match Box::pin(record::failure(call, &lease, error)).await {
                Some(output) => output,
                None => {
                    call.go_on().await?;
                    continue;
                }
            },
        };
        resume::refuse_unanswerable(&mut output);
        render::render(call, &lease, &mut output).await;
        let mut ending = Ending::of(output, CallStatus::Finished { replayed: false });
        if !stage!("record_outcome", record::outcome(call, &lease, &ending.output))? {
            call.go_on().await?;
            continue;
        }
        ending.output.call_id = String::from(&*call.request().call_id);
        stage!("after_tool", after::hooks(call, &lease.operation, &mut ending));
        return Ok(ending);
    }
}

impl Call {
    pub(super) fn new(
        step: Step,
        planned: Arc<PlannedTool>,
        operation: ToolOperationContext,
        request: ToolCall,
        prepared: PreparedCall,
        beyond_limit: Option<usize>,
    ) -> (Box<Self>, CallBody) {
        let PreparedCall { arguments, concurrency, idempotency_key, identity, body, .. } = prepared;
        let intent = OperationIntent {
            operation,
            call: request,
            identity: Some(planned.descriptor.identity()),
            arguments,
            policy: planned.policy,
            idempotency_key,
            approval: None,
            lease: step.run.runtime.inner.limits.lease,
        };
        // A tool that has the sandbox to itself runs beside nothing.
        let is_alone = planned.descriptor.behaviour().exclusive_sandbox;
        let concurrency = if is_alone { Concurrency::Serial } else { concurrency };
        (Box::new(Self { step, planned, intent, identity, concurrency, beyond_limit }), body)
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.step.run.runtime.inner
    }

    /// How it stands to the other calls of its step.
    pub(super) fn concurrency(&self) -> &Concurrency {
        &self.concurrency
    }

    /// What a future comes to, unless the step ends before it.
    pub(super) async fn unless_over<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        if let Poll::Ready(value) = execute::at_once(future.as_mut()).await {
            return Some(value);
        }
        tokio::select! {
            biased;
            value = future => Some(value),
            () = self.step.over() => None,
        }
    }

    /// Follows what the ledger has committed to the run of an operation: under an idempotency key perhaps another's.
    pub(super) async fn follow(&self, operation: &ToolOperationContext, commands: &[StateCommand]) {
        if commands.is_empty() {
            return;
        }
        let scope = operation.scope();
        let run = &self.step.run;
        if scope == run.scope {
            run.follow().await;
        } else if let Some(other) = run.runtime.held(&scope) {
            other.follow().await;
        }
    }

    /// Stops here where the call may not be started: asked at first, and again whenever time has passed.
    pub(super) async fn go_on(&self) -> Result<(), Stop> {
        match (self.step.ended(), self.beyond_limit) {
            (None, None) => Ok(()),
            (Some(why), _) => Err(Box::pin(self.not_run(why)).await),
            (None, Some(most)) => {
                let told = format!("at most {most} calls are made at once. Make this one later.");
                let status = CallStatus::Refused { why: format!("more than {most} calls in one step").into() };
                Err(Box::pin(record::unexecuted(self, &told, status)).await)
            }
        }
    }

    /// What becomes of a call whose step or run has ended.
    pub(super) async fn not_run(&self, why: String) -> Stop {
        let told = format!("{why}.");
        record::unexecuted(self, &told, CallStatus::NotRun { why: why.into() }).await
    }

    /// The call as the model made it.
    pub(super) fn request(&self) -> &ToolCall {
        &self.intent.call
    }

    /// When it is to end at the latest, if it begins now.
    pub(super) fn time(&self) -> Option<Instant> {
        let own = self.planned.descriptor.behaviour().timeout;
        self.step.time_for(own.or(self.inner().limits.call_timeout))
    }

    /// Whether an operation, which under an idempotency key may be another than the call's, is of another run.
    pub(super) fn is_of_another_run(&self, operation: &ToolOperationContext) -> bool {
        operation != self.operation() && operation.scope() != self.step.run.scope
    }

    /// Notes what its run has touched by it.
    pub(super) fn touch(&self) {
        self.step.run.touch(Touched::by(Some(&self.planned.descriptor)));
    }

    pub(super) fn operation(&self) -> &ToolOperationContext {
        &self.intent.operation
    }

    /// How many characters of its result the model is shown.
    pub(super) fn result_chars(&self) -> usize {
        let own = self.planned.descriptor.behaviour().max_result_chars;
        own.unwrap_or(self.inner().limits.result_chars).min(self.step.result_chars)
    }

    pub(super) fn event(&self, kind: ToolEventKind) -> ToolEvent {
        ToolEvent::of(self.request(), self.operation(), kind)
    }

    pub(super) fn tell(&self, kind: impl FnOnce() -> ToolEventKind) {
        event::tell(&self.inner().observers, || self.event(kind()));
    }

    /// What is told of the call once it has come to its end.
    pub(super) fn into_report(self: Box<Self>, ending: Box<Ending>) -> CallReport {
        let Self { intent: OperationIntent { call, operation, .. }, identity, .. } = *self;
        CallReport::new(call, operation, identity, ending)
    }

    /// What is secret among the arguments is not shown here either.
    fn trace_arguments(&self) {
        if tracing::enabled!(target: PAYLOADS, tracing::Level::TRACE) {
            let arguments = self.planned.descriptor.redact(&self.request().arguments);
            tracing::trace!(target: PAYLOADS, { gen_ai.tool.call.arguments = %arguments }, "arguments");
        }
    }

    /// The attributes are those of OpenTelemetry's conventions for generative systems.
    fn span(&self) -> tracing::Span {
        tracing::info_span!(
            "execute_tool",
            otel.name = format_args!("execute_tool {}", self.request().tool_id),
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = &*self.request().tool_id,
            gen_ai.tool.call.id = &*self.request().call_id,
            gen_ai.tool.description = self.planned.descriptor.description(),
            gen_ai.tool.r#type = "function",
            gen_ai.conversation.id = self.operation().thread_id().as_str(),
            error.r#type = tracing::field::Empty,
        )
    }
}
