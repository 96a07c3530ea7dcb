//! Several processes on one ledger, and what is left when one is killed: this program starts itself as each of them.

#[path = "processes/roles.rs"]
mod roles;
mod support;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use support::{Directory, intent, lease_of, replayed, with_policy};
use tool_core::{Begun, OperationFilter, OperationLedger, ToolOutput, ToolRecoveryMode};
use tool_ledger::SqliteLedger;

/// Tells the program which process it is.
const ROLE: &str = "TOOL_LEDGER_TEST_ROLE";
/// Where the ledger is.
const LEDGER: &str = "TOOL_LEDGER_TEST_LEDGER";

fn command(role: &str, ledger: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(ROLE, role).env(LEDGER, ledger).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// Another process, killed at the end.
struct Other {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Other {
    fn start(role: &str, ledger: &Path) -> Self {
        Self::of(&mut command(role, ledger))
    }

    fn of(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().expect("it says nothing more").unwrap()
    }

    /// Lets it go on.
    fn nudge(&mut self) {
        writeln!(self.child.stdin.as_mut().unwrap()).unwrap();
    }

    /// SIGKILL: nothing of it runs any more.
    fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.lines.by_ref().map_while(Result::ok).collect()
    }

    fn finish(mut self) -> Vec<String> {
        let rest = self.lines.by_ref().map(Result::unwrap).collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn two_processes_execute_each_operation_once() {
    let directory = Directory::new();
    SqliteLedger::create(directory.ledger()).unwrap().close().await;
    let workers = [0, 1].map(|number| Other::start(&format!("work {number}"), &directory.ledger()));
    for worker in workers {
        assert_eq!(worker.finish(), ["1000 results"]);
    }
    let mut effects = BTreeMap::<String, u32>::new();
    for line in fs::read_to_string(directory.ledger().with_extension("effects")).unwrap().lines() {
        *effects.entry(line.to_owned()).or_default() += 1;
    }
    assert_eq!(effects.len(), 1500);
    assert!(effects.values().all(|count| *count == 1), "{effects:?}");
}

async fn a_ledger_is_made_once_by_all_who_open_it_at_the_same_time() {
    let directory = Directory::new();
    let others: Vec<_> = (0..8).map(|number| Other::start(&format!("open {number}"), &directory.ledger())).collect();
    for other in others {
        assert_eq!(other.finish(), ["begun"]);
    }
    let ledger = SqliteLedger::open(directory.ledger()).unwrap();
    assert_eq!(ledger.list(&OperationFilter::all()).await.unwrap().len(), 8);
    let mut entries = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
    assert!(entries.all(|path| path.extension() != Some("new".as_ref())), "a draft was left");
}

async fn a_killed_owner_is_known_dead_at_once() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    let mut other = Other::start("hold", &directory.ledger());
    assert_eq!(other.line(), "begun");
    let (once, again) = (intent("once"), with_policy(intent("again"), ToolRecoveryMode::Idempotent, 2));
    for held in [&once, &again] {
        assert!(matches!(ledger.begin(held).await.unwrap(), Begun::Busy { .. }), "its owner lives");
    }
    other.kill();
    let started = Instant::now();
    assert!(matches!(ledger.begin(&once).await.unwrap(), Begun::InDoubt { .. }));
    assert_eq!(lease_of(ledger.begin(&again).await.unwrap()).attempt, 2);
    assert!(started.elapsed() < support::LEASE / 2, "it waited for the lease");
}

async fn an_owner_who_slept_too_long_cannot_record() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    let mut other = Other::start("sleep", &directory.ledger());
    assert_eq!(other.line(), "begun");
    let slept = with_policy(intent("slept"), ToolRecoveryMode::Idempotent, 2);
    let lease = loop {
        match ledger.begin(&slept).await.unwrap() {
            Begun::Busy { .. } => tokio::time::sleep(Duration::from_millis(20)).await,
            begun => break lease_of(begun),
        }
    };
    other.nudge();
    assert_eq!(other.line(), "refused: Fenced");
    ledger.complete(&lease, &ToolOutput::ok("in time")).await.unwrap();
    assert_eq!(replayed(ledger.begin(&slept).await.unwrap()), "in time");
}

async fn what_was_answered_before_a_kill_is_there_after_it() {
    let directory = Directory::new();
    SqliteLedger::create(directory.ledger()).unwrap().close().await;
    let mut answered = HashSet::new();
    for round in 0..12_u64 {
        let mut other = Other::start(&format!("toil {round}"), &directory.ledger());
        answered.insert(other.line());
        // At another place of its work each time.
        std::thread::sleep(Duration::from_micros(1700 * round));
        answered.extend(other.kill());
        let ledger = SqliteLedger::open(directory.ledger()).unwrap();
        for name in &answered {
            assert_eq!(replayed(ledger.begin(&intent(name)).await.unwrap()), "done", "{name} in round {round}");
        }
        let records = ledger.list(&OperationFilter::all()).await.unwrap();
        assert!(records.len() >= answered.len());
        drop(ledger);
    }
}

/// A process that closes a file gives up the locks that any of its connections has on it; another process that closes the
/// ledger may then take itself for the last one, and remove the log.
#[cfg(unix)]
async fn a_ledger_opened_twice_in_a_process_keeps_its_locks() {
    let directory = Directory::new();
    let first = SqliteLedger::create(directory.ledger()).unwrap();
    lease_of(first.begin(&intent("before")).await.unwrap());
    let second = SqliteLedger::open(directory.ledger()).unwrap();
    assert!(SqliteLedger::create(directory.ledger()).is_err());
    assert!(is_locked(&directory.ledger()));
    drop(first);
    SqliteLedger::open(directory.ledger()).unwrap().close().await;
    assert!(is_locked(&directory.ledger()));
    Other::start("visit", &directory.ledger()).finish();
    lease_of(second.begin(&intent("after")).await.unwrap());
    let elsewhere = Other::start("names", &directory.ledger()).finish();
    assert_eq!(elsewhere, ["before", "visit", "after"]);

    second.close().await;
    fs::write(directory.ledger(), "something else").unwrap();
    SqliteLedger::open(directory.ledger()).expect_err("a file that was closed is looked at again");
}

/// Whether this process has a lock on the file. Only Linux tells.
#[cfg(unix)]
fn is_locked(path: &Path) -> bool {
    let Ok(locks) = fs::read_to_string("/proc/locks") else { return true };
    let inode = std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap());
    let of = format!(" {} ", std::process::id());
    locks.lines().any(|lock| lock.contains(&of) && lock.contains(&format!(":{inode} ")))
}

/// A limit of the file size stands for a full disk: here the write itself fails.
async fn a_full_disk_is_an_error_and_no_loss() {
    let directory = Directory::new();
    SqliteLedger::create(directory.ledger()).unwrap().close().await;
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 600; exec \"$0\""]).arg(std::env::current_exe().unwrap());
    shell.env(ROLE, "fill").env(LEDGER, directory.ledger()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let lines = Other::of(&mut shell).finish();
    let (said, begun) = lines.split_last().unwrap();
    assert!(said.starts_with("the ledger cannot be used, and nothing was changed"), "{said}");
    let ledger = SqliteLedger::open(directory.ledger()).unwrap();
    let records = ledger.list(&OperationFilter::all()).await.unwrap();
    let there: Vec<_> = records.iter().map(|record| record.operation.operation_id().as_str()).collect();
    assert_eq!(there, begun, "all that was answered, and nothing else");
    lease_of(ledger.begin(&intent("next")).await.unwrap());
}

async fn without_permission_to_write_it_says_so() {
    let directory = Directory::new();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap();
    lease_of(ledger.begin(&intent("0")).await.unwrap());
    ledger.close().await;
    let before = fs::read(directory.ledger()).unwrap();
    let said = as_nobody(directory.path(), &mut command("look", &directory.ledger()));
    assert!(said[0].contains("ermission"), "{said:?}");
    let said = as_nobody(directory.path(), &mut command("look", &directory.path().join("new.ledger")));
    assert!(said[0].contains("could not create the ledger") && said[0].contains("ermission"), "{said:?}");
    assert!(!directory.path().join("new.ledger").exists());
    assert_eq!(fs::read(directory.ledger()).unwrap(), before);
    SqliteLedger::open(directory.ledger()).unwrap();
}

/// Runs it as somebody who may read the directory and not write there.
#[cfg(unix)]
fn as_nobody(directory: &Path, command: &mut Command) -> Vec<String> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let mode = |mode| fs::set_permissions(directory, fs::Permissions::from_mode(mode)).unwrap();
    let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    if is_root {
        std::os::unix::process::CommandExt::uid(command, 65534);
    }
    mode(0o555);
    let said = Other::of(command).finish();
    mode(0o755);
    said
}

macro_rules! run_all {
    ($($test:ident)*) => {
        $(
            let started = Instant::now();
            $test().await;
            println!("{} ... ok, {:.1?}", stringify!($test), started.elapsed());
        )*
    };
}

#[tokio::main]
async fn main() -> ExitCode {
    if let Ok(role) = std::env::var(ROLE) {
        roles::play(&role, std::env::var_os(LEDGER).unwrap().as_ref()).await;
        return ExitCode::SUCCESS;
    }
    run_all! {
        a_ledger_is_made_once_by_all_who_open_it_at_the_same_time
        a_killed_owner_is_known_dead_at_once
        an_owner_who_slept_too_long_cannot_record
        what_was_answered_before_a_kill_is_there_after_it
        two_processes_execute_each_operation_once
    }
    #[cfg(unix)]
    run_all! {
        a_ledger_opened_twice_in_a_process_keeps_its_locks
        a_full_disk_is_an_error_and_no_loss
        without_permission_to_write_it_says_so
    }
    ExitCode::SUCCESS
}
