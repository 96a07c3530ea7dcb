//! Properties of the gate of rules, over many sets of them.

mod gates_support;

use gates_support::{judge, word};
use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::{GateRule, RuleEffect, Rules, Touched, Verdict};

fn a_condition() -> impl Strategy<Value = Value> {
    let path = prop_oneof![Just("a"), Just("b"), Just("c[*].d")];
    let test = prop_oneof![
        (-3..3_i64).prop_map(|n| json!({"equals": n})),
        (-3..3_i64).prop_map(|n| json!({"at_most": n})),
        (-3..3_i64).prop_map(|n| json!({"more_than": n})),
        Just(json!({"one_of": ["x", 1, true]})),
        Just(json!({"glob": "x*"})),
        (0..3_u64).prop_map(|n| json!({"length_at_least": n})),
        any::<bool>().prop_map(|there| json!({"exists": there})),
    ];
    (path, test).prop_map(|(path, mut test)| {
        test["argument"] = json!(path);
        test
    })
}

/// Few, so that many rules fit one call, and there are ties.
fn a_tool() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["*", "*?*", "?*", "a*", "*b", "?b", "a?", "a*b", "ab", "b", "aab"])
}

fn an_id() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["ab", "b", "aab"])
}

fn a_rule() -> impl Strategy<Value = GateRule> {
    let effect = prop_oneof![Just("allow"), Just("ask"), Just("deny")];
    let conditions = prop_oneof![2 => Just(Vec::new()), 1 => proptest::collection::vec(a_condition(), 1..3)];
    let reason = proptest::option::of(prop_oneof![Just("one"), Just("two")]);
    (effect, a_tool(), conditions, reason).prop_map(|(effect, tool, when, reason)| {
        serde_json::from_value(json!({"effect": effect, "tool": tool, "when": when, "reason": reason})).unwrap()
    })
}

fn some_rules() -> impl Strategy<Value = Vec<GateRule>> {
    proptest::collection::vec(a_rule(), 0..8)
}

fn some_arguments() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..3_i64).prop_map(Value::from),
        "x{0,2}".prop_map(Value::from),
    ];
    let d = proptest::option::of(scalar.clone()).prop_map(|d| d.map_or(json!({}), |d| json!({"d": d})));
    (proptest::option::of(scalar.clone()), proptest::option::of(scalar), proptest::collection::vec(d, 0..3)).prop_map(
        |(a, b, c)| {
            let named = [("a", a), ("b", b), ("c", Some(json!(c)))];
            named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
        },
    )
}

/// What `rules` say of a call of a tool without a descriptor, the only one that costs nothing to make.
fn judge_plain(rules: &Rules, id: &str, arguments: &Value) -> Verdict {
    judge(rules, id, None, Touched::default(), &arguments.to_string())
}

/// Whether one rule alone fits: told by what it changes.
fn fits_alone(rule: &GateRule, id: &str, arguments: &Value) -> bool {
    let verdict = judge_plain(&Rules::new().with(rule.clone().because("This one fits.")), id, arguments);
    verdict == Verdict::ask("This one fits.") || word(&verdict) != "ask"
}

/// The documented table, on the text of the pattern.
fn narrowness(rule: &GateRule) -> (bool, usize, usize, usize, isize, usize) {
    let tool = rule.tool();
    let written = serde_json::to_value(rule).unwrap();
    let conditions = written.get("when").and_then(Value::as_array).map_or(0, Vec::len);
    let mut merged = tool.replace('?', "");
    while merged.contains("**") {
        merged = merged.replace("**", "*");
    }
    (
        !tool.contains(['*', '?']),
        tool.find(['*', '?']).unwrap_or(tool.len()),
        tool.replace(['*', '?'], "").len(),
        tool.matches('?').count(),
        -isize::try_from(merged.matches('*').count()).unwrap(),
        conditions,
    )
}

fn strictest(rules: &[&GateRule]) -> Option<RuleEffect> {
    rules.iter().map(|rule| rule.effect()).max()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn the_strictest_of_the_narrowest_decides(all in some_rules(), id in an_id(), arguments in some_arguments()) {
        let fitting: Vec<_> = all.iter().filter(|rule| fits_alone(rule, id, &arguments)).collect();
        let top = fitting.iter().map(|rule| narrowness(rule)).max();
        let narrowest: Vec<_> = fitting.into_iter().filter(|rule| Some(narrowness(rule)) == top).collect();
        let expected = strictest(&narrowest).map_or("ask".to_owned(), |effect| effect.to_string());
        let verdict = judge_plain(&all.into_iter().collect::<Rules>(), id, &arguments);
        prop_assert_eq!(word(&verdict), expected);
    }

    #[test]
    fn the_order_of_rules_means_nothing(
        (all, mixed) in some_rules().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        id in an_id(),
        arguments in some_arguments(),
    ) {
        let one = all.iter().cloned().collect::<Rules>();
        let two = mixed.iter().cloned().fold(Rules::new(), Rules::with);
        prop_assert_eq!(judge_plain(&one, id, &arguments), judge_plain(&two, id, &arguments));
        prop_assert_eq!(one, two);
    }

    #[test]
    fn a_broader_rule_changes_nothing(
        all in some_rules(), more in a_rule(), id in an_id(), arguments in some_arguments(),
    ) {
        let decides = all.iter().filter(|rule| fits_alone(rule, id, &arguments)).map(narrowness).max();
        let rules = all.into_iter().collect::<Rules>();
        if decides.is_some_and(|decides| narrowness(&more) < decides) {
            let before = judge_plain(&rules, id, &arguments);
            prop_assert_eq!(judge_plain(&rules.with(more), id, &arguments), before);
        }
    }

    #[test]
    fn a_rule_as_narrow_never_loosens(all in some_rules(), id in an_id(), arguments in some_arguments()) {
        // Each rule again with each effect, so that there are ties: the strictest of them has the word.
        let rules = all.iter().cloned().collect::<Rules>();
        let before = judge_plain(&rules, id, &arguments);
        for rule in &all {
            for effect in ["allow", "ask", "deny"] {
                let mut written = serde_json::to_value(rule).unwrap();
                written["effect"] = json!(effect);
                let tie: GateRule = serde_json::from_value(written).unwrap();
                let top = all.iter().filter(|rule| fits_alone(rule, id, &arguments)).map(narrowness).max();
                if top.is_none_or(|top| narrowness(&tie) > top) {
                    continue;
                }
                let order = |verdict: &Verdict| ["allow", "ask", "deny"].iter().position(|word_| *word_ == word(verdict));
                prop_assert!(order(&judge_plain(&rules.clone().with(tie), id, &arguments)) >= order(&before));
            }
        }
    }

    #[test]
    fn rules_are_read_back_as_they_were_written(all in some_rules()) {
        let rules = all.into_iter().collect::<Rules>();
        let text = serde_json::to_string(&rules).unwrap();
        prop_assert_eq!(serde_json::from_str::<Rules>(&text).unwrap(), rules.clone());
        prop_assert_eq!(serde_json::from_value::<Rules>(serde_json::to_value(&rules).unwrap()).unwrap(), rules);
    }
}
