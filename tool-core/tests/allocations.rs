//! Allocations a call, and schemas a listing: exact, so that they are a test and not only a figure.

#[path = "../benches/workload/mod.rs"]
mod workload;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_core::{RawToolRegistry, Tool, ToolError, ToolExecutor, async_trait, erase};
use workload::floor::{Boxed, Input, Plain};
use workload::{Author, SIZES, listing, now};

/// The allocations of `body`, whose results are dropped within.
fn allocations<T>(mut body: impl FnMut() -> T) -> u64 {
    body(); // what is made once
    allocation_counter::measure(|| drop(black_box(body()))).count_total
}

/// What a call takes beyond the floor: the box of `RawTool::invoke`, the call id, the list of blocks; by hand the box of
/// `Tool::call` as well.
const MORE: [(&str, Author, u64); 2] = [("macro", Author::Macro, 3), ("hand", Author::Hand, 4)];

fn floor(input: Input<'_>) -> u64 {
    let map = Plain::new(16);
    allocations(|| map.call(workload::ID, input))
}

#[test]
fn a_call_takes_at_most_four_allocations_more_than_a_plain_function_and_one_more_through_an_executor() {
    let floor = floor(Input::Text(workload::VALID));
    let call = workload::call(workload::VALID);
    for (name, author, more) in MORE {
        for size in SIZES {
            let registry = workload::registry(author, size);
            assert!(now(registry.dispatch(&call)).is_ok());
            let direct = allocations(|| now(registry.dispatch(&call)));
            assert_eq!(direct, floor + more, "{name}, {size} tools");
            let executor: &dyn ToolExecutor = &registry;
            assert_eq!(allocations(|| now(executor.invoke(&call))), floor + more + 1, "{name}, {size} tools");
        }
    }
    let boxed = Boxed::new(16);
    assert_eq!(allocations(|| now(boxed.call(workload::ID, workload::VALID))), floor + 1);
}

#[test]
fn a_call_with_a_value_takes_no_more() {
    let value = workload::value();
    let floor = floor(Input::Value(&value));
    let call = workload::call_with_value();
    for (name, author, more) in MORE {
        let registry = workload::registry(author, 16);
        assert_eq!(allocations(|| now(registry.dispatch(&call))), floor + more, "{name}");
    }
}

#[test]
fn a_list_is_one_allocation_whatever_is_listed() {
    let registry = listing::registry();
    assert_eq!(allocations(|| listing::list(&registry)), 1);
    assert_eq!(allocations(|| registry.descriptors().count()), 0);
}

static GENERATED: AtomicUsize = AtomicUsize::new(0);

/// Counts how often its schema is asked for.
#[derive(serde::Deserialize)]
struct Counted {}

impl JsonSchema for Counted {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Counted".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        GENERATED.fetch_add(1, Ordering::Relaxed);
        // With forms, which are looked at before they are closed.
        schemars::json_schema!({"type": "object", "properties": {"p": {"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "size": {"type": "integer"}}, "required": ["kind"]},
        ]}}})
    }
}

struct Count;

#[async_trait]
impl Tool for Count {
    type Args = Counted;
    type Output = ();
    const ID: &'static str = "count";
    const DESCRIPTION: &'static str = "Counts.";

    async fn call(&self, _: Counted) -> Result<(), ToolError> {
        Ok(())
    }
}

#[test]
fn a_schema_is_generated_once_a_tool_when_it_is_first_listed() {
    let registry = RawToolRegistry::new([erase(Count)]);
    assert_eq!(GENERATED.load(Ordering::Relaxed), 0);
    for _ in 0..3 {
        assert_eq!(listing::list(&registry), 1);
        assert_eq!(registry.problems(), []);
        assert!(now(registry.dispatch(&tool_core::ToolCall::new("call_1", "count", "{}"))).is_ok());
        assert_eq!(GENERATED.load(Ordering::Relaxed), 1);
    }
}
