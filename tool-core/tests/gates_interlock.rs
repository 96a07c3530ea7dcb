//! The interlock, over every state of a run and every kind of tool, against an oracle of its own.

mod gates_support;

use gates_support::{judge, tool, word};
use tool_core::{Egress, Interlock, ToolBehaviour, ToolDescriptor, Touched, Verdict};

fn behaving(id: &str, private: Option<bool>, untrusted: Option<bool>, egress: Option<Egress>) -> ToolDescriptor {
    let mut behaviour = ToolBehaviour::default();
    behaviour.private_data = private;
    behaviour.untrusted_input = untrusted;
    behaviour.egress = egress;
    tool(id).with_behaviour(behaviour)
}

fn all_touched() -> impl Iterator<Item = Touched> {
    (0_u8..8).map(|bits| Touched {
        private_data: bits & 1 != 0,
        untrusted_input: bits & 2 != 0,
        chosen_egress: bits & 4 != 0,
    })
}

/// The rule as the issue words it, on sets: what the run had, what the call brings.
fn is_refused(had: &[&str], brings: &[&str], egress: &str, sealed: bool) -> bool {
    let together = |kind: &&str| had.contains(kind) || brings.contains(kind);
    let all_three = ["private", "untrusted", "chosen"].iter().all(together) && !brings.is_empty();
    all_three || (sealed && together(&"private") && egress != "none")
}

#[test]
fn every_run_with_every_tool() {
    let stated = [Some(false), Some(true), None];
    let egresses = [
        (Some(Egress::None), "none"),
        (Some(Egress::Blind), "blind"),
        (Some(Egress::Chosen), "chosen"),
        (None, "chosen"),
    ];
    let mut seen = 0;
    for touched in all_touched() {
        let had: Vec<&str> = [
            (touched.private_data, "private"),
            (touched.untrusted_input, "untrusted"),
            (touched.chosen_egress, "chosen"),
        ]
        .into_iter()
        .filter_map(|(had, kind)| had.then_some(kind))
        .collect();
        for (private, untrusted, (egress, sends)) in stated
            .into_iter()
            .flat_map(|private| stated.map(|untrusted| (private, untrusted)))
            .flat_map(|(private, untrusted)| egresses.map(|egress| (private, untrusted, egress)))
        {
            let mut brings = Vec::new();
            brings.extend((private != Some(false)).then_some("private"));
            brings.extend((untrusted != Some(false)).then_some("untrusted"));
            brings.extend((sends == "chosen").then_some("chosen"));
            let descriptor = behaving("t", private, untrusted, egress);
            for (gate, sealed) in
                [(Interlock::new(), false), (Interlock::new().without_egress_after_private_data(), true)]
            {
                let verdict = judge(&gate, "t", Some(&descriptor), touched, "{}");
                let expected = if is_refused(&had, &brings, sends, sealed) { "deny" } else { "allow" };
                assert_eq!(word(&verdict), expected, "{had:?} {private:?} {untrusted:?} {egress:?} {sealed}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 8 * 36 * 2);
}

#[test]
fn a_tool_without_a_descriptor_touches_everything() {
    for touched in all_touched() {
        assert_eq!(word(&judge(&Interlock::new(), "t", None, touched, "{}")), "deny", "{touched:?}");
    }
}

fn deny(verdict: Verdict) -> (String, String) {
    match verdict {
        Verdict::Deny { reason, remedy } => (reason, remedy),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_refusal_says_what_came_together_and_how_to_do_without() {
    let touched = Touched { private_data: true, untrusted_input: true, chosen_egress: false };
    let send = behaving("send", Some(false), Some(false), Some(Egress::Chosen));
    let (reason, remedy) = deny(judge(&Interlock::new(), "send", Some(&send), touched, r#"{"to":"secret"}"#));
    assert_eq!(
        reason,
        "With a call of \"send\" this run would have had private data, text from outside, and a receiver that you choose, \
         which must not come together in one run. It has already had private data and text from outside. Finish without \
         this call, or ask the user to start a new run for it."
    );
    assert_eq!(
        remedy,
        "Tool \"send\" states itself what it touches: such a task needs two runs. What the tools that the run called before \
         do not state counts as the worse as well."
    );
}

#[test]
fn the_remedy_names_the_attributes_that_are_missing() {
    let silent = tool("look");
    let (reason, remedy) = deny(judge(&Interlock::new(), "look", Some(&silent), Touched::default(), "{}"));
    assert_eq!(
        reason,
        "With a call of \"look\" this run would have had private data, text from outside, and a receiver that you choose, \
         which must not come together in one run. Finish without this call, or ask the user to start a new run for it."
    );
    assert_eq!(
        remedy,
        "What tool \"look\" does not state counts as the worse: add to it what is true of \
         `private_data = false`, `untrusted_input = false`, `egress = none`."
    );
    let sealed = Interlock::new().without_egress_after_private_data();
    let private = Touched { private_data: true, ..Touched::default() };
    let half = behaving("look", Some(false), None, None);
    let (reason, remedy) = deny(judge(&sealed, "look", Some(&half), private, "{}"));
    assert_eq!(
        reason,
        "With a call of \"look\" this run would have had private data, text from outside, and a receiver that you choose, \
         which must not come together in one run. It has already had private data. Finish without this call, or ask the \
         user to start a new run for it."
    );
    assert_eq!(
        remedy,
        "What tool \"look\" does not state counts as the worse: add to it what is true of `untrusted_input = false`, \
         `egress = none`. What the tools that the run called before do not state counts as the worse as well."
    );
    let trusting = behaving("look", None, Some(false), None);
    let (reason, remedy) = deny(judge(&sealed, "look", Some(&trusting), Touched::default(), "{}"));
    assert_eq!(
        reason,
        "With a call of \"look\" this run would have had private data, and sent something out, which must not come \
         together in one run. Finish without this call, or ask the user to start a new run for it."
    );
    assert!(remedy.ends_with("what is true of `private_data = false`, `egress = none`."), "{remedy}");
    let private_and_foreign = Touched { untrusted_input: true, ..private };
    let helpless = behaving("send", None, Some(false), Some(Egress::Chosen));
    let (_, remedy) = deny(judge(&sealed, "send", Some(&helpless), private_and_foreign, "{}"));
    assert!(
        remedy.starts_with("Tool \"send\" states itself what it touches: "),
        "stating more would not help: {remedy}"
    );
    let blind = behaving("log", Some(false), None, Some(Egress::Blind));
    let (_, remedy) = deny(judge(&sealed, "log", Some(&blind), private, "{}"));
    assert!(remedy.starts_with("Tool \"log\" states itself what it touches: "), "{remedy}");
}
