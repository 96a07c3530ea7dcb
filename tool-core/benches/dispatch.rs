//! Times, beside the floors: `cargo bench -p tool-core --bench dispatch`. Compare the medians of one run with each
//! other; for figures that repeat, see `instructions.sh`.

#![allow(clippy::wildcard_imports)] // a group of benches is a module of this file

mod workload;

use divan::{Bencher, black_box};
use tool_core::{ToolCall, ToolExecutor};
use workload::floor::{Boxed, Input, Plain, map_of_boxes};
use workload::{Author, SIZES, listing, now};

fn main() {
    divan::main();
}

/// Measures `call`, whose result is dropped within: divan would keep the results of a sample, so that each call found cold
/// memory, which no caller of a tool does.
fn measure<T>(bencher: Bencher, mut call: impl FnMut() -> T) {
    // What is made once, a tool's schema above all, is not part of a call; and divan, which tries one call to find how many
    // it must measure together, would take every other for as slow, and then count its clock with each.
    for _ in 0..WARM_UP {
        drop(black_box(call()));
    }
    bencher.bench_local(|| drop(black_box(call())));
}

const WARM_UP: usize = 1_000;

fn dispatch(bencher: Bencher, author: Author, size: usize, call: &ToolCall) {
    let registry = workload::registry(author, size);
    measure(bencher, || now(registry.dispatch(black_box(call))));
}

/// A call of which the message is taken as well.
fn refusal(bencher: Bencher, author: Author, call: &ToolCall) {
    let registry = workload::registry(author, 16);
    measure(bencher, || now(registry.dispatch(black_box(call))).map_err(|error| error.to_string()));
}

fn unknown() -> ToolCall {
    ToolCall::new("call_1", "search_order", workload::VALID)
}

/// One right call, as text.
mod a_text {
    use super::*;

    #[divan::bench(args = SIZES)]
    fn floor_a(bencher: Bencher, size: usize) {
        let map = Plain::new(size);
        measure(bencher, || map.call(black_box(workload::ID), Input::Text(black_box(workload::VALID))));
    }

    #[divan::bench(args = SIZES)]
    fn floor_b(bencher: Bencher, size: usize) {
        let map = Boxed::new(size);
        measure(bencher, || now(map.call(black_box(workload::ID), black_box(workload::VALID))));
    }

    #[divan::bench(args = SIZES)]
    fn by_macro(bencher: Bencher, size: usize) {
        dispatch(bencher, Author::Macro, size, &workload::call(workload::VALID));
    }

    #[divan::bench(args = SIZES)]
    fn by_macro_through_executor(bencher: Bencher, size: usize) {
        let registry = workload::registry(Author::Macro, size);
        let (executor, call): (&dyn ToolExecutor, _) = (&registry, workload::call(workload::VALID));
        measure(bencher, || now(executor.invoke(black_box(&call))));
    }

    #[divan::bench(args = SIZES)]
    fn by_hand(bencher: Bencher, size: usize) {
        dispatch(bencher, Author::Hand, size, &workload::call(workload::VALID));
    }
}

/// The same call as a value.
mod b_value {
    use super::*;

    #[divan::bench]
    fn floor_a(bencher: Bencher) {
        let (map, value) = (Plain::new(16), workload::value());
        measure(bencher, || map.call(black_box(workload::ID), Input::Value(black_box(&value))));
    }

    #[divan::bench]
    fn by_macro(bencher: Bencher) {
        dispatch(bencher, Author::Macro, 16, &workload::call_with_value());
    }

    #[divan::bench]
    fn by_hand(bencher: Bencher) {
        dispatch(bencher, Author::Hand, 16, &workload::call_with_value());
    }
}

/// A call that is refused, its message included.
mod c_refused {
    use super::*;

    #[divan::bench(args = ["missing", "unknown"])]
    fn floor_a(bencher: Bencher, why: &str) {
        let map = Plain::new(16);
        let (tool, text) =
            if why == "missing" { (workload::ID, workload::MISSING) } else { ("search_order", workload::VALID) };
        measure(bencher, || map.call(black_box(tool), Input::Text(black_box(text))));
    }

    #[divan::bench(args = ["missing", "unknown"])]
    fn by_macro(bencher: Bencher, why: &str) {
        let call = if why == "missing" { workload::call(workload::MISSING) } else { unknown() };
        refusal(bencher, Author::Macro, &call);
    }

    #[divan::bench(args = ["missing", "unknown"])]
    fn by_hand(bencher: Bencher, why: &str) {
        let call = if why == "missing" { workload::call(workload::MISSING) } else { unknown() };
        refusal(bencher, Author::Hand, &call);
    }
}

/// A call that is repaired.
mod d_repaired {
    use super::*;

    #[divan::bench(args = [workload::NUMBER_AS_STRING, workload::TAGS_AS_STRING])]
    fn by_macro(bencher: Bencher, text: &str) {
        dispatch(bencher, Author::Macro, 16, &workload::call(text));
    }

    #[divan::bench(args = [workload::NUMBER_AS_STRING, workload::TAGS_AS_STRING])]
    fn by_hand(bencher: Bencher, text: &str) {
        dispatch(bencher, Author::Hand, 16, &workload::call(text));
    }
}

/// Building a registry.
mod e_construction {
    use super::*;

    #[divan::bench(args = SIZES)]
    fn map_of_boxed_objects(bencher: Bencher, size: usize) {
        bencher.with_inputs(|| workload::filler_ids(size).collect()).bench_local_values(map_of_boxes);
    }

    #[divan::bench(args = SIZES)]
    fn registry(bencher: Bencher, size: usize) {
        bencher.with_inputs(|| workload::filler_ids(size).collect()).bench_local_values(workload::registry_of_fillers);
    }
}

/// Listing 16 tools with their schemas.
mod f_listing {
    use super::*;

    #[divan::bench]
    fn schemas_alone(bencher: Bencher) {
        bencher.bench_local(listing::schemas);
    }

    #[divan::bench]
    fn first(bencher: Bencher) {
        bencher.with_inputs(listing::registry).bench_local_refs(|registry| listing::list(registry));
    }

    #[divan::bench]
    fn again(bencher: Bencher) {
        let registry = listing::registry();
        listing::list(&registry);
        measure(bencher, || listing::list(black_box(&registry)));
    }
}
