//! One input of a kind and a size, for `linear.sh`, which counts the instructions; memory is counted here.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_core::{ArgumentLimits, ArgumentParser, ExportFormat, ToolArguments, ToolDescriptor, input_schema, lint};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Args {
    text: Option<String>,
    #[serde(default)]
    limit: u32,
    numbers: Option<Vec<u8>>,
    items: Option<Vec<Item>>,
    map: Option<BTreeMap<String, u8>>,
    either: Option<Vec<Either>>,
    size: Option<Vec<Size>>,
    tree: Option<Box<Args>>,
    formula: Option<Term>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
struct Item {
    name: String,
    price: u32,
    weight: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only decoded
enum Either {
    Number(u8),
    Named { name: String },
    Aged { name: String, age: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)] // only decoded
enum Size {
    Small,
    Medium,
    Large,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // only decoded
enum Term {
    Number(i32),
    Sum { left: Box<Term>, right: Box<Term> },
    Negated { left: Box<Term>, minus: bool },
    List(Vec<Term>),
}

/// `n` times what `part` writes, with commas between.
fn many(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(",")
}

/// Arguments of about `n` parts.
fn arguments(kind: &str, n: usize) -> Option<String> {
    let depth = n.min(10); // for what is limited, and must not be exponential below that
    Some(match kind {
        "long-string" => format!(r#"{{"text":"{}"}}"#, "x".repeat(n * 16)),
        "long-escaped-string" => format!(r#"{{"text":"{}"}}"#, "\\u00e9\\n".repeat(n * 2)),
        "long-wrong-string" => format!(r#"{{"limit":"{}"}}"#, "\\u00e9 9".repeat(n * 2)),
        "long-number" => format!(r#"{{"limit":{}}}"#, "9".repeat(n * 16)),
        "white-space" => format!(r#"{{"either":[{}{{"name":1}}]}}"#, " ".repeat(n * 16)),
        "right-items" => format!(r#"{{"items":[{}]}}"#, many(n, |at| format!(r#"{{"name":"n{at}","price":{at}}}"#))),
        "faulty-items" => format!(r#"{{"items":[{}]}}"#, many(n, |_| r#"{"nam":1,"price":"dear"}"#.into())),
        "repaired-items" => format!(r#"{{"items":[{}]}}"#, many(n, |at| format!(r#"{{"name":"n","price":"{at}"}}"#))),
        "integral-floats" => format!(r#"{{"numbers":[{}]}}"#, many(n, |_| "3.0".into())),
        "enums-in-other-case" => format!(r#"{{"size":[{}]}}"#, many(n, |_| r#""LARGE""#.into())),
        "unknown-keys" => format!("{{{}}}", many(n, |at| format!(r#""textt{at}":1"#))),
        "map-keys" => format!(r#"{{"map":{{{}}}}}"#, many(n, |at| format!(r#""key{at}":1"#))),
        "same-key" => format!("{{{}}}", many(n, |_| r#""limit":1"#.into())),
        "long-key-above-repairs" => {
            format!(r#"{{"map":{{"{}":[{}]}}}}"#, "\\u00e9".repeat(n), many(n, |_| r#""1""#.into()))
        }
        "doubly-encoded" => {
            let inner = format!("[{}]", many(n, |at| format!(r#"{{"name":"n{at}","price":"{at}"}}"#)));
            json!({ "items": inner }).to_string()
        }
        "doubly-encoded-and-faulty" => {
            let inner = format!("[{}]", many(n, |_| r#"{"nam":"n","price":"dear"}"#.into()));
            json!({ "items": inner }).to_string()
        }
        "each-item-doubly-encoded" => {
            format!(r#"{{"items":[{}]}}"#, many(n, |_| json!(r#"{"nam":"n","price":"dear"}"#).to_string()))
        }
        "alternatives" => {
            format!(r#"{{"either":[{}]}}"#, many(n, |at| format!(r#"{{"name":"n","age":"{}"}}"#, at % 200)))
        }
        "faulty-alternatives" => format!(r#"{{"either":[{}]}}"#, many(n, |_| r#"{"name":1,"age":[]}"#.into())),
        "formula" => {
            format!(r#"{{"formula":[{}]}}"#, many(n, |_| r#"{"left":{"left":1,"minus":"x"},"right":2}"#.into()))
        }
        "deep-formula" => {
            let mut text = "\"x\"".to_owned();
            for _ in 0..depth {
                text = format!(r#"{{"left":{text},"right":[1,2,3]}}"#);
            }
            format!(r#"{{"formula":[{}]}}"#, many(n / 10 + 1, |_| text.clone()))
        }
        "wide-and-deep" => {
            let mut text = format!(r#"{{"numbers":[{}]}}"#, many(n, |_| "1".into()));
            for _ in 0..30 {
                text = format!(r#"{{"tree":{text}}}"#);
            }
            text
        }
        "brackets" => "[".repeat(n * 16),
        "deep" => format!(r#"{{"text":{}{}}}"#, "[".repeat(n * 8), "]".repeat(n * 8)),
        "no-json" => format!(r#"{{"numbers":[{}"#, many(n, |_| "1".into())),
        _ => return None,
    })
}

/// A schema of about `n` parts.
fn schema(kind: &str, n: usize) -> Option<Value> {
    let each_named = |part: &dyn Fn(usize) -> Value| -> Value {
        (0..n).map(|at| (format!("p{at}"), part(at))).collect::<Map<_, _>>().into()
    };
    let object = |properties: Value| json!({"type": "object", "properties": properties, "additionalProperties": false});
    let names: Vec<String> = (0..n).map(|at| format!("p{at}")).collect();
    let list = |part: &dyn Fn(usize) -> Value| -> Value { (0..n).map(part).collect() };
    let form = |at: usize| {
        json!({
            "type": "object", "properties": {"kind": {"const": format!("k{at}")}, format!("p{at}"): {"type": "string"}},
            "required": ["kind"], "additionalProperties": false,
        })
    };
    let key = |at: usize| json!({"type": "object", "properties": {format!("p{at}"): {"type": "string"}}, "required": [format!("p{at}")]});
    let referring = |reference: Value, definition: Value| {
        let mut schema = object(each_named(&|_| reference.clone()));
        schema["$defs"] = json!({"D": definition});
        schema
    };
    Some(match kind {
        "properties" => object(each_named(&|_| json!({"type": ["integer", "null"], "minimum": 1}))),
        "required" => {
            let mut schema = object(each_named(&|_| json!({"type": "string"})));
            schema["required"] = json!(names);
            schema
        }
        "required-only" => json!({"type": "object", "required": names}),
        "enum" => object(json!({"a": {"enum": names}})),
        "documented-enum" => {
            object(json!({"a": {"oneOf": list(&|at| json!({"const": format!("v{at}"), "description": "One."}))}}))
        }
        "tagged" => object(json!({"a": {"oneOf": list(&form)}})),
        "keyed" => object(json!({"a": {"oneOf": list(&key)}})),
        "tagged-root" => json!({"type": "object", "oneOf": list(&form)}),
        "untagged" => object(json!({"a": {"anyOf": list(&|at| json!({"type": "integer", "minimum": at}))}})),
        "siblings-of-a-union" => json!({"type": "object", "properties": each_named(&|_| json!({"type": "string"})),
            "oneOf": list(&|at| json!({"required": [format!("p{at}")]}))}),
        "all-of" => {
            object(json!({"a": {"allOf": list(&|at| json!({"properties": {format!("p{at}"): {"type": "string"}}}))}}))
        }
        "tuple" => object(
            json!({"a": {"type": "array", "prefixItems": list(&|at| json!({"type": "integer", "minimum": at}))}}),
        ),
        "long-description" => {
            let branches = list(&|at| json!({"type": "array", "items": {"type": "integer", "minimum": at}}));
            object(json!({"a": {"description": "Text. ".repeat(n), "anyOf": branches}}))
        }
        "long-name" => object(json!({"n".repeat(n * 8): object(each_named(&|_| json!({})))})),
        "long-definition" => {
            referring(json!({"$ref": "#/$defs/D"}), json!({"type": "string", "description": "Text. ".repeat(n)}))
        }
        "long-definition-merged" => referring(
            json!({"$ref": "#/$defs/D", "minLength": 1}),
            json!({"type": "string", "description": "Text. ".repeat(n)}),
        ),
        "long-enum-referred-to" => referring(json!({"$ref": "#/$defs/D"}), json!({"enum": names})),
        "dangling" => object(each_named(&|at| json!({"$ref": format!("#/$defs/{at}")}))),
        "chain" => {
            let mut schema = object(json!({"a": {"$ref": "#/$defs/p0"}}));
            schema["$defs"] =
                each_named(&|at| json!({"type": "array", "items": {"$ref": format!("#/$defs/p{}", (at + 1) % n)}}));
            schema
        }
        "doubling" => {
            let mut schema = object(json!({"a": {"$ref": "#/$defs/p0"}}));
            schema["$defs"] = each_named(&|at| {
                let next = json!({"$ref": format!("#/$defs/p{}", (at + 1).min(n - 1)), "description": "One."});
                if at + 1 == n { json!({"type": "string"}) } else { object(json!({"a": next, "b": next})) }
            });
            schema
        }
        "nested" => {
            let mut schema = object(each_named(&|_| json!({"type": "string"})));
            for _ in 0..40 {
                schema = object(json!({"a": schema}));
            }
            schema
        }
        "nested-unions" => {
            let mut schema = object(each_named(&|_| json!({"type": "string"})));
            for _ in 0..20 {
                schema = object(json!({"a": {"anyOf": [schema, {"type": "null"}]}}));
            }
            schema
        }
        "nested-maps" => {
            let mut schema = object(each_named(&|_| json!({"type": "string"})));
            for _ in 0..20 {
                schema = json!({"type": "object", "additionalProperties": schema});
            }
            schema
        }
        _ => return None,
    })
}

fn main() {
    let mut options = std::env::args().skip(1);
    let (Some(way), Some(kind), Some(n)) = (options.next(), options.next(), options.next()) else {
        panic!("linear <arguments|value|export|parser> <kind> <n>")
    };
    let n: usize = n.parse().expect("a number");
    let base = NOW.load(Ordering::Relaxed);
    let mut said = String::new();
    match way.as_str() {
        "arguments" | "value" => {
            let text = arguments(&kind, n.max(1)).expect("a kind of arguments");
            let _ = write!(said, "{} bytes", text.len());
            let limits = ArgumentLimits::default().with_max_bytes(1 << 30);
            let parser = ArgumentParser::new(&input_schema::<Args>()).expect("enforceable").with_limits(limits);
            let arguments = match way.as_str() {
                "value" => {
                    serde_json::from_str::<Value>(&text).map_or_else(|_| ToolArguments::none(), ToolArguments::from)
                }
                _ => ToolArguments::from(text),
            };
            MOST.store(NOW.load(Ordering::Relaxed), Ordering::Relaxed);
            if n > 0 {
                let parsed = parser.parse::<Args>(&arguments);
                let _ = match &parsed {
                    Ok(parsed) => write!(said, ", {} repairs", parsed.repairs.len()),
                    Err(error) => write!(said, ", refused: {error:.60}"),
                };
                black_box(parsed.is_ok());
            }
        }
        "export" | "parser" => {
            let schema = schema(&kind, n.max(1)).expect("a kind of schema");
            let _ = write!(said, "{} bytes", schema.to_string().len());
            let tool = ToolDescriptor::new("linear", kind.as_str(), "A tool to be measured.", schema, None);
            MOST.store(NOW.load(Ordering::Relaxed), Ordering::Relaxed);
            if n > 0 && way == "export" {
                for format in ExportFormat::ALL {
                    black_box(tool.export(format));
                }
                black_box(lint([&tool]));
            } else if n > 0 {
                let parser = ArgumentParser::new(tool.input_schema());
                let text = r#"{"a": "x", "b": {"kind": "no", "p1": null}}"#;
                if let Err(error) = &parser {
                    let _ = write!(said, ", {error:.60}");
                }
                black_box(parser.is_ok_and(|parser| parser.parse::<Value>(&ToolArguments::from(text)).is_ok()));
            }
        }
        other => panic!("no way {other}"),
    }
    println!("{} {said}", MOST.load(Ordering::Relaxed) - base);
}
