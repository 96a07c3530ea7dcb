//! A runtime is not built over what it could not keep.

mod runtime_support;

use std::num::NonZeroU32;
use std::sync::Arc;
use tool_core::{
    AllowAll, ArgumentMode, ExecutableSnapshot, RawToolRegistry, ToolRecoveryMode, ToolRecoveryPolicy, ToolRuntime,
    erase, tool,
};

/// Says it.
#[tool(read_only)]
fn say(text: String) -> String {
    text
}

mod older {
    use tool_core::tool;

    /// Says it aloud.
    #[tool(read_only)]
    pub(crate) fn say(text: String) -> String {
        text
    }
}

mod bolder {
    use tool_core::tool;

    /// Says it.
    #[tool(recovery = replay_safe)]
    pub(crate) fn say(text: String) -> String {
        text
    }
}

/// Runs code.
#[tool(target = sandbox)]
fn run_code(code: String) -> String {
    code
}

fn problems(registry: RawToolRegistry, snapshot: Option<ExecutableSnapshot>) -> String {
    let builder = ToolRuntime::builder(registry);
    let builder = match snapshot {
        Some(snapshot) => builder.snapshot(snapshot),
        None => builder,
    };
    builder.build().unwrap_err().to_string()
}

fn snapshot_of(tools: impl IntoIterator<Item = Arc<dyn tool_core::RawTool>>) -> ExecutableSnapshot {
    let snapshot = ExecutableSnapshot::of(&RawToolRegistry::new(tools));
    // As it comes back from a store.
    serde_json::from_str(&serde_json::to_string(&snapshot).unwrap()).unwrap()
}

#[test]
fn r5_ambiguous_ids_are_refused() {
    let registry = RawToolRegistry::new([erase(Say), erase(older::Say)]);
    assert_eq!(
        problems(registry, None),
        "tool id \"say\" was registered more than once; give each tool an id of its own"
    );
}

#[test]
fn a_resumed_run_whose_tools_changed_under_it_says_which() {
    let registry = || RawToolRegistry::new([erase(Say)]);
    let go_back = "changed since it was pinned; go on with the build that the run began with, or begin a new run with a new \
                   snapshot";
    assert_eq!(
        problems(registry(), Some(snapshot_of([erase(older::Say)]))),
        format!("the description or schema of tool \"say\" {go_back}")
    );
    assert_eq!(
        problems(registry(), Some(snapshot_of([erase(bolder::Say)]))),
        format!("the annotations of tool \"say\" {go_back}")
    );
    assert_eq!(
        problems(RawToolRegistry::default(), Some(snapshot_of([erase(Say)]))),
        "tool \"say\" is pinned and not registered; register it, or take it out of the snapshot"
    );
    assert!(ToolRuntime::builder(registry()).snapshot(snapshot_of([erase(Say)])).build().is_ok());
}

#[test]
fn a_sandbox_tool_needs_a_sandbox() {
    let registry = RawToolRegistry::new([erase(Say), erase(RunCode)]);
    assert_eq!(problems(registry, None), "tool \"run_code\" runs in the sandbox; give the runtime a sandbox executor");
}

#[test]
fn a_recovery_mode_beyond_the_tools_capability_is_refused_wherever_it_comes_from() {
    let registry = RawToolRegistry::new([erase(Say)]);
    let durable = ToolRecoveryPolicy::new(ToolRecoveryMode::DurableRequest, NonZeroU32::MIN);
    let refused = "tool \"say\": recovery mode DurableRequest needs a tool of the same capability, and this one is ReplaySafe; \
                   choose NeverReplay, or declare the capability on the tool if it truly has it";
    let snapshot = ExecutableSnapshot::of(&registry);
    assert_eq!(snapshot.clone().with_policy("say", durable).unwrap_err().to_string(), refused);
    let mut stored = serde_json::to_value(&snapshot).unwrap();
    stored[0]["policy"]["mode"] = "durable_request".into();
    assert_eq!(serde_json::from_value::<ExecutableSnapshot>(stored).unwrap_err().to_string(), refused);
    assert_eq!(snapshot.with_policy("sing", durable).unwrap_err().to_string(), "the snapshot has no tool \"sing\"");
}

#[tokio::test]
async fn tools_that_are_not_pinned_cannot_be_called() {
    let registry = Arc::new(RawToolRegistry::new([erase(Say)]));
    let nothing = ExecutableSnapshot::of(&registry).only(|_| false);
    let runtime = ToolRuntime::builder(registry).snapshot(nothing).build().unwrap();
    let run = runtime_support::run(&runtime).await;
    let report = run.step(0, vec![runtime_support::call("a", "say", r#"{"text": "x"}"#)]).await;
    assert_eq!(runtime_support::told(&report), ["There is no tool named \"say\"."]);
}

#[test]
fn the_mode_of_a_registry_is_pinned_with_its_tools() {
    let strict = || RawToolRegistry::new([erase(Say)]).with_argument_mode(ArgumentMode::Strict);
    let snapshot = ExecutableSnapshot::of(&strict());
    assert!(ToolRuntime::builder(strict()).gate(AllowAll).snapshot(snapshot).build().is_ok());
    let changed = problems(strict(), Some(snapshot_of([erase(Say)])));
    assert!(changed.contains("behaviour"), "{changed}");
}
