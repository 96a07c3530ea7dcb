//! What holds of the history transforms over any conversation.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::{
    ContentBlock, HistoryOptions, HistoryPolicies, HistoryPolicy, ReplacementReason, Transcript, TranscriptCall,
    TranscriptMessage, TranscriptResult,
};

/// A tool for each combination of policies; `unknown` has none.
const TOOLS: [&str; 9] = ["", "d", "c", "p", "dc", "dp", "cp", "dcp", "unknown"];

fn policies() -> HistoryPolicies {
    TOOLS[..8].iter().fold(HistoryPolicies::default(), |policies, tool| {
        let mut policy = HistoryPolicy::default();
        policy.compact = tool.contains('c');
        policy.pin = tool.contains('p');
        if tool.contains('d') {
            policy.deduplicate_by.push("a".into());
        }
        policies.with(*tool, policy)
    })
}

fn ids() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["x", "y", "z"]).prop_map(str::to_owned)
}

fn arguments() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0..3).prop_map(|a| json!({"a": a})),
        1 => Just(json!({"a": 1.0, "b": "é"})),
        1 => Just(json!({"a": "long ".repeat(40)})),
        1 => Just(json!("{\"a\": 1}")),
        1 => Just(Value::Null),
        1 => Just(json!([1])),
    ]
}

fn calls() -> impl Strategy<Value = TranscriptCall> {
    (ids(), prop::sample::select(&TOOLS[..]), arguments())
        .prop_map(|(id, tool, arguments)| TranscriptCall::new(id, tool, arguments))
}

fn content() -> impl Strategy<Value = Vec<ContentBlock>> {
    let block = prop_oneof![
        4 => (0..400_usize).prop_map(|chars| ContentBlock::text("é".repeat(chars))),
        1 => (0..400_usize).prop_map(|chars| ContentBlock::image("A".repeat(chars), "image/png")),
    ];
    prop::collection::vec(block, 0..3)
}

fn messages() -> impl Strategy<Value = Vec<TranscriptMessage>> {
    let message = prop_oneof![
        4 => prop::collection::vec(calls(), 0..4).prop_map(|calls| TranscriptMessage::assistant("said", calls)),
        8 => (ids(), content(), prop::bool::weighted(0.3))
            .prop_map(|(call_id, content, is_error)| TranscriptMessage::Tool(TranscriptResult { call_id, content, is_error })),
        1 => Just(TranscriptMessage::user("asks")),
        1 => Just(TranscriptMessage::system("rules")),
    ];
    prop::collection::vec(message, 0..60)
}

fn options() -> impl Strategy<Value = HistoryOptions> {
    (0..8_000_usize, 0..9_000_usize, 0..6_usize)
        .prop_map(|(max, to, keep)| HistoryOptions::new(max).with_compact_to(to).with_keep_recent(keep))
}

/// A message without what a result says.
fn shape(message: &TranscriptMessage) -> TranscriptMessage {
    match message {
        TranscriptMessage::Tool(result) => {
            TranscriptMessage::Tool(TranscriptResult { content: Vec::new(), ..result.clone() })
        }
        other => other.clone(),
    }
}

/// Which call each result answers, by positions.
fn pairing(transcript: &Transcript) -> Vec<(usize, Option<usize>)> {
    transcript.exchanges().iter().map(|exchange| (exchange.asked_at, exchange.answered_at)).collect()
}

/// Counts from the end, as plainly as can be said.
fn pinned(transcript: &Transcript) -> Vec<usize> {
    let exchanges = transcript.exchanges();
    let of = |tool: &str, success_alone: bool| {
        let results = exchanges.iter().filter(|exchange| exchange.call.tool_id == tool);
        let results =
            results.filter(|exchange| exchange.result.is_some_and(|result| !success_alone || !result.is_error));
        results.filter_map(|exchange| exchange.answered_at).max()
    };
    let tools = TOOLS.iter().filter(|tool| tool.contains('p'));
    tools.flat_map(|tool| [of(tool, false), of(tool, true)]).flatten().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn messages_their_order_and_their_pairing_stay(messages in messages(), options in options()) {
        let before = Transcript { messages };
        let after = policies().apply(&before, &options);
        prop_assert_eq!(pairing(&before), pairing(&after));
        let shapes = |transcript: &Transcript| transcript.messages.iter().map(shape).collect::<Vec<_>>();
        prop_assert_eq!(shapes(&before), shapes(&after));
    }

    #[test]
    fn a_second_application_changes_nothing(messages in messages(), options in options()) {
        let once = policies().apply(&Transcript { messages }, &options);
        prop_assert_eq!(policies().replacements(&once, &options), []);
        prop_assert_eq!(policies().apply(&once, &options), once);
    }

    #[test]
    fn whatever_is_replaced_becomes_smaller(messages in messages(), options in options()) {
        let before = Transcript { messages };
        let after = policies().apply(&before, &options);
        for (before, after) in before.messages.iter().zip(&after.messages) {
            prop_assert!(before == after || after.chars() < before.chars());
        }
        prop_assert_eq!(before == after, policies().replacements(&before, &options).is_empty());
    }

    #[test]
    fn pinned_and_foreign_results_stay(messages in messages(), options in options()) {
        let before = Transcript { messages };
        let after = policies().apply(&before, &options);
        for position in pinned(&before) {
            prop_assert_eq!(&before.messages[position], &after.messages[position]);
        }
        let may_change: Vec<_> = before.exchanges().iter()
            .filter(|exchange| exchange.call.tool_id.contains(['d', 'c']))
            .filter_map(|exchange| exchange.answered_at)
            .collect();
        for position in (0..before.messages.len()).filter(|position| !may_change.contains(position)) {
            prop_assert_eq!(&before.messages[position], &after.messages[position]);
        }
    }

    #[test]
    fn compaction_stops_at_its_goal_and_never_before_it(messages in messages(), options in options()) {
        let before = Transcript { messages };
        let changes = policies().replacements(&before, &options);
        let compacted: Vec<_> = changes.iter().filter(|change| change.reason == ReplacementReason::Compacted).collect();
        let after = policies().apply(&before, &options).chars();
        let goal = options.compact_to.min(options.max_chars);
        if let Some(last) = compacted.last() {
            let saved = before.messages[last.message].chars() - last.text.chars().count();
            prop_assert!(after + saved > goal, "the last one was not needed");
        } else if options.keep_recent == 0 && after > options.max_chars {
            // Then nothing is left that could go.
            let more = policies().replacements(&before, &options.with_compact_to(0));
            prop_assert_eq!(more, changes);
        }
    }

    #[test]
    fn what_was_replaced_stays_as_it_is_when_the_conversation_goes_on(one in messages(), two in messages()) {
        let unbounded = HistoryOptions::new(usize::MAX);
        let mut whole = Transcript { messages: one.clone() };
        let mut stepwise = policies().apply(&whole, &unbounded);
        whole.extend(two.iter().cloned());
        stepwise.extend(two);
        prop_assert_eq!(policies().apply(&whole, &unbounded), policies().apply(&stepwise, &unbounded));
    }
}
