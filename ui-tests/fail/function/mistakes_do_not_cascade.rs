use tool_core::*;

/// Adds.
#[tool(recovry = replay_safe)]
fn add(a: u32, #[state] log: &Log) -> u32 {
    log.0 + a
}

struct Log(u32);

fn main() {
    let _ = erase(Add::new(Log(1)));
    assert_eq!(add(1, &Log(1)), 2);
}
