//! What the walk, its findings and the decoder say of one text agrees.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn schema() -> Value {
    json!({"type": "object", "required": ["n"], "additionalProperties": false, "properties": {
        "n": {"type": "integer", "minimum": 0, "maximum": 9},
        "f": {"type": "number", "multipleOf": 0.5},
        "s": {"type": "string", "maxLength": 2, "pattern": "^a"},
        "e": {"enum": ["a", "b", null, 3]},
        "l": {"type": "array", "items": {"$ref": "#/properties/n"}, "uniqueItems": true, "maxItems": 2},
        "m": {"type": "object", "additionalProperties": {"$ref": "#"}},
        "a": {"anyOf": [{"type": "integer"}, {"type": "array"}, {"type": "null"}]},
        "o": {"oneOf": [
            {"type": "object", "properties": {"k": {"const": "x"}, "v": {"type": "integer"}}, "required": ["k"]},
            {"type": "object", "properties": {"k": {"const": "y"}, "v": {"type": "string"}}, "required": ["k", "v"]},
        ]},
        "w": {"allOf": [{"type": "integer"}, {"minimum": 2}, {"not": {"const": 5}}]},
        "x": true,
    }})
}

/// Text of JSON that may have a key twice, numbers in every spelling, and now and then a character too many.
fn text() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "3.0",
        "-1",
        "12",
        "0.5",
        "0.3",
        "1e0",
        "null",
        "true",
        "\"a\"",
        "\"ab\"",
        "\"A\"",
        "\"3\"",
        "\"b\"",
        "\"[1]\"",
        "\"{\\\"k\\\":\\\"x\\\"}\"",
        "\"x\"",
        "\"Y\"",
        "\"\\u0061\"",
        "\"true\"",
        "]",
        "5",
        "5.0",
    ]);
    let key = prop::sample::select(vec!["n", "f", "s", "e", "l", "m", "a", "o", "w", "x", "k", "v", "\\u006e"]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 5, move |inner| {
        let members = prop::collection::vec((key.clone(), inner.clone()), 0..5);
        prop_oneof![
            1 => prop::collection::vec(inner, 0..4).prop_map(|elements| format!("[{}]", elements.join(" , "))),
            4 => members.prop_map(|members| {
                let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_clean_has_no_findings_and_is_what_is_decoded(mut text in text(), with_n: bool) {
        thread_local!(static PLAN: Plan = Plan::compile(&schema()).unwrap());
        if with_n && text.starts_with("{\"") {
            text = text.replacen('{', "{\"n\":1,", 1);
        }
        let limits = ArgumentLimits::default();
        PLAN.with(|plan| {
            let clean = is_clean_text(plan, &text, limits);
            for mode in [ArgumentMode::Lenient, ArgumentMode::Strict] {
                let found = findings(plan, &Secrets::default(), &text, mode, limits);
                let is_clean = found.as_ref().is_ok_and(|found| found.faults.is_empty() && found.edits.is_empty());
                prop_assert_eq!(clean.is_ok(), is_clean, "{} {:?} {:?}", text, clean, found);
                let Ok(found) = found else { continue };
                if found.faults.is_empty() {
                    let (repaired, repairs) = found.repaired(&text).expect("no contradicting edits");
                    prop_assert_eq!(is_clean_text(plan, &repaired, limits), Ok(()), "{} {} {:?}", text, repaired, repairs);
                }
            }
            let value = serde_json::from_str::<Value>(&text).ok();
            let decoded = decode_text::<Value>(plan, &text, limits);
            prop_assert_eq!(decoded.as_ref(), value.as_ref().filter(|_| clean.is_ok()), "{}", text);
            if let Some(value) = value {
                let is_clean = is_clean(plan, &value, limits, 1 << 16) == Ok(());
                prop_assert!(is_clean || clean.is_err(), "{}", text);
                let decoded = decode::<Value, _>(plan, &value, limits, 1 << 16);
                prop_assert_eq!(decoded, Some(value).filter(|_| is_clean), "{}", text);
            }
            Ok(())
        })?;
    }
}

/// Forms within forms, which overlap.
fn nested_forms() -> Value {
    let u = json!({"$ref": "#/$defs/u"});
    json!({
        "type": "object", "additionalProperties": u,
        "$defs": {"u": {"anyOf": [
            {"type": "integer"},
            {"type": "array", "items": u},
            {"type": "array", "items": {"type": "boolean"}},
            {"type": "object", "properties": {"k": u, "n": {"type": "integer"}}, "additionalProperties": false},
            {"type": "object", "properties": {"k": u, "s": u}, "required": ["k"], "additionalProperties": false},
            {"type": "object", "properties": {"k": u, "v": {"type": "string"}}, "required": ["v"]},
            {"type": "object", "additionalProperties": u},
            {"oneOf": [{"type": "object", "properties": {"e": u}, "required": ["e"]}, {"enum": ["a", "b", null]}]},
        ]}},
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_remembered_changes_nothing(text in text()) {
        thread_local!(static PLAN: Plan = Plan::compile(&nested_forms()).unwrap());
        PLAN.with(|plan| {
            for way in [Way::Clean, Way::Valid, Way::Careful(ArgumentMode::Lenient), Way::Careful(ArgumentMode::Strict)] {
                let found = |remembers_below: usize| {
                    let reader = Reader::new(&text);
                    let mut walker = Walker::new(plan, way, ArgumentLimits::default(), 1 << 16);
                    walker.remembers_below = remembers_below;
                    let read = walker.value(plan.root(), &reader, &Path::Root, 0).and_then(|()| reader.end());
                    (read, walker.findings)
                };
                prop_assert_eq!(found(0), found(usize::MAX), "{}", text);
            }
            Ok(())
        })?;
    }
}
