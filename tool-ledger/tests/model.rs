//! A model check of the life of an operation, through the trait: a small world is walked through every order of what can
//! happen in it, and after each step it is held against what must always be true (`model/world.rs`).
//!
//! A world is two owners, one or two operations and a clock. Worlds that cannot be told apart are walked once. A ledger
//! cannot be set back, so that each step begins with a new world and repeats the way to it.

#[path = "model/oracle.rs"]
mod oracle;
mod support;
#[path = "model/world.rs"]
mod world;

use std::collections::{HashSet, VecDeque};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::Directory;
use tool_core::{MemoryLedger, OperationLedger, ToolRecoveryMode};
use tool_ledger::SqliteLedger;
use world::{Setting, Step, Store, World};

/// What stands for the ledger of each world in memory: a new one, since it costs nothing.
struct InMemory;

impl Store for InMemory {
    fn ledger(&mut self, setting: &world::Stage) -> Box<world::AsOwner> {
        let clock = setting.clock.reader();
        let ledger = MemoryLedger::new().with_clock(clock);
        Box::new(move |owner| Box::new(ledger.as_owner(owner)) as Box<dyn OperationLedger>)
    }

    /// Nobody hears of a death: the dead man's leases end by their time.
    fn notices_death(&self) -> bool {
        false
    }
}

/// One file for all worlds, each a run of its own: a file for each would cost a hundred times as much.
struct InFile(SqliteLedger);

impl Store for InFile {
    fn ledger(&mut self, setting: &world::Stage) -> Box<world::AsOwner> {
        let ledger = self.0.clone().with_clock(setting.clock.reader());
        let dead = setting.dead.clone();
        Box::new(move |owner| Box::new(ledger.as_owner(owner, dead.liveness())) as Box<dyn OperationLedger>)
    }

    fn notices_death(&self) -> bool {
        true
    }
}

/// Each world has its own number, also in a file that serves for all of them.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// Walks every order of steps up to `depth` of them, and says how many different worlds there were.
fn explore(store: &mut dyn Store, setting: Setting, depth: usize) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut seen = HashSet::new();
        let mut ways: VecDeque<Vec<Step>> = VecDeque::from([Vec::new()]);
        while let Some(way) = ways.pop_front() {
            let mut steps = None;
            for next in 0.. {
                let mut world = World::new(store, setting, NUMBER.fetch_add(1, Ordering::Relaxed));
                for step in &way {
                    world.take(*step).await.unwrap_or_else(|broken| panic!("{}", account(&way, setting, &broken)));
                }
                let steps = steps.get_or_insert_with(|| world.steps());
                let Some(step) = steps.get(next).copied() else { break };
                let mut longer = way.clone();
                longer.push(step);
                if let Err(broken) = world.take(step).await {
                    panic!("{}", account(&longer, setting, &broken));
                }
                if seen.insert(world.fingerprint()) && longer.len() < depth {
                    ways.push_back(longer);
                }
            }
        }
        seen.len()
    })
}

fn account(way: &[Step], setting: Setting, broken: &str) -> String {
    let mut text = format!("{broken}\nin {setting:?}, after:\n");
    for step in way {
        let _ = writeln!(text, "  {step:?}");
    }
    text
}

const SETTINGS: [Setting; 8] = [
    Setting::of(ToolRecoveryMode::NeverReplay, 1),
    Setting::of(ToolRecoveryMode::NeverReplay, 2),
    Setting::of(ToolRecoveryMode::ReplaySafe, 2),
    Setting::of(ToolRecoveryMode::Idempotent, 3),
    Setting::of(ToolRecoveryMode::DurableRequest, 2).that_sleeps(),
    Setting::of(ToolRecoveryMode::ReplaySafe, 2).with_approval(),
    Setting::of(ToolRecoveryMode::NeverReplay, 1).with_approval(),
    Setting::of(ToolRecoveryMode::NeverReplay, 1).with_shared_key(),
];

fn explore_all(store: &mut dyn Store, depth: usize) {
    for setting in SETTINGS {
        let worlds = explore(store, setting, depth);
        eprintln!("{setting:?}: {worlds} worlds, up to {depth} steps");
        assert!(worlds > 30, "the walk came to nothing");
    }
}

/// `TOOL_LEDGER_MODEL_DEPTH` asks for longer ways.
fn depth(usual: usize) -> usize {
    std::env::var("TOOL_LEDGER_MODEL_DEPTH").ok().and_then(|depth| depth.parse().ok()).unwrap_or(usual)
}

#[test]
fn in_memory() {
    explore_all(&mut InMemory, depth(7));
}

#[test]
fn in_a_sqlite_file() {
    let directory = Directory::fast();
    explore_all(&mut InFile(SqliteLedger::create(directory.ledger()).unwrap()), depth(4));
}
