//! The turn policies over what a runtime reports.

use tool_core::{
    LoopDetector, LoopFinding, Outcome, RawToolRegistry, Run, RunId, RunScope, StateKey, StepReport, TerminationVote,
    TerminationVoters, ThreadId, ToolCall, ToolRuntime, WorkspaceId, erase, tool,
};

/// Reads a file.
#[tool(read_only, identity(operation = "read", target = path))]
async fn read(path: String, #[arg(default)] note: String) -> String {
    let _ = note;
    path
}

/// Ends the run.
#[tool(read_only, counts_toward_termination_vote)]
async fn finish(ok: bool) -> Result<(), &'static str> {
    if ok { Ok(()) } else { Err("not yet") }
}

/// Waits for an answer.
#[tool]
async fn ask() -> Outcome<String> {
    Outcome::suspend_for::<String>("what now?")
}

fn registry() -> RawToolRegistry {
    RawToolRegistry::new([erase(Read), erase(Finish), erase(Ask)])
}

async fn run() -> Run {
    let runtime = ToolRuntime::builder(registry()).build().unwrap();
    runtime.run(RunScope::new(WorkspaceId::new("w"), ThreadId::new("t"), RunId::new("r"))).await.unwrap()
}

fn calls(calls: &[(&str, &str)]) -> Vec<ToolCall> {
    calls.iter().map(|(tool, arguments)| ToolCall::new("c", *tool, *arguments)).collect()
}

#[tokio::test]
async fn a_step_ends_the_run_where_its_calls_are_successful_votes() {
    let (run, voters) = (run().await, TerminationVoters::from_descriptors(registry().descriptors()));
    let (yes, no, read) = (("finish", r#"{"ok":true}"#), ("finish", r#"{"ok":false}"#), ("read", r#"{"path":"a"}"#));
    for (step, (asked, vote)) in [
        (vec![yes, yes], Some(TerminationVote::End)),
        (vec![yes, no], Some(TerminationVote::GoOn)),
        (vec![("finish", "{}")], Some(TerminationVote::GoOn)),
        (vec![yes, read], Some(TerminationVote::GoOn)),
        (vec![], None),
    ]
    .into_iter()
    .enumerate()
    {
        let report = run.step(step as u64, calls(&asked)).await;
        assert_eq!(voters.vote(report.calls.iter().map(Into::into)), vote, "{asked:?}");
    }
}

async fn observed(run: &Run, step: u64, asked: &[(&str, &str)]) -> (Option<LoopFinding>, StepReport) {
    let mut detector = run.state::<LoopDetector>().unwrap().unwrap_or_default();
    let asked = calls(asked);
    let report = run.step(step, asked.clone()).await;
    let finding = detector.observe_step(&asked, &report);
    run.commit(&[LoopDetector::set(&detector).unwrap()]).await.unwrap();
    (finding, report)
}

#[tokio::test]
async fn a_circle_is_seen_by_the_declared_identity_over_steps_and_the_runs_state() {
    let run = run().await;
    let one = [("read", r#"{"path":"a"}"#)];
    let other = [("read", r#"{"path":"a","note":"again"}"#)];
    assert_eq!(observed(&run, 0, &one).await.0, None);
    assert_eq!(observed(&run, 1, &other).await.0, None);
    let (finding, report) = observed(&run, 2, &one).await;
    let finding = finding.unwrap();
    assert_eq!((finding.times, finding.identity.to_string().as_str()), (3, r#""read" of "a""#));
    assert_eq!(report.calls.len(), 1);
}

#[tokio::test]
async fn a_step_that_is_executed_again_counts_once() {
    let run = run().await;
    let asked = [("read", r#"{"path":"a"}"#)];
    for _ in 0..5 {
        assert_eq!(observed(&run, 0, &asked).await.0, None);
    }
    assert_eq!(run.state::<LoopDetector>().unwrap().unwrap(), observed_once(&run, &asked).await);
}

/// Reads of the files, in order.
fn reads(files: impl IntoIterator<Item = usize>) -> Vec<(&'static str, String)> {
    files.into_iter().map(|file| ("read", format!(r#"{{"path":"{file}"}}"#))).collect()
}

fn by_ref<'a>(calls: &'a [(&str, String)]) -> Vec<(&'a str, &'a str)> {
    calls.iter().map(|(tool, arguments)| (*tool, arguments.as_str())).collect()
}

/// The same file at the beginning and at the end: only together would it be read too often.
#[tokio::test]
async fn a_step_of_more_calls_than_the_window_counts_once_too() {
    for last in [20, 300] {
        let run = run().await;
        let asked = reads((0..last).chain([0, 0]));
        for _ in 0..3 {
            assert_eq!(observed(&run, 0, &by_ref(&asked)).await.0, None, "of {last}");
        }
        assert_eq!(run.state::<LoopDetector>().unwrap().unwrap(), observed_once(&run, &by_ref(&asked)).await);
    }
}

/// Its calls fill the window: taken for new ones, they would push out those of the circle.
#[tokio::test]
async fn an_earlier_step_that_is_shown_again_hides_no_circle() {
    let run = run().await;
    let (long, twice, once) = (reads(0..20), reads([50, 50]), reads([50]));
    for (step, asked) in [(0, &long), (1, &twice), (0, &long)] {
        assert_eq!(observed(&run, step, &by_ref(asked)).await.0, None);
    }
    assert_eq!(observed(&run, 2, &by_ref(&once)).await.0.map(|finding| finding.times), Some(3));
}

/// A detector that has seen step 0 once.
async fn observed_once(run: &Run, asked: &[(&str, &str)]) -> LoopDetector {
    let (mut detector, asked) = (LoopDetector::default(), calls(asked));
    detector.observe_step(&asked, &run.step(0, asked.clone()).await);
    detector
}

#[tokio::test]
async fn a_call_that_is_refused_again_and_again_is_a_circle_too() {
    let run = run().await;
    let asked = [("read", r#"{"path":1,"x":2}"#), ("gone", "{}")];
    assert_eq!(observed(&run, 0, &asked).await.0, None);
    let finding = observed(&run, 1, &asked).await.0.unwrap();
    assert_eq!((finding.times, finding.cycle.len()), (2, 2));
}

#[tokio::test]
async fn a_call_that_waits_is_not_seen_before_it_has_its_result() {
    let run = run().await;
    for step in 0..4 {
        let (finding, report) = observed(&run, step, &[("ask", "{}")]).await;
        assert_eq!((finding, report.is_settled()), (None, false), "{report:?}");
    }
    assert_eq!(run.state::<LoopDetector>().unwrap(), Some(LoopDetector::default()));
}

#[tokio::test]
async fn a_call_that_was_not_run_is_not_seen_before_it_has_its_result() {
    let runtime = ToolRuntime::builder(registry()).build().unwrap();
    let scope = || RunScope::new(WorkspaceId::new("w"), ThreadId::new("t"), RunId::new("r"));
    let asked = [("read", r#"{"path":"a"}"#)];
    let mut times = Vec::new();
    for step in 0..4 {
        let cancelled = runtime.run(scope()).await.unwrap();
        cancelled.cancel();
        let (finding, report) = observed(&cancelled, step, &asked).await;
        assert_eq!((finding, report.calls[0].status.name()), (None, "not_run"));
        drop(cancelled);
        let (finding, report) = observed(&runtime.run(scope()).await.unwrap(), step, &asked).await;
        assert_eq!(report.calls[0].status.name(), "finished");
        times.push(finding.map(|finding| finding.times));
    }
    assert_eq!(times, [None, None, Some(3), Some(4)]);
}
