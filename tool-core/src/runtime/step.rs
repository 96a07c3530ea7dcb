//! One step: the calls of one model turn, each to its end.

use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::call::Call;
use super::report::{CallReport, CallStatus, Ending};
use super::run::RunState;
use super::waves::wave_of;
use super::{call, read};
use crate::call::ToolCall;
use crate::coordinates::OperationId;
use crate::error::ToolError;
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;
use crate::prepared::CallBody;

/// What the calls of one step share.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) run: Arc<RunState>,
    /// Where there are several, so that one can end the others.
    siblings: Option<Arc<Siblings>>,
    pub(super) deadline: Option<Instant>,
    pub(super) result_chars: usize,
}

/// By what one call of a step ends the calls beside it.
struct Siblings {
    cancellation: Arc<CancellationToken>,
    /// The tool whose failure ends the step.
    aborted_by: OnceLock<Arc<str>>,
}

impl Step {
    pub(super) fn new(run: Arc<RunState>, calls: usize) -> Self {
        let limits = &run.runtime.inner.limits;
        Self {
            siblings: (calls > 1).then(|| {
                let cancellation = Arc::new(run.cancellation.child_token());
                Arc::new(Siblings { cancellation, aborted_by: OnceLock::new() })
            }),
            deadline: limits.step_timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            result_chars: limits.step_result_chars / calls.max(1),
            run,
        }
    }

    fn abort(&self, by: &Arc<str>) {
        if let Some(siblings) = &self.siblings
            && siblings.aborted_by.set(Arc::clone(by)).is_ok()
        {
            siblings.cancellation.cancel();
        }
    }

    pub(super) fn cancellation(&self) -> &Arc<CancellationToken> {
        self.siblings.as_ref().map_or(&self.run.cancellation, |siblings| &siblings.cancellation)
    }

    /// Why nothing more is started.
    pub(super) fn ended(&self) -> Option<String> {
        if let Some(tool) = self.siblings.as_ref().and_then(|siblings| siblings.aborted_by.get()) {
            return Some(format!("`{tool}` failed, which ends the calls beside it"));
        }
        if self.cancellation().is_cancelled() {
            return Some("the run was cancelled".to_owned());
        }
        self.deadline.filter(|deadline| Instant::now() >= *deadline).map(|_| "the step's time was up".to_owned())
    }

    /// Waits until nothing more is started.
    pub(super) async fn over(&self) {
        match self.deadline {
            Some(deadline) => {
                let _ = self.cancellation().run_until_cancelled(tokio::time::sleep_until(deadline)).await;
            }
            None => self.cancellation().cancelled().await,
        }
    }

    /// How long a call may take, by its own limit and the step's.
    pub(super) fn time_for(&self, own: Option<Duration>) -> Option<Instant> {
        let own = own.and_then(|own| Instant::now().checked_add(own));
        own.into_iter().chain(self.deadline).min()
    }
}

/// Takes a call to its end that has no other beside it: no wave, and no task of its own.
pub(super) async fn alone(run: &Arc<RunState>, operation: ToolOperationContext, request: ToolCall) -> CallReport {
    match read::read(Step::new(Arc::clone(run), 1), operation, request, &mut 0) {
        Ok((call, body)) => {
            let ending = call::perform(&call, body).await;
            call.into_report(ending)
        }
        Err(refused) => refused.report(run).await,
    }
}

/// Takes the calls of a step to their ends, wave by wave, and gives their reports in the order of the calls.
pub(super) async fn together(run: &Arc<RunState>, number: u64, calls: Vec<ToolCall>) -> Vec<CallReport> {
    let step = Step::new(Arc::clone(run), calls.len());
    let mut places: Vec<Place> = Vec::with_capacity(calls.len());
    let mut counted = 0;
    for (position, call) in (0_u32..).zip(calls) {
        let operation = run.operation.beside(OperationId::at(number, position));
        places.push(match read::read(step.clone(), operation, call, &mut counted) {
            Ok((call, body)) => {
                let earlier = places.iter().filter_map(Place::turn).map(|turn| (turn.call.concurrency(), turn.wave));
                let wave = wave_of(call.concurrency(), earlier);
                Place::Turn(Turn { call, body, wave })
            }
            Err(refused) => Place::Report(Box::new(refused.report(run).await)),
        });
    }
    let last = places.iter().filter_map(Place::turn).map(|turn| turn.wave).max();
    for wave in last.map_or(0..0, |last| 0..last + 1) {
        execute_wave(&mut places, wave).await;
    }
    places.into_iter().map(Place::into_report).collect()
}

/// One call's place in a step: it is to be executed, or has its report.
enum Place {
    Turn(Turn),
    Report(Box<CallReport>),
}

/// A call that is executed when its wave comes.
struct Turn {
    call: Box<Call>,
    body: CallBody,
    wave: usize,
}

impl Place {
    fn turn(&self) -> Option<&Turn> {
        match self {
            Self::Turn(turn) => Some(turn),
            Self::Report(_) => None,
        }
    }

    /// Takes the call to execute it, if it is of this wave. Until it has come to its end, what is told of it is that its task
    /// was taken away before.
    fn start(&mut self, wave: usize) -> Option<Turn> {
        let gone = self.turn().filter(|turn| turn.wave == wave)?.call.clone().into_report(gone());
        match std::mem::replace(self, Self::Report(Box::new(gone))) {
            Self::Turn(turn) => Some(turn),
            Self::Report(_) => None,
        }
    }

    fn into_report(self) -> CallReport {
        match self {
            Self::Turn(turn) => turn.call.into_report(gone()),
            Self::Report(report) => *report,
        }
    }
}

/// What is said of a call whose task was taken away before it came to its end.
fn gone() -> Box<Ending> {
    let why = "the runtime of its task was shut down";
    let output = ToolOutput::for_error(&ToolError::execution(why));
    Ending::of(output, CallStatus::Unfinished { why: why.into() })
}

/// Executes the calls of one wave beside each other.
async fn execute_wave(places: &mut [Place], wave: usize) {
    let turns = places.iter_mut().enumerate().filter_map(|(position, place)| Some((position, place.start(wave)?)));
    let turns: Vec<(usize, Turn)> = turns.collect();
    if let [_] = &*turns {
        // Nothing runs beside it, so that it needs no task of its own.
        for (position, turn) in turns {
            places[position] = Place::Report(to_its_end(turn).await);
        }
        return;
    }
    let mut running = JoinSet::new();
    for (position, turn) in turns {
        running.spawn(async move { (position, to_its_end(turn).await) }.in_current_span());
    }
    while let Some(ended) = running.join_next().await {
        // A task panics nowhere, since its panics are caught, and none is aborted but by the end of all tasks.
        if let Ok((position, report)) = ended {
            places[position] = Place::Report(report);
        }
    }
}

async fn to_its_end(Turn { call, body, .. }: Turn) -> Box<CallReport> {
    let ending = call::perform(&call, body).await;
    // What was not run has not failed, nor what there was no room for.
    let was_run = !matches!(ending.status, CallStatus::NotRun { .. } | CallStatus::Refused { .. });
    let has_failed = ending.output.is_error && was_run;
    if has_failed && call.planned.descriptor.behaviour().aborts_siblings_on_error {
        call.step.abort(&call.request().tool_id);
    }
    Box::new(call.into_report(ending))
}
