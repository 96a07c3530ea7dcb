//! The generators of the attack: random schemas, values that are nearly right, and what has to hold of them. Started by hand:
//! `SECS=60 SEED=3 cargo test -p tool-core --all-features --test zz_attack_fuzz -- --ignored --nocapture`.
#![allow(dead_code, unused_imports, missing_docs, clippy::all, clippy::pedantic)]
mod export_support;
use export_support::checks::violations;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use tool_core::*;

struct Rng(u64);
impl Rng {
    fn n(&mut self, k: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % k as u64) as usize
    }
    fn pick<'a, T>(&mut self, v: &'a [T]) -> &'a T {
        let i = self.n(v.len());
        &v[i]
    }
}
const NAMES: [&str; 6] = ["a", "b", "c", "k", "t", "k2"];
fn leaf(r: &mut Rng) -> Value {
    match r.n(15) {
        0 => json!({"type": "integer", "minimum": 0, "maximum": 255}),
        1 => json!({"type": "string"}),
        2 => json!({"type": "boolean"}),
        3 => json!({"type": ["integer", "null"], "minimum": 0}),
        4 => json!({"type": "string", "enum": ["x", "y", "X1"]}),
        5 => json!({"type": "number"}),
        6 => json!({"type": "array", "items": {"type": "integer"}}),
        7 => json!({"const": "x"}),
        8 => json!({"type": ["string", "null"], "enum": ["x", null]}),
        9 => json!({"type": "null"}),
        10 => json!({"$ref": "#/$defs/D0"}),
        11 => json!({"$ref": "#/$defs/D1"}),
        12 => json!({"type":"array","items":{"$ref":"#/$defs/D0"},"maxItems":3}),
        13 => json!({"type":"array","uniqueItems":true,"items":{"type":["integer","string"]}}),
        _ => json!(true),
    }
}
fn obj(r: &mut Rng, d: usize, tags: bool) -> Value {
    let mut props = Map::new();
    let mut req = vec![];
    for _ in 0..1 + r.n(3) {
        let n = NAMES[r.n(4)];
        let s = schema(r, d + 1);
        props.insert(n.into(), s);
        if r.n(3) > 0 && !req.contains(&json!(n)) {
            req.push(json!(n));
        }
    }
    if tags {
        for t in ["t", "k2"] {
            if r.n(3) > 0 {
                let v = *r.pick(&["p", "q", "s"]);
                props.insert(
                    t.into(),
                    if r.n(6) == 0 { json!({"enum": [v, "z"]}) } else { json!({"type":"string","const": v}) },
                );
                req.push(json!(t));
            }
        }
    }
    let mut o = json!({"type": "object", "properties": props, "required": req});
    match r.n(8) {
        0 => {}
        1 => {
            o["additionalProperties"] = json!({"type": "integer"});
        }
        2 if d > 0 => {
            o["additionalProperties"] = json!(false);
            o["patternProperties"] = json!({"^z": {"type": ["integer","string"]}});
        }
        _ => {
            o["additionalProperties"] = json!(false);
        }
    }
    o
}
fn schema(r: &mut Rng, d: usize) -> Value {
    if d > 3 {
        return leaf(r);
    }
    match r.n(10) {
        0..=3 => leaf(r),
        4 => obj(r, d, false),
        5 => {
            let n = 2 + r.n(3);
            let k = if r.n(2) == 0 { "anyOf" } else { "oneOf" };
            let b: Vec<Value> = (0..n).map(|_| obj(r, d, true)).collect();
            json!({k: b})
        }
        6 => {
            let k = if r.n(2) == 0 { "anyOf" } else { "oneOf" };
            let b: Vec<Value> = (0..2 + r.n(2)).map(|_| schema(r, d + 1)).collect();
            json!({k: b})
        }
        7 => {
            let s = schema(r, d + 1);
            json!({"anyOf": [s, {"type": "null"}]})
        }
        8 => {
            let n = 2 + r.n(2);
            let uv = r.n(2) == 0;
            let b: Vec<Value> = (0..n)
                .map(|i| {
                    let name = ["A", "B", "C"][i];
                    let s = schema(r, d + 1);
                    json!({"type":"object","properties":{name: s},"required":[name],"additionalProperties":false})
                })
                .chain(uv.then(|| json!({"type":"string","enum":["U","V"]})))
                .collect();
            json!({"oneOf": b})
        }
        _ => {
            let s = schema(r, d + 1);
            json!({"type": "array", "items": s})
        }
    }
}
fn root(r: &mut Rng) -> Value {
    let mut o = match r.n(4) {
        0 => {
            let b: Vec<Value> = (0..2 + r.n(3)).map(|_| obj(r, 0, true)).collect();
            json!({"type":"object", if r.n(2)==0 {"oneOf"} else {"anyOf"}: b})
        }
        _ => obj(r, 0, false),
    };
    let d0: Vec<Value> = (0..2 + r.n(2)).map(|_| obj(r, 2, true)).collect();
    o["$defs"] = json!({"D0": {"anyOf": d0}, "D1": obj(r, 2, false)});
    o
}
fn value(s: &Value, doc: &Value, r: &mut Rng, d: usize) -> Value {
    if d > 9 {
        return json!(1);
    }
    if let Some(x) = s.get("$ref").and_then(Value::as_str) {
        return value(doc.pointer(&x[1..]).unwrap(), doc, r, d + 1);
    }
    for k in ["anyOf", "oneOf"] {
        if let Some(b) = s.get(k).and_then(Value::as_array) {
            let i = r.n(b.len());
            return value(&b[i], doc, r, d + 1);
        }
    }
    if let Some(c) = s.get("const") {
        return c.clone();
    }
    if let Some(e) = s.get("enum").and_then(Value::as_array) {
        return r.pick(e).clone();
    }
    let kind = match &s["type"] {
        Value::String(k) => k.clone(),
        Value::Array(a) => r.pick(a).as_str().unwrap().to_owned(),
        _ => "integer".into(),
    };
    match kind.as_str() {
        "object" => {
            let mut m = Map::new();
            for (k, p) in s["properties"].as_object().into_iter().flatten() {
                if s["required"].as_array().is_some_and(|q| q.contains(&json!(k))) || r.n(2) == 0 {
                    m.insert(k.clone(), value(p, doc, r, d + 1));
                }
            }
            Value::Object(m)
        }
        "array" => Value::Array(
            (0..r.n(3))
                .map(|i| if s.get("uniqueItems").is_some() { json!(i) } else { value(&s["items"], doc, r, d + 1) })
                .collect(),
        ),
        "integer" => json!(r.n(9)),
        "number" => json!(r.n(9) as f64 + 0.5),
        "string" => json!("w"),
        "boolean" => json!(true),
        _ => Value::Null,
    }
}
fn places(v: &Value, at: String, out: &mut Vec<String>) {
    out.push(at.clone());
    match v {
        Value::Object(m) => {
            for (k, v) in m {
                places(v, format!("{at}/{k}"), out);
            }
        }
        Value::Array(a) => {
            for (i, v) in a.iter().enumerate() {
                places(v, format!("{at}/{i}"), out);
            }
        }
        _ => {}
    }
}
fn mutate(v: &mut Value, r: &mut Rng) {
    let mut ps = vec![];
    places(v, String::new(), &mut ps);
    let p = ps[if ps.len() > 1 { 1 + r.n(ps.len() - 1) } else { 0 }].clone();
    let Some(x) = v.pointer_mut(&p) else { return };
    match r.n(14) {
        0 => *x = Value::Null,
        1 => *x = json!("1"),
        2 => *x = json!("q"),
        3 => *x = json!(3.0),
        4 => *x = json!(x.to_string()),
        5 => *x = json!(true),
        6 => *x = json!({}),
        7 => *x = json!([]),
        8 | 9 => {
            if let Value::Object(m) = x {
                let n = *r.pick(&["a", "b", "c", "k", "t", "k2", "A", "B", "zz"]);
                let val = r.pick(&[Value::Null, json!(1), json!("2"), json!("P"), json!("q")]).clone();
                m.insert(n.into(), val);
            } else if let Value::String(s) = x {
                *s = s.to_uppercase();
            }
        }
        10 => {
            if let Value::Object(m) = x {
                if let Some(k) = m.keys().next().cloned() {
                    m.remove(&k);
                }
            }
        }
        11 => {
            if let Value::Array(a) = x {
                a.push(json!("1"));
                a.push(json!(1));
            } else {
                *x = json!([1, "1"]);
            }
        }
        12 => {
            if let Value::String(s) = x {
                *s = s.to_uppercase();
            } else {
                *x = json!(-1);
            }
        }
        _ => {
            if let Value::Number(n) = x {
                *x = json!(n.to_string());
            }
        }
    }
}
fn repaired_from(a: &Value, b: &Value, enc: usize) -> bool {
    if a == b {
        return true;
    }
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x.as_f64() == y.as_f64(),
        (Value::Object(m), Value::Object(n)) => {
            n.iter().all(|(k, v)| m.get(k).is_some_and(|o| repaired_from(o, v, enc)))
                && m.iter().all(|(k, v)| n.contains_key(k) || v.is_null())
        }
        (Value::Array(m), Value::Array(n)) => {
            m.len() == n.len() && m.iter().zip(n).all(|(x, y)| repaired_from(x, y, enc))
        }
        (Value::String(s), Value::String(t)) => s.to_lowercase() == t.to_lowercase() && s != t,
        (Value::String(s), other) => {
            enc < 8 && serde_json::from_str::<Value>(s).is_ok_and(|v| repaired_from(&v, other, enc + 1))
        }
        _ => false,
    }
}
fn reorder(value: &Value) -> String {
    match value {
        Value::Object(m) => {
            let mut p: Vec<String> =
                m.iter().map(|(k, v)| format!(" {} :\n{} ", Value::from(k.as_str()), reorder(v))).collect();
            p.reverse();
            format!("{{{}}}", p.join(","))
        }
        Value::Array(a) => format!("[ {} ]", a.iter().map(reorder).collect::<Vec<_>>().join(" ,\t")),
        o => o.to_string(),
    }
}
type Out = Result<(Value, Vec<String>, Option<String>), String>;
fn run(p: &ArgumentParser, a: ToolArguments) -> Out {
    p.parse::<Value>(&a)
        .map(|x| (x.args, x.repairs.iter().map(|r| format!("{}:{}", r.path, r.rule)).collect(), x.rewritten))
        .map_err(|e| e.to_string())
}

#[test]
#[ignore = "minutes"]
fn fuzz_walk() {
    let mut seen: std::collections::BTreeMap<String, usize> = Default::default();
    let start = Instant::now();
    let secs: u64 = std::env::var("SECS").ok().and_then(|s| s.parse().ok()).unwrap_or(40);
    let (mut schemas, mut texts, mut valid, mut repaired) = (0, 0, 0, 0);
    let seed: u64 = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut report = |kind: &str, s: &Value, t: &str, more: String| {
        let n = seen.entry(kind.to_owned()).or_default();
        *n += 1;
        if *n <= 3 {
            println!("!! {kind}\n  schema {s}\n  text {t}\n  {more}");
        }
    };
    let mut r = Rng(seed.wrapping_mul(0x9E3779B97F4A7C15) + 7);
    while start.elapsed() < Duration::from_secs(secs) {
        let s = root(&mut r);
        let Ok(lenient) = ArgumentParser::new(&s) else { continue };
        let strict = ArgumentParser::new(&s).unwrap().with_mode(ArgumentMode::Strict);
        let Ok(judge) = jsonschema::validator_for(&s) else { continue };
        schemas += 1;
        for _ in 0..24 {
            let mut v = value(&s, &s, &mut r, 0);
            for _ in 0..r.n(4) {
                mutate(&mut v, &mut r);
            }
            if !v.is_object() || v.to_string().len() > 4000 {
                continue;
            }
            texts += 1;
            let ok = judge.is_valid(&v);
            valid += usize::from(ok);
            let text = v.to_string();
            let so = run(&strict, text.as_str().into());
            let lo = run(&lenient, text.as_str().into());
            if so.is_ok() != ok {
                report("STRICT≠JUDGE", &s, &text, format!("{ok} {so:?}"));
            }
            if so != run(&strict, v.clone().into()) {
                report("VALUE strict", &s, &text, format!("{so:?} / {:?}", run(&strict, v.clone().into())));
            }
            if lo != run(&lenient, v.clone().into()) {
                report("VALUE lenient", &s, &text, format!("{lo:?} / {:?}", run(&lenient, v.clone().into())));
            }
            // memo off: a large text has more fuel
            let padded = format!("{{{}{}", " ".repeat(60_000), &text[1..]);
            let lp = run(&lenient, padded.as_str().into());
            let same = match (&lo, &lp) {
                (Ok(a), Ok(b)) => a.0 == b.0 && a.1 == b.1,
                (Err(a), Err(b)) => a == b,
                _ => false,
            };
            if !same {
                report("MEMO/PADDING", &s, &text, format!("{lo:?} / {:?}", lp.map(|x| (x.0, x.1))));
            }
            let ro = run(&lenient, reorder(&v).as_str().into());
            let same = match (&lo, &ro) {
                (Ok(a), Ok(b)) => {
                    a.0 == b.0 && {
                        let (mut x, mut y) = (a.1.clone(), b.1.clone());
                        x.sort();
                        y.sort();
                        x == y
                    }
                }
                (Err(_), Err(_)) => true,
                _ => false,
            };
            if !same {
                report("ORDER", &s, &text, format!("{lo:?} / {ro:?}"));
            }
            match &lo {
                Ok((got, reps, w)) => {
                    if !reps.is_empty() {
                        repaired += 1;
                    }
                    if !judge.is_valid(got) {
                        report("LENIENT-INVALID", &s, &text, format!("{got}"));
                    }
                    if !repaired_from(&v, got, 0) {
                        report("LOSSY", &s, &text, format!("{got} {reps:?}"));
                    }
                    if !ok && reps.is_empty() {
                        report("UNRECORDED", &s, &text, format!("{got}"));
                    }
                    if ok && got != &v && !reps.iter().all(|r| r.ends_with("integral_float")) {
                        report("VALID-CHANGED", &s, &text, format!("{got} {reps:?}"));
                    }
                    if let Some(w) = w {
                        let again = run(&strict, w.as_str().into());
                        if again.as_ref().map(|x| &x.0) != Ok(got) {
                            report("REWRITTEN", &s, &text, format!("{w} {again:?}"));
                        }
                    }
                }
                Err(e) => {
                    if ok {
                        report("LENIENT-REFUSES-VALID", &s, &text, e.clone());
                    }
                    if e.chars().count() >= 1000 {
                        report("LONG", &s, &text, e.clone());
                    }
                    if e.contains("in more ways than") {
                        report("TRIES", &s, &text, e.clone());
                    }
                    if e == "Invalid arguments: the arguments do not fit the tool" {
                        report("NO-WORDS", &s, &text, e.clone());
                    }
                    let dup: Vec<&str> = e.trim_start_matches("Invalid arguments: ").split("; ").collect();
                    if dup.iter().enumerate().any(|(i, d)| d.len() > 30 && dup[..i].contains(d)) {
                        report("DUP-FAULT", &s, &text, e.clone());
                    }
                    if let Some(why) = follow(&lenient, &v) {
                        report(&format!("FOLLOW {}", why.0), &s, &text, format!("{e}\n  {}", why.1));
                    }
                }
            }
        }
    }
    println!("{schemas} schemas, {texts} texts, {valid} valid, {repaired} repaired; {seen:?}");
}

fn at<'v>(v: &'v mut Value, path: &str) -> Option<(&'v mut Value, String)> {
    // parent and last step
    let mut steps: Vec<String> = vec![];
    for part in path.split('.') {
        let mut rest = part;
        if let Some(i) = part.find('[') {
            if i > 0 {
                steps.push(part[..i].into());
            }
            rest = &part[i..];
            for ix in rest.split('[').skip(1) {
                steps.push(format!("#{}", ix.trim_end_matches(']')));
            }
        } else {
            steps.push(rest.into());
        }
    }
    let last = steps.pop()?;
    let mut v = v;
    for s in steps {
        for _ in 0..2 {
            if let Value::String(t) = v {
                if let Ok(x) = serde_json::from_str(t) {
                    *v = x;
                }
            }
        }
        v = if let Some(i) = s.strip_prefix('#') {
            v.get_mut(i.parse::<usize>().ok()?)?
        } else {
            v.get_mut(s.as_str())?
        };
    }
    for _ in 0..2 {
        if let Value::String(t) = v {
            if let Ok(x) = serde_json::from_str(t) {
                *v = x;
            }
        }
    }
    Some((v, last))
}
fn set(v: &mut Value, path: &str, new: Option<Value>) -> bool {
    if path.is_empty() {
        if let Some(n) = new {
            *v = n;
            return true;
        }
        return false;
    }
    let Some((p, last)) = at(v, path) else { return false };
    if let Some(i) = last.strip_prefix('#') {
        let Some(i) = i.parse::<usize>().ok() else { return false };
        let Some(a) = p.as_array_mut() else { return false };
        if i >= a.len() {
            return false;
        }
        match new {
            Some(n) => a[i] = n,
            None => {
                a.remove(i);
            }
        }
        true
    } else {
        let Some(m) = p.as_object_mut() else { return false };
        match new {
            Some(n) => {
                m.insert(last, n);
            }
            None => return m.remove(&last).is_some(),
        }
        true
    }
}
fn ticks(s: &str) -> Vec<String> {
    s.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}
fn meant(words: &str, r: &mut Rng) -> Value {
    let words = words.split(", got ").next().unwrap();
    let parts: Vec<&str> = words
        .split(" or ")
        .filter(|w| !w.starts_with("one of ") || w.contains('`'))
        .filter(|w| !w.starts_with("false"))
        .collect();
    let words: &str = if parts.is_empty() { words } else { parts[r.n(parts.len())] };
    if words == "true" {
        return json!(true);
    }
    if words.starts_with("an integer from ") || words.starts_with("a number from ") {
        return words.split(' ').nth(3).and_then(|n| n.parse::<i64>().ok()).map(|n| json!(n)).unwrap_or(json!(0));
    }
    if words.starts_with("an integer") || words.starts_with("a number") {
        return json!(1);
    }
    if words.starts_with("a string") {
        return json!("w");
    }
    if words.starts_with("true or false") {
        return json!(true);
    }
    if words.starts_with("an array") {
        return json!([]);
    }
    if words.starts_with("null") {
        return Value::Null;
    }
    if words.starts_with("one of ") {
        return {
            let t = ticks(words);
            if t.is_empty() { json!(1) } else { json!(r.pick(&t)) }
        };
    }
    if words.starts_with('`') {
        return json!(ticks(words).first().cloned().unwrap_or_default());
    }
    if words.starts_with("an object with one of") {
        return json!({ticks(words)[0].clone(): 1});
    }
    if words.starts_with("an object with ") {
        let w = words.split(" or ").next().unwrap();
        let m: Map<String, Value> = ticks(w).into_iter().map(|k| (k, json!(1))).collect();
        return Value::Object(m);
    }
    if words.starts_with("an object") {
        return json!({});
    }
    json!(1)
}
/// Does what the messages say, step by step, to the end.
fn follow(p: &ArgumentParser, start: &Value) -> Option<(String, String)> {
    let mut last = None;
    for i in 0..14 {
        last = follow1(p, start, &mut Rng(i * 77 + 5));
        if last.is_none() {
            return None;
        }
    }
    last.map(|(k, l)| {
        (k, l.lines().take(9).map(|x| x.chars().take(700).collect::<String>()).collect::<Vec<_>>().join("\n"))
    })
}
fn follow1(p: &ArgumentParser, start: &Value, r: &mut Rng) -> Option<(String, String)> {
    let mut v = start.clone();
    let mut log = String::new();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..60 {
        let e = match p.parse::<Value>(&ToolArguments::from(v.to_string())) {
            Ok(_) => return None,
            Err(e) => e,
        };
        log.push_str(&format!("{v} -> {e}\n  "));
        let ToolError::InvalidArguments(inv) = &e else { return Some(("other".into(), log)) };
        let faults: Vec<(String, String)> =
            inv.faults().iter().map(|f| (f.path().to_owned(), f.message().to_owned())).collect();
        let _ = seen.insert(v.to_string());
        let mut did = false;
        // indices shift when removed: go from the end
        for (path, m) in faults.iter().rev() {
            let done = if m.starts_with("unknown property") {
                set(&mut v, path, None)
            } else if let Some(rest) = m.strip_prefix("required, but missing; one of ") {
                set(&mut v, path, Some(json!(ticks(rest).first())))
            } else if m.starts_with("required, but missing") {
                set(&mut v, path, Some(json!("~?")))
            } else if m.starts_with("unknown value") {
                let k = m.split("Known: ").nth(1).map(ticks).unwrap_or_default();
                set(&mut v, path, Some(json!(if k.is_empty() { "".to_owned() } else { r.pick(&k).clone() })))
            } else if m.starts_with("the same element again") {
                set(&mut v, path, None)
            } else if let Some(rest) = m.strip_prefix("expected an object with one of ") {
                let tt = ticks(rest);
                let names = vec![tt[r.n(tt.len())].clone()];
                let ok = set(
                    &mut v,
                    &if path.is_empty() { names[0].clone() } else { format!("{path}.{}", names[0]) },
                    Some(json!("~?")),
                );
                ok
            } else if m.contains("is meant, and each is null") {
                let names = ticks(m);
                let mut any = false;
                for n in &names[1..] {
                    any |= set(&mut v, &if path.is_empty() { n.clone() } else { format!("{path}.{n}") }, None);
                }
                any
            } else if m.starts_with("expected an object that holds this form's content, {\"") {
                let n = m.split('"').nth(1).unwrap().to_owned();
                set(&mut v, path, Some(json!({n: "~?"})))
            } else if let Some(rest) = m.strip_prefix("expected ") {
                set(&mut v, path, Some(meant(rest, r)))
            } else if m.starts_with("fits more than one") {
                return None;
            } else if m.starts_with("and ") {
                false
            } else {
                return Some((format!("words {m:.40}"), log));
            };
            did |= done;
        }
        if !did {
            return Some(("stuck".into(), log));
        }
    }
    Some(("endless".into(), log))
}

fn fill(value: &Value, schema: &Value, root: &Value, depth: usize) -> Option<Value> {
    if depth > 30 {
        return None;
    }
    if let Some(r) = schema.get("$ref").and_then(Value::as_str) {
        return fill(value, root.pointer(&r[1..])?, root, depth + 1);
    }
    if let Some(b) = schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array) {
        return b.iter().find_map(|b| fill(value, b, root, depth + 1));
    }
    let ok = |v: &Value| {
        let mut s = schema.clone();
        if let Some(d) = root.get("$defs") {
            s["$defs"] = d.clone();
        }
        jsonschema::validator_for(&s).map(|j| j.is_valid(v)).unwrap_or(false)
    };
    let out = match value {
        Value::Object(m) => {
            let mut m = m.clone();
            let props = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
            for (k, s) in &props {
                if let Some(v) = m.get(k).cloned() {
                    m.insert(k.clone(), fill(&v, s, root, depth + 1)?);
                } else if schema["required"].as_array().is_some_and(|r| r.contains(&json!(k))) {
                    m.insert(k.clone(), Value::Null);
                }
            }
            Value::Object(m)
        }
        Value::Array(a) => match schema.get("items") {
            Some(i) => Value::Array(a.iter().map(|v| fill(v, i, root, depth + 1)).collect::<Option<_>>()?),
            None => value.clone(),
        },
        v => v.clone(),
    };
    ok(&out).then_some(out)
}

fn strip(v: &Value) -> Value {
    match v {
        Value::Object(m) => {
            Value::Object(m.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.clone(), strip(v))).collect())
        }
        Value::Array(a) => Value::Array(a.iter().map(strip).collect()),
        v => v.clone(),
    }
}
#[test]
#[ignore = "minutes"]
fn fuzz_exports() {
    let mut seen: std::collections::BTreeMap<String, usize> = Default::default();
    let start = Instant::now();
    let secs: u64 = std::env::var("SECS").ok().and_then(|s| s.parse().ok()).unwrap_or(40);
    let seed: u64 = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut r = Rng(seed.wrapping_mul(0x9E3779B97F4A7C15) + 7);
    let (mut n, mut strict) = (0, 0);
    let mut report = |kind: String, s: &Value, t: &Value, more: String| {
        let n = seen.entry(kind.clone()).or_default();
        *n += 1;
        if *n <= 2 {
            println!("!! {kind}\n  schema {s}\n  value {t}\n  {more}");
        }
    };
    while start.elapsed() < Duration::from_secs(secs) {
        let s = root(&mut r);
        let Ok(lenient) = ArgumentParser::new(&s) else { continue };
        let Ok(judge) = jsonschema::validator_for(&s) else { continue };
        let d = ToolDescriptor::new("t", "tool", "A tool of some use.", s.clone(), None);
        for format in ExportFormat::ALL {
            if format.name().contains("responses") {
                continue;
            }
            let e = d.export(format);
            let v = violations(format, &e.tool);
            if !v.is_empty() {
                report(
                    format!("VIOLATION {format} {}", v[0].split(": ").last().unwrap()),
                    &s,
                    &e.tool,
                    format!("{v:?}"),
                );
            }
            if format == ExportFormat::Gemini {
                continue;
            }
            let Some(p) = e.parameters() else { continue };
            strict += usize::from(e.is_strict());
            let rules: std::collections::BTreeSet<&str> = e
                .findings
                .iter()
                .map(|f| f.rule.id())
                .filter(|r| {
                    [
                        "recursion-cut",
                        "free-form",
                        "tuple-in-words",
                        "map-in-words",
                        "schema-too-large",
                        "keyword-dropped",
                    ]
                    .contains(r)
                })
                .collect();
            for _ in 0..4 {
                let mut val = value(&s, &s, &mut r, 0);
                if r.n(2) == 0 {
                    mutate(&mut val, &mut r);
                }
                if !judge.is_valid(&val) || val.to_string().len() > 1500 {
                    continue;
                }
                n += 1;
                match fill(&val, p, p, 0) {
                    None => report(
                        format!("UNSAYABLE {format} strict={} {rules:?}", e.is_strict()),
                        &s,
                        &val,
                        format!(
                            "{p}\n  {:?}",
                            e.findings
                                .iter()
                                .map(|f| f.to_string().chars().take(150).collect::<String>())
                                .collect::<Vec<_>>()
                        ),
                    ),
                    Some(f) => match lenient.parse::<Value>(&ToolArguments::from(f.to_string())) {
                        Ok(g) if strip(&g.args) == strip(&val) => {}
                        other => report(
                            format!(
                                "SAID {format} strict={} {rules:?} {}",
                                e.is_strict(),
                                if other.is_ok() { "otherwise" } else { "refused" }
                            ),
                            &s,
                            &val,
                            format!("{f}\n  {:?}\n  {p}", other.map(|x| x.args).map_err(|e| e.to_string())),
                        ),
                    },
                }
            }
        }
    }
    println!("{n} values, {strict} strict exports; {seen:#?}");
}
