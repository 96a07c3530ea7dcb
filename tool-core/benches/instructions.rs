//! One kind of call, so many times: `instructions CASE TOOLS TIMES`. Run by `instructions.sh`, which counts.

mod workload;

use std::hint::black_box;
use tool_core::{ToolCall, ToolExecutor};
use workload::floor::{Boxed, Input, Plain, map_of_boxes};
use workload::{Author, listing, now};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [case, tools, times] = args.as_slice() else {
        eprintln!("run by tool-core/benches/instructions.sh");
        return;
    };
    run(case, tools.parse().expect("a number of tools"), times.parse().expect("a number of times"));
}

fn run(case: &str, tools: usize, times: usize) {
    let (who, what) = case.split_once('/').expect("WHO/WHAT");
    match who {
        "floor" => floor(what, tools, times),
        "boxed" => {
            let map = Boxed::new(tools);
            repeat(times, || now(map.call(black_box(workload::ID), black_box(workload::VALID))).is_ok());
        }
        "macro" => registry(Author::Macro, what, tools, times),
        "hand" => registry(Author::Hand, what, tools, times),
        "many" => many(what, tools, times),
        _ => panic!("nobody is {who}"),
    }
}

/// Calls `body`, which says whether it was as expected. The results are dropped within: that is part of a call.
fn repeat(times: usize, mut body: impl FnMut() -> bool) {
    for _ in 0..times {
        assert!(black_box(body()));
    }
}

fn floor(what: &str, tools: usize, times: usize) {
    let map = Plain::new(tools);
    let value = workload::value();
    let call = |tool: &str, input: Input<'_>| black_box(map.call(black_box(tool), black_box(input)));
    match what {
        "text" => repeat(times, || call(workload::ID, Input::Text(workload::VALID)).is_ok()),
        "value" => repeat(times, || call(workload::ID, Input::Value(&value)).is_ok()),
        "missing" => repeat(times, || call(workload::ID, Input::Text(workload::MISSING)).is_err()),
        "unknown" => repeat(times, || call("search_order", Input::Text(workload::VALID)).is_err()),
        _ => panic!("no case {what}"),
    }
}

fn registry(author: Author, what: &str, tools: usize, times: usize) {
    let registry = workload::registry(author, tools);
    let dispatch = |call: &ToolCall| black_box(now(registry.dispatch(black_box(call))));
    // A refusal with its message, as a model reads it.
    let refused = |call: &ToolCall| match dispatch(call) {
        Ok(_) => false,
        Err(error) => !black_box(error.to_string()).is_empty(),
    };
    let (text, value) = (workload::call(workload::VALID), workload::call_with_value());
    let missing = workload::call(workload::MISSING);
    let unknown = ToolCall::new("call_1", "search_order", workload::VALID);
    match what {
        "text" => repeat(times, || dispatch(&text).is_ok()),
        "executor" => {
            let executor: &dyn ToolExecutor = &registry;
            repeat(times, || black_box(now(executor.invoke(black_box(&text)))).is_ok());
        }
        "value" => repeat(times, || dispatch(&value).is_ok()),
        "missing" => repeat(times, || refused(&missing)),
        "unknown" => repeat(times, || refused(&unknown)),
        "number-as-string" => {
            let call = workload::call(workload::NUMBER_AS_STRING);
            repeat(times, || dispatch(&call).is_ok());
        }
        "tags-as-string" => {
            let call = workload::call(workload::TAGS_AS_STRING);
            repeat(times, || dispatch(&call).is_ok());
        }
        "200-tags" | "2000-tags" | "200-tags-repaired" | "2000-tags-repaired" => {
            let count = if what.starts_with("2000") { 2000 } else { 200 };
            let limit = if what.ends_with("repaired") { "\"5\"" } else { "5" };
            let call = workload::call(&workload::many_tags(count, limit));
            repeat(times, || dispatch(&call).is_ok());
        }
        _ => panic!("no case {what}"),
    }
}

/// What concerns a whole registry.
fn many(what: &str, tools: usize, times: usize) {
    let ids = || workload::filler_ids(tools).collect::<Vec<String>>();
    match what {
        "ids" => repeat(times, || black_box(ids()).len() == tools),
        "map" => repeat(times, || black_box(map_of_boxes(ids())).len() == tools),
        "registry" => repeat(times, || black_box(workload::registry_of_fillers(ids())).len() == tools),
        "bare-registry" => repeat(times, || black_box(listing::registry()).len() == listing::LISTED),
        "schemas" => repeat(times, || {
            listing::schemas();
            true
        }),
        "list-first" => repeat(times, || listing::list(&listing::registry()) == listing::LISTED),
        "list-again" => {
            let registry = listing::registry();
            listing::list(&registry);
            repeat(times, || listing::list(black_box(&registry)) == listing::LISTED);
        }
        _ => panic!("no case {what}"),
    }
}
