//! What each of the other processes does.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::{JoinSet, spawn_blocking};
use tool_core::{Begun, OperationFilter, OperationIntent, OperationLedger, ToolCall, ToolOutput, ToolRecoveryMode};
use tool_ledger::SqliteLedger;

use super::support::{LEASE, intent, lease_of, with_policy};

/// How many calls a worker makes at the same time.
const AT_ONCE: usize = 40;

pub(crate) async fn play(role: &str, path: &Path) {
    let (role, argument) = role.split_once(' ').unwrap_or((role, ""));
    match role {
        "work" => work(argument, path).await,
        "open" => {
            let ledger = SqliteLedger::open_or_create(path).unwrap();
            lease_of(ledger.begin(&intent(argument)).await.unwrap());
            println!("begun");
        }
        "hold" => {
            let ledger = SqliteLedger::open(path).unwrap();
            lease_of(ledger.begin(&intent("once")).await.unwrap());
            let again = with_policy(intent("again"), ToolRecoveryMode::Idempotent, 2);
            lease_of(ledger.begin(&again).await.unwrap());
            println!("begun");
            wait_for_line();
        }
        "sleep" => sleep(path).await,
        "toil" => toil(argument, path).await,
        "visit" => {
            let ledger = SqliteLedger::open(path).unwrap();
            lease_of(ledger.begin(&intent("visit")).await.unwrap());
            ledger.close().await;
        }
        "names" => {
            let ledger = SqliteLedger::open(path).unwrap();
            for record in ledger.list(&OperationFilter::all()).await.unwrap() {
                println!("{}", record.operation.operation_id());
            }
        }
        "fill" => fill(path).await,
        "look" => match SqliteLedger::open_or_create(path) {
            Ok(_) => println!("opened"),
            Err(error) => println!("{error}"),
        },
        other => panic!("no such role: {other}"),
    }
}

fn wait_for_line() {
    let _ = std::io::stdin().read_line(&mut String::new());
}

/// 1,000 operations, of which another process does half as well.
async fn work(number: &str, path: &Path) {
    let ledger = SqliteLedger::open(path).unwrap();
    let effects = path.with_extension("effects");
    let at_once = Arc::new(Semaphore::new(AT_ONCE));
    let mut calls = JoinSet::new();
    for call in 0..1000 {
        let name = if call % 2 == 0 { format!("shared-{call}") } else { format!("own-{number}-{call}") };
        let (ledger, effects, at_once) = (ledger.clone(), effects.clone(), at_once.clone());
        calls.spawn(async move {
            let _turn = at_once.acquire().await.unwrap();
            one(&ledger, &intent(&name), name, &effects).await;
        });
    }
    let results = calls.join_all().await.len();
    println!("{results} results");
}

async fn one(ledger: &SqliteLedger, intent: &OperationIntent, name: String, effects: &Path) {
    loop {
        match ledger.begin(intent).await.unwrap() {
            Begun::Execute(lease) => {
                let effects = effects.to_owned();
                let effect = spawn_blocking(move || {
                    let mut file = OpenOptions::new().create(true).append(true).open(effects).unwrap();
                    file.write_all(format!("{name}\n").as_bytes()).unwrap();
                    file.sync_all().unwrap();
                });
                effect.await.unwrap();
                return ledger.complete(&lease, &ToolOutput::ok("done")).await.unwrap();
            }
            Begun::Replay(_) => return,
            Begun::Busy { .. } => tokio::time::sleep(Duration::from_millis(5)).await,
            other => panic!("{other:?}"),
        }
    }
}

/// Holds a short lease for too long.
async fn sleep(path: &Path) {
    let ledger = SqliteLedger::open(path).unwrap();
    let slept = with_policy(intent("slept"), ToolRecoveryMode::Idempotent, 2);
    let short = OperationIntent { lease: Duration::from_millis(200), ..slept };
    let lease = lease_of(ledger.begin(&short).await.unwrap());
    println!("begun");
    wait_for_line();
    let refused = ledger.complete(&lease, &ToolOutput::ok("too late")).await.unwrap_err();
    println!("refused: {refused:?}");
}

/// Says of each call that it was recorded, until it is killed.
async fn toil(round: &str, path: &Path) {
    let ledger = SqliteLedger::open(path).unwrap();
    for number in 0.. {
        let names = ["a", "b", "c"].map(|lane| format!("{round}-{number}-{lane}"));
        let calls = names.map(|name| {
            let ledger = ledger.clone();
            tokio::spawn(async move {
                let lease = lease_of(ledger.begin(&intent(&name)).await.unwrap());
                ledger.complete(&lease, &ToolOutput::ok("done")).await.unwrap();
                println!("{name}");
            })
        });
        for call in calls {
            call.await.unwrap();
        }
    }
}

/// Begins operations until there is no room, and says which, and why no more.
async fn fill(path: &Path) {
    let ledger = SqliteLedger::open(path).unwrap();
    for number in 0.. {
        let name = number.to_string();
        let call = ToolCall::new("call_1", "refund", "x".repeat(3000));
        let large = OperationIntent { call, lease: LEASE, ..intent(&name) };
        match ledger.begin(&large).await {
            Ok(begun) => drop(lease_of(begun)),
            Err(error) => {
                let found = ledger.find(&intent("0").operation.ledger_id()).await;
                assert!(found.unwrap().is_some(), "it can be read all the same");
                return println!("{error}");
            }
        }
        println!("{name}");
    }
}
