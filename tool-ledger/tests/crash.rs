//! The crash matrix: real processes, killed at each moment of a call, over a real SQLite file.
//!
//! The effect is an append to a file with `fsync`, so that executions are counted from outside the runtime.

mod crash_support;

use crash_support::{CHILD, Job, Point};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;
use tool_core::{CallReport, CallStatus};

const CAPABILITIES: [&str; 4] = ["non_recoverable", "replay_safe", "idempotent", "durable_request"];
/// The attempts of a snapshot that says nothing else.
const BUDGET: usize = 3;

/// Not a test: the process that the others start and kill.
#[test]
#[ignore = "is started by the other tests"]
fn child() {
    let Ok(job) = std::env::var(CHILD) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(crash_support::child(&serde_json::from_str::<Job>(&job).unwrap()));
}

/// A folder that is removed where its test passes.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tool-ledger-crash-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// R7, and its kinds: {each moment} × {each capability} × {killed, power cut}.
#[tokio::test(flavor = "multi_thread")]
async fn r7_after_a_crash_at_any_moment_nothing_happens_twice_that_must_not() {
    for point in Point::ALL {
        for capability in CAPABILITIES {
            let folder = Folder::new(&format!("{point:?}-{capability}"));
            let killed = Job {
                folder: folder.0.clone(),
                calls: vec![capability.to_owned()],
                point: Some(point),
                milliseconds: 0,
            };
            let mut child = killed.start();
            child.reaches_its_point();
            let cut = Folder::new(&format!("{point:?}-{capability}-cut"));
            let cut_off = killed.after_a_power_cut(&cut.0);
            child.kill();
            for (how, job) in [("killed", Job { point: None, ..killed }), ("power cut", cut_off)] {
                let case = format!("{capability}, {point:?}, {how}");
                let report = job.recover().await.calls.remove(0);
                check(&case, point, capability, &job, &report);
                // Whoever comes again finds the same.
                let again = job.recover().await.calls.remove(0);
                assert_eq!(again.output, report.output, "{case}");
                assert_eq!(
                    job.executions().values().map(Vec::len).sum::<usize>(),
                    executions(point, capability),
                    "{case}"
                );
            }
        }
    }
}

/// How often the effect happens in all, with one crash at the point.
fn executions(point: Point, capability: &str) -> usize {
    match (point, capability) {
        // It was not begun, and whoever comes next is not the one who begins it again.
        (Point::AfterIntent, "non_recoverable") => 0,
        // The effect had happened, and is repeated by what may be repeated.
        (Point::DuringEffect | Point::BeforeRecord, "replay_safe") => 2,
        _ => 1,
    }
}

fn check(case: &str, point: Point, capability: &str, job: &Job, report: &CallReport) {
    let in_doubt = capability == "non_recoverable"
        && matches!(point, Point::AfterIntent | Point::DuringEffect | Point::BeforeRecord);
    match &report.status {
        CallStatus::InDoubt { why, .. } => {
            assert!(in_doubt, "{case}: {report:?}");
            assert_eq!(why, "whoever executed it died before its result was recorded", "{case}");
        }
        CallStatus::Finished { replayed } => {
            assert!(!in_doubt, "{case}: {report:?}");
            assert_eq!(*replayed, point == Point::AfterRecord, "{case}");
            assert_eq!(report.output.text(), format!("{capability}-0 done"), "{case}");
        }
        other => panic!("{case}: {other:?}"),
    }
    for (call, tokens) in job.executions() {
        let distinct: BTreeSet<_> = tokens.iter().collect();
        assert_eq!(distinct.len(), 1, "{case}: attempts at {call} under several tokens");
    }
}

/// A small generator: what is random here need not be good, and is the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// 200 kills at random moments: 100 steps of 8 calls, each killed twice before it is taken to its end, within the budget.
#[tokio::test(flavor = "multi_thread")]
async fn after_many_crashes_at_random_moments_every_call_has_its_result_or_is_in_doubt() {
    let mut dice = Dice(20_261_130);
    let (mut in_doubt, mut repeated) = (0, 0);
    for round in 0..100 {
        let folder = Folder::new(&format!("random-{round}"));
        let calls: Vec<String> = (0..8).map(|n| CAPABILITIES[n % 4].to_owned()).collect();
        let job = Job { folder: folder.0.clone(), calls, point: None, milliseconds: 1 + dice.roll(12) };
        for _ in 0..2 {
            let mut child = job.start();
            child.begins();
            std::thread::sleep(Duration::from_micros(500 + 100 * dice.roll(250)));
            child.kill();
        }
        let report = job.recover().await;
        let again = job.recover().await;
        let executions = job.executions();
        for (n, (call, again)) in report.calls.iter().zip(&again.calls).enumerate() {
            let name = format!("{}-{n}", job.calls[n]);
            let tokens = executions.get(&name).map_or(&[][..], Vec::as_slice);
            let case = format!("round {round}, {name}: {:?}, executed {} times", call.status, tokens.len());
            assert_eq!(again.output, call.output, "{case}");
            assert!(tokens.windows(2).all(|pair| pair[0] == pair[1]), "{case}: under several tokens");
            let most = if job.calls[n] == "replay_safe" { BUDGET } else { 1 };
            assert!(tokens.len() <= most, "{case}");
            repeated += usize::from(tokens.len() > 1);
            match &call.status {
                CallStatus::Finished { .. } => {
                    assert_eq!(call.output.text(), format!("{name} done"), "{case}");
                    assert!(!tokens.is_empty(), "{case}: a result was invented");
                }
                CallStatus::InDoubt { .. } => {
                    assert!(call.output.is_error && job.calls[n] == "non_recoverable", "{case}");
                    in_doubt += 1;
                }
                other => panic!("{case}: {other:?}"),
            }
        }
    }
    // Else nothing was shown: the crashes came before or after everything.
    assert!(in_doubt > 0 && repeated > 0, "{in_doubt} in doubt, {repeated} repeated");
    println!("800 calls, 200 crashes: {in_doubt} in doubt, {repeated} executed more than once");
}
