//! What is left out of a conversation, and what never is.

use serde_json::{Value, json};
use tool_core::{
    ContentBlock, HistoryOptions, HistoryPolicies, HistoryPolicy, RawToolRegistry, ReplacementReason, Transcript,
    TranscriptCall, TranscriptMessage, TranscriptResult, erase, tool,
};

/// Reads a file.
#[tool(read_only, history(deduplicate_by = path, compact))]
async fn read(#[arg(rename = "file")] path: String) -> String {
    path
}

/// Sets the plan.
#[tool(history(compact, pin))]
async fn plan(steps: Vec<String>) -> usize {
    steps.len()
}

/// Lists a folder.
#[tool(read_only, history(compact))]
async fn list() -> Vec<String> {
    Vec::new()
}

/// Sends a message.
#[tool]
async fn send(text: String) -> usize {
    text.len()
}

fn policies() -> HistoryPolicies {
    HistoryPolicies::from_descriptors(
        RawToolRegistry::new([erase(Read), erase(Plan), erase(List), erase(Send)]).descriptors(),
    )
}

/// A call and its result: `text` with enough behind it to be worth leaving out.
fn exchange(tool: &str, arguments: Value, text: &str) -> [TranscriptMessage; 2] {
    let result = TranscriptResult::new("c", [ContentBlock::text(format!("{text}{}", ".".repeat(500)))]);
    [TranscriptMessage::assistant("", [TranscriptCall::new("c", tool, arguments)]), TranscriptMessage::Tool(result)]
}

fn failed(tool: &str, arguments: Value, text: &str) -> [TranscriptMessage; 2] {
    exchange(tool, arguments, text).map(|message| match message {
        TranscriptMessage::Tool(result) => TranscriptMessage::Tool(TranscriptResult { is_error: true, ..result }),
        other => other,
    })
}

fn read_of(file: &str, text: &str) -> [TranscriptMessage; 2] {
    exchange("read", json!({"file": file}), text)
}

fn transcript(exchanges: impl IntoIterator<Item = [TranscriptMessage; 2]>) -> Transcript {
    exchanges.into_iter().flatten().collect()
}

/// The first word of each result: what it was, or `[Left`.
fn results(transcript: &Transcript) -> Vec<String> {
    let word = |message: &TranscriptMessage| match message {
        TranscriptMessage::Tool(result) => {
            Some(result.content[0].as_text()?.split([' ', '.']).next().unwrap_or_default().to_owned())
        }
        _ => None,
    };
    transcript.messages.iter().filter_map(word).collect()
}

fn deduplicated(exchanges: impl IntoIterator<Item = [TranscriptMessage; 2]>) -> Vec<String> {
    results(&policies().apply(&transcript(exchanges), &HistoryOptions::new(usize::MAX)))
}

#[test]
fn of_results_of_the_same_arguments_the_latest_is_kept() {
    let kept = deduplicated([read_of("a", "old"), read_of("b", "other"), read_of("a", "new")]);
    assert_eq!(kept, ["[Left", "other", "new"]);
    let kept = deduplicated([read_of("a", "1"), read_of("a", "2"), read_of("a", "3")]);
    assert_eq!(kept, ["[Left", "[Left", "3"]);
}

#[test]
fn a_result_that_is_replaced_says_what_replaces_it() {
    let transcript = transcript([read_of("a \"quoted\"", "old"), read_of("a \"quoted\"", "new")]);
    let changes = policies().replacements(&transcript, &HistoryOptions::default());
    assert_eq!((changes.len(), changes[0].message, changes[0].reason), (1, 1, ReplacementReason::Superseded));
    assert_eq!(
        changes[0].text,
        r#"[Left out: the result of a later call of "read" with file = "a \"quoted\"" stands further down and replaces this one.]"#
    );
}

#[test]
fn a_success_makes_way_for_a_success_and_a_failure_for_any_result() {
    let (ok, bad) = (|text| read_of("a", text), |text| failed("read", json!({"file": "a"}), text));
    assert_eq!(deduplicated([ok("success"), bad("failure")]), ["success", "failure"]);
    assert_eq!(deduplicated([bad("failure"), ok("success")]), ["[Left", "success"]);
    assert_eq!(deduplicated([bad("one"), bad("two")]), ["[Left", "two"]);
    assert_eq!(deduplicated([ok("success"), bad("one"), bad("two")]), ["success", "[Left", "two"]);
    assert_eq!(deduplicated([ok("one"), bad("failure"), ok("two")]), ["[Left", "[Left", "two"]);
    let replaced = policies().apply(&transcript([bad("one"), ok("two")]), &HistoryOptions::default());
    assert!(matches!(&replaced.messages[1], TranscriptMessage::Tool(result) if result.is_error));
}

#[test]
fn arguments_are_the_same_by_their_value() {
    let same = |one: Value, other: Value| {
        let mut policy = HistoryPolicy::default();
        policy.deduplicate_by = vec!["a".into(), "b".into()];
        let transcript = transcript([exchange("t", one, "one"), exchange("t", other, "two")]);
        let applied = HistoryPolicies::default().with("t", policy).apply(&transcript, &HistoryOptions::default());
        results(&applied)[0] == "[Left"
    };
    for (one, other) in [
        (json!({"a": 1, "b": {"x": 1, "y": [2]}}), json!({"b": {"y": [2.0], "x": 1.0}, "a": 1.0, "c": "other"})),
        (json!({"a": 1}), json!({"a": 1, "b": null})),
        (json!({}), Value::Null),
        (json!({}), json!("  ")),
        (json!({"a": "x"}), json!(r#"{"a": "x"}"#)),
        (json!({"a": "x"}), json!(r#""{\"a\": \"x\"}""#)),
    ] {
        assert!(same(one.clone(), other.clone()) && same(other.clone(), one.clone()), "{one} {other}");
    }
    for (one, other) in [
        (json!({"a": 1}), json!({"a": "1"})),
        (json!({"a": 1}), json!({"b": 1})),
        (json!({"a": 9_007_199_254_740_993_u64}), json!({"a": 9_007_199_254_740_992_u64})),
        // What is no object says nothing of any argument.
        (json!([1]), json!([1])),
        (json!("no json"), json!("no json")),
        (json!(7), json!({})),
    ] {
        assert!(!same(one.clone(), other.clone()), "{one} {other}");
    }
}

#[test]
fn another_tool_of_the_same_arguments_replaces_nothing() {
    let kept = deduplicated([read_of("a", "one"), exchange("send", json!({"file": "a"}), "two")]);
    assert_eq!(kept, ["one", "two"]);
    let kept = deduplicated([exchange("gone", json!({}), "one"), exchange("gone", json!({}), "two")]);
    assert_eq!(kept, ["one", "two"]);
}

#[test]
fn nothing_is_compacted_within_the_budget() {
    let transcript = transcript((0..9).map(|file| read_of(&file.to_string(), "text")));
    let options = HistoryOptions::new(transcript.chars()).with_keep_recent(0).with_compact_to(0);
    assert_eq!(policies().apply(&transcript, &options), transcript);
}

#[test]
fn over_the_budget_the_oldest_go_first_and_only_as_many_as_needed() {
    let transcript = transcript((0..5).map(|file| read_of(&file.to_string(), &format!("r{file}"))));
    let options = HistoryOptions::new(transcript.chars() - 1).with_keep_recent(0);
    let applied = |to: usize| results(&policies().apply(&transcript, &options.with_compact_to(to)));
    assert_eq!(applied(transcript.chars() - 1), ["[Left", "r1", "r2", "r3", "r4"]);
    assert_eq!(applied(usize::MAX), ["[Left", "r1", "r2", "r3", "r4"]);
    assert_eq!(applied(transcript.chars() - 500), ["[Left", "[Left", "r2", "r3", "r4"]);
    assert_eq!(applied(0), ["[Left"; 5]);
}

#[test]
fn the_last_results_that_could_go_stay() {
    let exchanges = [
        read_of("a", "a"),
        exchange("list", json!({}), "l"),
        exchange("send", json!({}), "s"),
        read_of("b", "old"),
        read_of("b", "b"),
        exchange("plan", json!({}), "p"),
    ];
    let options = HistoryOptions::new(0).with_keep_recent(2);
    // `s` cannot be fetched again, `old` is replaced and `p` is pinned: none of them is one of the two.
    let kept = results(&policies().apply(&transcript(exchanges), &options));
    assert_eq!(kept, ["[Left", "l", "s", "[Left", "b", "p"]);
}

#[test]
fn what_is_compacted_says_how_it_comes_back() {
    let exchanges = [read_of("a", "text"), failed("list", json!({}), "failure")];
    let applied = policies().apply(&transcript(exchanges), &HistoryOptions::new(0).with_keep_recent(0));
    let texts = applied.messages.iter().filter_map(|message| match message {
        TranscriptMessage::Tool(result) => Some((result.content[0].as_text()?, result.is_error)),
        _ => None,
    });
    let texts: Vec<_> = texts.collect();
    let success =
        "[Left out to save room: an old result of \"read\". Calling it again with the same arguments brings it back.]";
    let failure = "[Left out to save room: an old failure of \"list\". Calling it again shows whether it still fails.]";
    assert_eq!(texts, [(success, false), (failure, true)]);
}

#[test]
fn the_plan_stays_also_when_changing_it_failed() {
    let plan = |text| exchange("plan", json!({"steps": []}), text);
    let exchanges =
        [plan("old"), plan("current"), failed("plan", json!({}), "refused"), failed("plan", json!({}), "again")];
    let kept = results(&policies().apply(&transcript(exchanges), &HistoryOptions::new(0).with_keep_recent(0)));
    assert_eq!(kept, ["[Left", "current", "[Left", "again"]);
}

#[test]
fn a_short_result_stays_since_leaving_it_out_would_save_nothing() {
    let short = |file: &str| {
        let call = TranscriptCall::new("c", "read", json!({"file": file}));
        let result = TranscriptResult::new("c", [ContentBlock::text("short")]);
        [TranscriptMessage::assistant("", [call]), TranscriptMessage::Tool(result)]
    };
    let transcript = transcript([short("a"), short("a"), short("b")]);
    assert_eq!(policies().apply(&transcript, &HistoryOptions::new(0).with_keep_recent(0)), transcript);
}

#[test]
fn results_that_answer_no_call_are_left_alone() {
    let mut odd = transcript([read_of("a", "one"), read_of("a", "two")]);
    odd.messages.push(odd.messages[1].clone());
    odd.messages.insert(0, odd.messages[1].clone());
    let applied = policies().apply(&odd, &HistoryOptions::new(0).with_keep_recent(0));
    assert_eq!(results(&applied), ["one", "[Left", "[Left", "one"]);
}

#[test]
fn policies_and_options_are_read_back() {
    let (policies, options) = (policies(), HistoryOptions::new(7).with_keep_recent(1));
    let read = |json: Value| serde_json::from_value::<HistoryPolicies>(json).unwrap();
    assert_eq!(read(serde_json::to_value(&policies).unwrap()), policies);
    assert_eq!(policies.get("read").unwrap().deduplicate_by, ["file"]);
    assert_eq!(serde_json::from_value::<HistoryOptions>(serde_json::to_value(options).unwrap()).unwrap(), options);
}
