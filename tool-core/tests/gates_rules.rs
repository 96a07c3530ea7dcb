//! The gate of rules: what fits, which rule decides, what is said, and how rules are written.

mod gates_support;

use gates_support::{judge, judge_call, read_only, tool, word};
use serde_json::{Value, json};
use tool_core::{ArgumentTest, GateRule, Rules, ToolDescriptor, Touched, Verdict};

fn rules(json: Value) -> Rules {
    serde_json::from_value(json).unwrap()
}

/// Whether a rule with this condition fits a call with these arguments: if it allows, and if it denies.
fn fits(condition: &Value, arguments: &Value, schema: &Value) -> (bool, bool) {
    let tool = ToolDescriptor::new("test", "t", "A tool.", schema.clone(), None);
    let said = |effect: &str| {
        let rules = rules(json!({"rules": [{"effect": effect, "tool": "t", "when": [condition]}]}));
        let verdict = judge(&rules, "t", Some(&tool), Touched::default(), &arguments.to_string());
        word(&verdict) == effect
    };
    (said("allow"), said("deny"))
}

#[test]
fn without_a_rule_reading_is_allowed_and_anything_else_asked_for() {
    for gate in [Rules::new(), Rules::default(), rules(json!({"rules": []}))] {
        let none = Touched::default();
        assert_eq!(judge(&gate, "get", Some(&read_only("get")), none, "{}"), Verdict::Allow);
        let asked = Verdict::ask("Tool \"set\" may change something, and no rule speaks of such a call.");
        assert_eq!(judge(&gate, "set", Some(&tool("set")), none, "{}"), asked);
        assert_eq!(judge(&gate, "set", None, none, "{}"), asked);
        let writes = tool("set").with_annotations(tool_core::ToolAnnotations::new().with_read_only(false));
        assert_eq!(judge(&gate, "set", Some(&writes), none, "{}"), asked);
    }
}

const BOTH: (bool, bool) = (true, true);
const NEITHER: (bool, bool) = (false, false);
/// Not known: nothing is allowed by it, and nothing slips through it.
const CLOSED: (bool, bool) = (false, true);

#[test]
#[allow(clippy::too_many_lines)] // a table
fn each_test_where_it_can_tell_and_where_it_cannot() {
    let any = json!({"type": "object"});
    for (condition, arguments, expected) in [
        // One type, one answer.
        (json!({"argument": "a", "equals": "x"}), json!({"a": "x"}), BOTH),
        (json!({"argument": "a", "equals": "x"}), json!({"a": "X"}), NEITHER),
        (json!({"argument": "a", "equals": true}), json!({"a": true}), BOTH),
        (json!({"argument": "a", "equals": true}), json!({"a": false}), NEITHER),
        (json!({"argument": "a", "equals": 1}), json!({"a": 1.0}), BOTH),
        (json!({"argument": "a", "equals": 0}), json!({"a": -0.0}), BOTH),
        (json!({"argument": "a", "equals": 0.1}), json!({"a": 0.1}), BOTH),
        (json!({"argument": "a", "one_of": ["x", 2]}), json!({"a": 2}), BOTH),
        (json!({"argument": "a", "one_of": ["x", 2]}), json!({"a": "y"}), NEITHER),
        (json!({"argument": "a", "glob": "EU-*"}), json!({"a": "EU-1"}), BOTH),
        (json!({"argument": "a", "glob": "EU-*"}), json!({"a": "eu-1"}), NEITHER),
        (json!({"argument": "a", "less_than": 5}), json!({"a": 4.5}), BOTH),
        (json!({"argument": "a", "less_than": 5}), json!({"a": 5}), NEITHER),
        (json!({"argument": "a", "at_most": 5}), json!({"a": 5}), BOTH),
        (json!({"argument": "a", "at_most": 5}), json!({"a": 5.5}), NEITHER),
        (json!({"argument": "a", "more_than": -5}), json!({"a": -4.5}), BOTH),
        (json!({"argument": "a", "more_than": -5}), json!({"a": -5.5}), NEITHER),
        (json!({"argument": "a", "more_than": -5}), json!({"a": -5}), NEITHER),
        (json!({"argument": "a", "at_least": 5}), json!({"a": 5}), BOTH),
        (json!({"argument": "a", "at_least": 0.5}), json!({"a": 0}), NEITHER),
        (json!({"argument": "a", "at_least": 0.5}), json!({"a": 1}), BOTH),
        (json!({"argument": "a", "length_at_most": 2}), json!({"a": "üü"}), BOTH),
        (json!({"argument": "a", "length_at_most": 2}), json!({"a": [1, 2, 3]}), NEITHER),
        (json!({"argument": "a", "length_at_least": 2}), json!({"a": [1, 2]}), BOTH),
        (json!({"argument": "a", "length_at_least": 2}), json!({"a": "ü"}), NEITHER),
        (json!({"argument": "a", "exists": true}), json!({"a": false}), BOTH),
        (json!({"argument": "a", "exists": false}), json!({"a": false}), NEITHER),
        // Integers by their digits.
        (
            json!({"argument": "a", "at_most": 9_007_199_254_740_992_u64}),
            json!({"a": 9_007_199_254_740_993_u64}),
            NEITHER,
        ),
        (
            json!({"argument": "a", "equals": 9_007_199_254_740_993_u64}),
            json!({"a": 9_007_199_254_740_992_u64}),
            NEITHER,
        ),
        (json!({"argument": "a", "more_than": u64::MAX - 1}), json!({"a": u64::MAX}), BOTH),
        (json!({"argument": "a", "more_than": i64::MIN}), json!({"a": i64::MIN + 1}), BOTH),
        (json!({"argument": "a", "at_most": 5}), json!({"a": 9_007_199_254_740_992.0}), CLOSED),
        (json!({"argument": "a", "at_most": 5}), json!({"a": -1e300}), CLOSED),
        (json!({"argument": "a", "equals": 5}), json!({"a": 1e300}), CLOSED),
        // Another type.
        (json!({"argument": "a", "equals": "5"}), json!({"a": 5}), CLOSED),
        (json!({"argument": "a", "equals": 5}), json!({"a": "5"}), CLOSED),
        (json!({"argument": "a", "one_of": ["x", 2]}), json!({"a": true}), CLOSED),
        (json!({"argument": "a", "glob": "*"}), json!({"a": 5}), CLOSED),
        (json!({"argument": "a", "less_than": 5}), json!({"a": "4"}), CLOSED),
        (json!({"argument": "a", "at_most": 5}), json!({"a": [4]}), CLOSED),
        (json!({"argument": "a", "more_than": 5}), json!({"a": "4"}), CLOSED),
        (json!({"argument": "a", "at_least": 5}), json!({"a": {"b": 1}}), CLOSED),
        (json!({"argument": "a", "length_at_most": 2}), json!({"a": 5}), CLOSED),
        (json!({"argument": "a", "length_at_least": 2}), json!({"a": {"b": 1}}), CLOSED),
        // Nothing there.
        (json!({"argument": "a", "equals": "x"}), json!({}), NEITHER),
        (json!({"argument": "a", "at_most": 5}), json!({"A": 4}), NEITHER),
        (json!({"argument": "a", "exists": true}), json!({}), NEITHER),
        (json!({"argument": "a", "exists": false}), json!({}), BOTH),
        (json!({"argument": "a", "exists": false}), json!(null), BOTH),
        (json!({"argument": "a.b", "exists": false}), json!({}), BOTH),
        (json!({"argument": "a", "at_most": 5}), json!({"a": null}), NEITHER),
        (json!({"argument": "a", "exists": true}), json!({"a": null}), CLOSED),
        (json!({"argument": "a", "exists": false}), json!({"a": null}), CLOSED),
        (json!({"argument": "a.b", "exists": false}), json!({"a": null}), CLOSED),
        // On the way.
        (json!({"argument": "a.b", "equals": 1}), json!({"a": {"b": 1}}), BOTH),
        (json!({"argument": "a.b", "equals": 1}), json!({"a": "b"}), CLOSED),
        (json!({"argument": "a.b", "equals": 1}), json!({"a": [{"b": 1}]}), CLOSED),
        (json!({"argument": "a.b", "exists": false}), json!({"a": "b"}), CLOSED),
        (json!({"argument": "a[*]", "exists": true}), json!({"a": "b"}), CLOSED),
        (json!({"argument": "a", "exists": false}), json!([]), CLOSED),
        // Every one to allow, any to deny.
        (json!({"argument": "a[*].b", "at_most": 5}), json!({"a": [{"b": 5}, {"b": 4}]}), BOTH),
        (json!({"argument": "a[*].b", "at_most": 5}), json!({"a": [{"b": 5}, {"b": 6}]}), CLOSED),
        (json!({"argument": "a[*].b", "at_most": 5}), json!({"a": [{"b": 7}, {"b": 6}]}), NEITHER),
        (json!({"argument": "a[*].b", "at_most": 5}), json!({"a": [{"b": 5}, {}]}), CLOSED),
        (json!({"argument": "a[*].b", "at_most": 5}), json!({"a": []}), NEITHER),
        (json!({"argument": "a[*].b", "at_most": 5}), json!({"a": {"b": 5}}), CLOSED),
        (json!({"argument": "a[*][*]", "equals": 1}), json!({"a": [[1], [1, 1]]}), BOTH),
        (json!({"argument": "a[*][*]", "equals": 1}), json!({"a": [[1], []]}), CLOSED),
        (json!({"argument": "a[*].b", "exists": true}), json!({"a": [{"b": 5}, {}]}), CLOSED),
        (json!({"argument": "a[*].b", "exists": false}), json!({"a": [{}, {}]}), BOTH),
        (json!({"argument": "a[*].b", "exists": false}), json!({"a": []}), BOTH),
    ] {
        assert_eq!(fits(&condition, &arguments, &any), expected, "{condition} of {arguments}");
    }
}

#[test]
fn integers_beyond_64_bits_are_not_known() {
    let limit = json!({"argument": "a", "at_most": u64::MAX});
    for digits in ["18446744073709551616", "-9223372036854775809", "1e400"] {
        let text = format!(r#"{{"a": {digits}}}"#);
        for (effect, expected) in [("allow", "ask"), ("deny", "deny")] {
            let rules = rules(json!({"rules": [{"effect": effect, "tool": "t", "when": [limit]}]}));
            assert_eq!(word(&judge(&rules, "t", Some(&tool("t")), Touched::default(), &text)), expected, "{digits}");
        }
    }
}

#[test]
fn what_a_tool_takes_for_an_absent_argument_does_not_slip_through() {
    let schema = json!({"type": "object", "properties": {
        "limit": {"type": "integer", "default": 50},
        "to": {"$ref": "#/$defs/To", "default": {"country": "KP"}},
        "deep": {"type": "object", "properties": {"flag": {"anyOf": [{"type": "boolean", "default": true}]}}},
        "none": {"default": null},
    }, "$defs": {"To": {"properties": {"country": {"default": "FR"}, "to": {"$ref": "#/$defs/To"}}}}});
    for (condition, arguments, expected) in [
        (json!({"argument": "limit", "more_than": 20}), json!({}), CLOSED),
        (json!({"argument": "limit", "more_than": 20}), json!({"limit": null}), CLOSED),
        (json!({"argument": "limit", "more_than": 20}), json!({"limit": 5}), NEITHER),
        (json!({"argument": "limit", "more_than": 60}), json!({}), NEITHER),
        (json!({"argument": "limit", "exists": true}), json!({}), CLOSED),
        (json!({"argument": "limit", "exists": false}), json!({}), BOTH),
        (json!({"argument": "to.country", "equals": "KP"}), json!({}), CLOSED),
        (json!({"argument": "to.country", "equals": "FR"}), json!({"to": {}}), CLOSED),
        (json!({"argument": "to.country", "equals": "FR"}), json!({}), NEITHER),
        (json!({"argument": "to.to.to.country", "equals": "FR"}), json!({"to": {"to": {"to": {}}}}), CLOSED),
        (json!({"argument": "deep.flag", "equals": true}), json!({"deep": {}}), CLOSED),
        (json!({"argument": "deep.flag", "equals": true}), json!({}), NEITHER),
        (json!({"argument": "none", "equals": true}), json!({}), NEITHER),
        (json!({"argument": "none", "exists": true}), json!({}), NEITHER),
    ] {
        assert_eq!(fits(&condition, &arguments, &schema), expected, "{condition} of {arguments}");
    }
}

#[test]
fn arguments_that_are_no_json_fit_nothing_that_allows() {
    for (effect, expected) in [("allow", "ask"), ("deny", "deny")] {
        let rules = rules(json!({"rules": [
            {"effect": effect, "tool": "t", "when": [{"argument": "a", "exists": false}]},
        ]}));
        assert_eq!(word(&judge(&rules, "t", Some(&tool("t")), Touched::default(), "{")), expected);
        assert_eq!(word(&judge(&rules, "t", Some(&tool("t")), Touched::default(), " \n")), effect);
    }
}

#[test]
fn all_conditions_of_a_rule_have_to_hold() {
    let rules = rules(json!({"rules": [{"effect": "deny", "tool": "t", "when": [
        {"argument": "a", "equals": 1}, {"argument": "b", "equals": 2},
    ]}]}));
    assert_eq!(word(&judge_call(&rules, "t", &json!({"a": 1, "b": 2}))), "deny");
    assert_eq!(word(&judge_call(&rules, "t", &json!({"a": 1, "b": 3}))), "ask");
    assert_eq!(word(&judge_call(&rules, "t", &json!({"a": 2, "b": 2}))), "ask");
}

#[test]
fn the_narrowest_wins_line_by_line() {
    let over = json!([{"argument": "amount", "more_than": 100}]);
    for (narrower, broader) in [
        (json!({"tool": "refund"}), json!({"tool": "refun?", "when": over})),
        (json!({"tool": "refu*"}), json!({"tool": "ref*nd", "when": over})),
        (json!({"tool": "r*nd"}), json!({"tool": "r*d", "when": over})),
        (json!({"tool": "refun?"}), json!({"tool": "refun*", "when": over})),
        (json!({"tool": "?efund"}), json!({"tool": "*?efund", "when": over})),
        (json!({"tool": "refund", "when": over}), json!({"tool": "refund"})),
        (json!({"tool": "*", "when": over}), json!({"tool": "*"})),
    ] {
        for (one, two) in [("allow", "ask"), ("allow", "deny"), ("ask", "allow"), ("deny", "allow"), ("ask", "deny")] {
            let (mut first, mut second) = (narrower.clone(), broader.clone());
            first["effect"] = json!(one);
            second["effect"] = json!(two);
            for order in [json!([first, second]), json!([second, first])] {
                let verdict = judge_call(&rules(json!({"rules": order})), "refund", &json!({"amount": 500}));
                assert_eq!(word(&verdict), one, "{order}");
            }
        }
    }
}

#[test]
fn the_same_condition_twice_is_no_narrower() {
    let over = json!({"argument": "amount", "more_than": 100});
    let rules = rules(json!({"rules": [
        {"effect": "allow", "tool": "refund", "when": [over, over]},
        {"effect": "deny", "tool": "refund", "when": [over]},
    ]}));
    assert_eq!(word(&judge_call(&rules, "refund", &json!({"amount": 500}))), "deny");
}

#[test]
fn a_second_set_refuses_something_of_every_tool() {
    let first = Rules::new().allow("refund").unwrap();
    let second = rules(json!({"rules": [
        {"effect": "allow", "tool": "*"},
        {"effect": "deny", "tool": "*", "when": [{"argument": "country", "equals": "KP"}]},
    ]}));
    let both = |arguments| judge_call(&first, "refund", &arguments).and(judge_call(&second, "refund", &arguments));
    assert_eq!(both(json!({"country": "FR"})), Verdict::Allow);
    assert_eq!(word(&both(json!({"country": "KP"}))), "deny");
}

#[test]
fn a_call_is_judged_by_the_id_of_its_descriptor() {
    let rules = Rules::new().deny("orders.delete").unwrap();
    let verdict = judge(&rules, "orders_delete", Some(&tool("orders.delete")), Touched::default(), "{}");
    assert_eq!(word(&verdict), "deny");
    assert_eq!(word(&judge(&rules, "orders.delete", None, Touched::default(), "{}")), "deny");
}

#[test]
fn reasons_and_remedies_quote_no_values() {
    let deny = |rule: Value, arguments: Value| {
        let verdict = judge_call(&rules(json!({"rules": [rule]})), "pay", &arguments);
        let Verdict::Deny { reason, remedy } = verdict else { panic!("{verdict:?}") };
        (reason, remedy)
    };
    assert_eq!(
        deny(json!({"effect": "deny", "tool": "p*"}), json!({})),
        (
            "Tool \"pay\" may not be called. Go on without it, and say what you could not do.".to_owned(),
            "Rule deny \"p*\" refuses it: change that rule, or add an `allow` or `ask` of the id \"pay\", which is narrower."
                .to_owned()
        )
    );
    let when = json!([{"argument": "pin", "equals": "4711"}, {"argument": "amount", "more_than": 100}]);
    assert_eq!(
        deny(
            json!({"effect": "deny", "tool": "pay", "when": when, "reason": "Not by this account."}),
            json!({"pin": "4711", "amount": 12345})
        ),
        (
            "Tool \"pay\" may not be called with this `pin`, `amount`. Not by this account. Call it otherwise if what you \
             were asked for allows that, or go on without it, and say what you could not do."
                .to_owned(),
            "Rule deny \"pay\" when pin equals … and amount more_than 100 refuses it: change that rule, or add an `allow` or \
             `ask` of the same id and more conditions, which is narrower."
                .to_owned()
        )
    );
    let rule = GateRule::ask("pay").unwrap().when("amount", ArgumentTest::AtLeast(100.into())).unwrap();
    let ask = |rule: GateRule| judge_call(&Rules::new().with(rule), "pay", &json!({"amount": 4711}));
    assert_eq!(ask(rule.clone()), Verdict::ask("Rule ask \"pay\" when amount at_least 100 asks for approval."));
    assert_eq!(ask(rule.because("Above 100 we look twice.")), Verdict::ask("Above 100 we look twice."));
}

#[test]
fn what_is_no_rule_says_what_to_write() {
    let tool = |pattern: &str| GateRule::deny(pattern).unwrap_err().to_string();
    assert_eq!(tool(""), "rule deny \"\": no tool is named: write a tool's id, or a glob such as \"orders.*\"");
    assert_eq!(tool(" get"), "rule deny \" get\": there is white space around it: take that away");
    for (pattern, stranger) in
        [("orders.[gs]et*", '['), ("*.{get,set}", '{'), (r"orders\..*", '\\'), ("^orders.*", '^')]
    {
        assert_eq!(
            tool(pattern),
            format!(
                "rule deny {pattern:?}: a glob knows `*` (any text) and `?` (one character), and not `{stranger}`: write a \
                 rule for each tool"
            )
        );
    }
    assert!(GateRule::deny("odd[id]").is_ok(), "an id may be anything");

    let path =
        |path: &str| GateRule::deny("t").unwrap().when(path, ArgumentTest::Exists(true)).unwrap_err().to_string();
    let nameless = |written: &str| {
        format!(
            "rule deny \"t\": the argument path {written:?} has a property without a name, or with white space around it: \
             write it like `amount`, `address.country` or `items[*].sku`"
        )
    };
    for written in ["", "a..b", ".a", "a.", "[*]", " a", "a. b"] {
        assert_eq!(path(written), nameless(written));
    }
    assert_eq!(
        path("items[0].sku"),
        "rule deny \"t\": the argument path \"items[0].sku\" has \"[0]\" in it: all elements of a list are meant together, as \
         `items[*]`"
    );
    assert_eq!(
        path("items.*"),
        "rule deny \"t\": the argument path \"items.*\" names a property \"*\", and a path has no other wildcard than `[*]`: \
         write it like `amount`, `address.country` or `items[*].sku`"
    );
    assert_eq!(
        path("$.amount"),
        "rule deny \"t\": the argument path \"$.amount\" begins at the root: leave `$.` out, an argument's name comes first"
    );
    assert!(path(&["a"; 33].join(".")).ends_with("has more than 32 steps"));
    assert!(GateRule::deny("t").unwrap().when(&["a"; 32].join("."), ArgumentTest::Exists(true)).is_ok());

    let test = |test| GateRule::deny("t").unwrap().when("a", test).unwrap_err().to_string();
    let on = "rule deny \"t\": the condition on \"a\": ";
    for (given, message) in [
        (ArgumentTest::Equals(Value::Null), "null is no value to compare with: write `\"exists\": false`"),
        (
            ArgumentTest::OneOf(vec![json!(1), json!([])]),
            "only a text, a number or a truth value can be compared: name the value inside it by its path",
        ),
        (ArgumentTest::OneOf(Vec::new()), "`one_of` has nothing in it: list the values, or leave the rule out"),
        (ArgumentTest::Glob(String::new()), "an empty glob fits only the empty text: write `\"equals\": \"\"`"),
    ] {
        assert_eq!(test(given), format!("{on}{message}"));
    }
    let number: serde_json::Number = serde_json::from_str("1e300").unwrap();
    for given in [ArgumentTest::LessThan(number.clone()), ArgumentTest::Equals(Value::Number(number))] {
        assert!(test(given).ends_with(
            " cannot be compared exactly: write an integer of 64 bits, or a fraction below 9007199254740992"
        ));
    }
}

#[test]
fn what_is_no_file_of_rules_says_what_to_write() {
    for (written, message) in [
        (r#"{"rule": []}"#, "unknown field `rule`, expected `rules`"),
        ("{}", "missing field `rules`"),
        (
            r#"{"rules": [{"effect": "forbid", "tool": "t"}]}"#,
            "unknown variant `forbid`, expected one of `allow`, `ask`, `deny`",
        ),
        (
            r#"{"rules": [{"effect": "deny", "tool": "t", "if": []}]}"#,
            "unknown field `if`, expected one of `effect`, `tool`, `when`, `reason`",
        ),
        (r#"{"rules": [{"effect": "deny"}]}"#, "missing field `tool`"),
        (
            r#"{"rules": [{"effect": "deny", "tool": ""}]}"#,
            "rule deny \"\": no tool is named: write a tool's id, or a glob such as \"orders.*\"",
        ),
        (
            r#"{"rules": [{"effect": "deny", "tool": "t", "when": [{"argument": "a"}]}]}"#,
            "the condition on \"a\" asks for nothing: add one of `equals`, `one_of`, `glob`, `less_than`, `at_most`, \
             `more_than`, `at_least`, `length_at_most`, `length_at_least` and `exists`",
        ),
        (
            r#"{"rules": [{"effect": "deny", "tool": "t", "when": [{"argument": "a", "at_least": 1, "at_most": 2}]}]}"#,
            "the condition on \"a\" asks for two things: write a condition for each, both have to hold",
        ),
        (
            r#"{"rules": [{"effect": "deny", "tool": "t", "when": [{"argument": "a", "equals": null}]}]}"#,
            "the condition on \"a\": null is no value to compare with: write `\"exists\": false`",
        ),
        (
            r#"{"rules": [{"effect": "deny", "tool": "t", "when": [{"argument": "a", "above": 1}]}]}"#,
            "unknown field `above`, expected one of `argument`, `equals`, `one_of`, `glob`, `less_than`, `at_most`, \
             `more_than`, `at_least`, `length_at_most`, `length_at_least`, `exists`",
        ),
    ] {
        let refused = serde_json::from_str::<Rules>(written).unwrap_err().to_string();
        let (said, place) = refused.split_once(" at line 1 column ").unwrap();
        assert_eq!(said, message, "{written}");
        assert!(place.parse::<usize>().unwrap() <= written.len(), "{refused}");
    }
}

#[test]
fn rules_that_cannot_be_meant_are_listed() {
    let refund = ToolDescriptor::new(
        "test",
        "refund",
        "Pays back.",
        json!({"type": "object", "additionalProperties": false, "properties": {
            "amount": {"type": "number"},
            "order": {"$ref": "#/$defs/Order"},
            "note": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"text": {}}}]},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "free": {"type": "object"},
            "pairs": {"type": "array", "prefixItems": [{"properties": {"left": {}}}]},
        }, "$defs": {"Order": {"type": "object", "properties": {
            "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
            "parent": {"$ref": "#/$defs/Order"},
        }}}}),
        None,
    );
    let tools = [refund, tool("orders.get")];
    let silent = rules(json!({"rules": [
        {"effect": "deny", "tool": "refund", "when": [
            {"argument": "amount", "one_of": ["all", 5]}, {"argument": "order.parent.parent.lines[*].sku", "exists": true},
            {"argument": "note.text", "equals": 1}, {"argument": "labels.any", "glob": "x*"},
            {"argument": "note", "equals": "x"}, {"argument": "order.lines", "length_at_most": 3},
            {"argument": "free.a.b", "exists": true}, {"argument": "pairs[*].left", "exists": true},
        ]},
        {"effect": "allow", "tool": "orders.*", "when": [{"argument": "whatever", "exists": true}]},
        {"effect": "allow", "tool": "*", "when": [{"argument": "amount", "at_most": 1}]},
    ]}));
    assert_eq!(silent.check(&tools), []);

    let loud = rules(json!({"rules": [
        {"effect": "deny", "tool": "refnud"},
        {"effect": "deny", "tool": "Refund"},
        {"effect": "deny", "tool": "payments.*"},
        {"effect": "deny", "tool": "refund", "when": [
            {"argument": "amuont", "more_than": 5}, {"argument": "amount.value", "exists": true},
            {"argument": "amount[*]", "exists": true}, {"argument": "order.lines.sku", "exists": true},
        ]},
    ]}));
    let problems: Vec<_> = loud.check(&tools).iter().map(ToString::to_string).collect();
    let rule = "rule deny \"refund\" when amuont more_than 5 and amount.value exists true and amount[*] exists true and \
                order.lines.sku exists true: no tool that it fits has an argument";
    assert_eq!(
        problems,
        [
            format!("{rule} `amuont`; did you mean \"amount\"?"),
            format!("{rule} `amount.value`; did you mean \"amount\"?"),
            format!("{rule} `amount[*]`; did you mean \"amount\"?"),
            format!("{rule} `order.lines.sku`; did you mean \"order\"?"),
            "rule deny \"Refund\" fits no tool; did you mean \"refund\"?".to_owned(),
            "rule deny \"refnud\" fits no tool; did you mean \"refund\"?".to_owned(),
            "rule deny \"payments.*\" fits no tool".to_owned(),
        ]
    );

    let typed = rules(json!({"rules": [{"effect": "allow", "tool": "refund", "when": [
        {"argument": "amount", "equals": "100"}, {"argument": "note", "at_most": 1}, {"argument": "labels.any", "equals": true},
        {"argument": "order", "length_at_least": 1}, {"argument": "order.lines", "glob": "x"},
    ]}]}));
    let problems: Vec<_> = typed.check(&tools).iter().map(ToString::to_string).collect();
    let expected = [
        "`amount` is of the type string",
        "`note` is of the type number or integer",
        "`labels.any` is of the type boolean",
        "`order` is of the type string or array",
        "`order.lines` is of the type string",
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.ends_with(&format!(": in no tool that it fits {expected}")), "{problem}");
    }
}
