//! Times beside their floors, with their goals: `cargo bench -p tool-core --bench ratios`.
//!
//! What is compared takes turns, a few calls each, so that a machine whose speed drifts is as slow for one as for the other;
//! the ratio is that of the medians.

mod workload;

use std::hint::black_box;
use std::time::{Duration, Instant};
use tool_core::{RawToolRegistry, ToolCall, ToolExecutor};
use workload::floor::{Boxed, Input, Plain};
use workload::{Author, now};

/// How many tools there are.
const TOOLS: usize = 16;
/// How many turns each has.
const TURNS: usize = 2_001;
/// How many calls a turn has.
const CALLS: u32 = 50;

fn main() {
    let (plain, boxed) = (Plain::new(TOOLS), Boxed::new(TOOLS));
    let (by_macro, by_hand) = (workload::registry(Author::Macro, TOOLS), workload::registry(Author::Hand, TOOLS));
    let (text, as_value, value) = (workload::call(workload::VALID), workload::call_with_value(), workload::value());
    let dispatch = |registry: &RawToolRegistry, call: &ToolCall| now(registry.dispatch(black_box(call))).is_ok();
    let through = |executor: &dyn ToolExecutor| now(executor.invoke(black_box(&text))).is_ok();
    let floor_a = |input| plain.call(black_box(workload::ID), black_box(input)).is_ok();
    let floor_b = || now(boxed.call(black_box(workload::ID), black_box(workload::VALID))).is_ok();
    let cases: [(&str, &dyn Fn() -> bool); 8] = [
        ("text, floor (a)", &|| floor_a(Input::Text(workload::VALID))),
        ("text, floor (b)", &floor_b),
        ("text, macro", &|| dispatch(&by_macro, &text)),
        ("text, macro, through ToolExecutor", &|| through(&by_macro)),
        ("text, by hand", &|| dispatch(&by_hand, &text)),
        ("a value, floor (a)", &|| floor_a(Input::Value(&value))),
        ("a value, macro", &|| dispatch(&by_macro, &as_value)),
        ("a value, by hand", &|| dispatch(&by_hand, &as_value)),
    ];
    let medians = medians_of(&cases);
    for ((name, _), median) in cases.iter().zip(&medians) {
        println!("{name:34} {:6} ns a call", median.as_nanos() / u128::from(CALLS));
    }
    report("text, macro ÷ floor (b)", medians[2], medians[1], Some(1.25));
    report("text, macro, through ToolExecutor ÷ floor (b)", medians[3], medians[1], None);
    report("text, by hand ÷ floor (b)", medians[4], medians[1], None);
    report("a value, macro ÷ floor (a)", medians[6], medians[5], None);
    report("a value, by hand ÷ floor (a)", medians[7], medians[5], None);
}

/// How long a turn of each takes.
fn medians_of(cases: &[(&str, &dyn Fn() -> bool)]) -> Vec<Duration> {
    let mut times = vec![Vec::with_capacity(TURNS); cases.len()];
    for _ in 0..TURNS {
        for ((_, call), times) in cases.iter().zip(&mut times) {
            let started = Instant::now();
            for _ in 0..CALLS {
                assert!(black_box(call()));
            }
            times.push(started.elapsed());
        }
    }
    for times in &mut times {
        times.sort_unstable();
    }
    times.iter().map(|times| times[times.len() / 2]).collect()
}

fn report(what: &str, time: Duration, floor: Duration, goal: Option<f64>) {
    let ratio = time.as_secs_f64() / floor.as_secs_f64();
    let verdict = goal.map(|goal| format!("  <= {goal}  {}", if ratio <= goal { "met" } else { "MISSED" }));
    println!("{what:46} {ratio:.2}{}", verdict.unwrap_or_default());
}
