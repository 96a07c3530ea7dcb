//! What the tests of ledgers share.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tool_core::{
    Begun, Lease, OperationId, OperationIntent, RunId, RunScope, ThreadId, ToolCall, ToolRecoveryMode,
    ToolRecoveryPolicy, WorkspaceId,
};

/// How long a lease holds in the tests.
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// A directory of its own, removed at the end.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Self {
        Self::below(&std::env::temp_dir())
    }

    /// In memory where the system has such a directory: for tests that need no disk, and many commits.
    pub(crate) fn fast() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Self::below(memory) } else { Self::new() }
    }

    fn below(parent: &Path) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("tool-ledger-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn ledger(&self) -> PathBuf {
        self.0.join("operations.ledger")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A clock that stands still until it is moved.
#[derive(Clone, Default)]
pub(crate) struct StoppedClock(Arc<AtomicU64>);

impl StoppedClock {
    pub(crate) fn advance(&self, by: Duration) {
        self.0.fetch_add(u64::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_hours(500_000) + Duration::from_millis(self.0.load(Ordering::SeqCst))
    }

    pub(crate) fn reader(&self) -> impl Fn() -> SystemTime + Send + Sync + 'static {
        let clock = self.clone();
        move || clock.now()
    }
}

/// Who counts as dead.
#[derive(Clone, Default)]
pub(crate) struct Dead(Arc<Mutex<Vec<String>>>);

impl Dead {
    pub(crate) fn add(&self, owner: &str) {
        self.0.lock().unwrap().push(owner.to_owned());
    }

    pub(crate) fn liveness(&self) -> impl Fn(&str) -> bool + Send + Sync + 'static {
        let dead = self.0.clone();
        move |owner| !dead.lock().unwrap().iter().any(|dead| dead == owner)
    }
}

pub(crate) fn run(name: &str) -> RunScope {
    RunScope::new(WorkspaceId::new("acme"), ThreadId::new("t1"), RunId::new(name))
}

pub(crate) fn policy(mode: ToolRecoveryMode, attempts: u32) -> ToolRecoveryPolicy {
    ToolRecoveryPolicy::new(mode, NonZeroU32::new(attempts).unwrap())
}

/// An intent of the run `r1`, which is never replayed unless the test says otherwise.
pub(crate) fn intent(operation: &str) -> OperationIntent {
    intent_of(&run("r1"), operation)
}

pub(crate) fn intent_of(run: &RunScope, operation: &str) -> OperationIntent {
    OperationIntent {
        operation: run.operation(OperationId::new(operation)),
        call: ToolCall::new("call_1", "refund", r#"{"order": "7", "cents": 100}"#),
        identity: None,
        arguments: r#"{"order":"7","cents":100}"#.into(),
        policy: ToolRecoveryPolicy::NEVER_REPLAY,
        idempotency_key: None,
        approval: None,
        lease: LEASE,
    }
}

/// The intent for a call of another tool.
pub(crate) fn of_tool(tool: &str, intent: OperationIntent) -> OperationIntent {
    OperationIntent { call: ToolCall { tool_id: tool.into(), ..intent.call }, ..intent }
}

pub(crate) fn with_policy(intent: OperationIntent, mode: ToolRecoveryMode, attempts: u32) -> OperationIntent {
    OperationIntent { policy: policy(mode, attempts), ..intent }
}

#[track_caller]
pub(crate) fn lease_of(begun: Begun) -> Lease {
    match begun {
        Begun::Execute(lease) => lease,
        other => panic!("not to be executed: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn replayed(begun: Begun) -> String {
    match begun {
        Begun::Replay(recorded) => recorded.output.text().into_owned(),
        other => panic!("no result: {other:?}"),
    }
}
