//! The schema of what a function returns is found where its type has one, through every wrapper.
#![deny(warnings)]

use serde_json::{Value, json};
use tool_core::*;

#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Sum {
    total: u32,
}

#[derive(serde::Serialize)]
pub struct Undescribed {
    total: u32,
}

type Alias = Result<Sum, String>;

macro_rules! tools {
    ($($name:ident, $ty:ident, $out:ty = $value:expr, $schema:expr;)*) => {
        $(
            /// Answers.
            #[tool(type = $ty)]
            fn $name() -> $out {
                $value
            }
        )*

        fn check() {
            $(
                let schema: Option<Value> = $schema;
                assert_eq!($ty::output_schema(), schema, stringify!($name));
            )*
        }
    };
}

fn sum() -> Option<Value> {
    let total = json!({"type": "integer", "minimum": 0, "maximum": u32::MAX});
    Some(json!({"type": "object", "properties": {"total": total}, "required": ["total"]}))
}

tools! {
    plain, Plain, Sum = Sum { total: 1 }, sum();
    aliased, Aliased, Alias = Ok(Sum { total: 1 }), sum();
    anyhow, Anyhow, anyhow::Result<Sum> = Ok(Sum { total: 1 }), sum();
    timed, Timed, Result<Result<Sum, String>, String> = Ok(Ok(Sum { total: 1 })), sum();
    waiting, Waiting, Result<Outcome<Sum>, String> = Ok(Outcome::Output(Sum { total: 1 })), sum();
    list, List, Vec<bool> = vec![true], Some(json!({"type": "array", "items": {"type": "boolean"}}));
    text, Text, String = String::new(), None;
    nothing, Nothing, () = (), None;
    undescribed, Bare, Undescribed = Undescribed { total: 1 }, None;
    output, Output, ToolOutput = ToolOutput::ok(""), None;
    blocks, Blocks, [ContentBlock; 2] = [ContentBlock::text("a"), ContentBlock::text("b")], None;
}

/// Fails inside.
#[tool]
fn inner_error() -> Result<Result<u32, String>, String> {
    Ok(Err("inner".into()))
}

/// Keeps its flag.
#[tool]
fn optional() -> Option<ToolOutput> {
    Some(ToolOutput::error("no"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    check();
    let registry = RawToolRegistry::new([erase(InnerError), erase(Optional), erase(Blocks), erase(Waiting)]);
    for (id, text, is_error) in
        [("inner_error", "inner", true), ("optional", "no", true), ("blocks", "a\nb", false), ("waiting", r#"{"total":1}"#, false)]
    {
        let output = registry.dispatch(&ToolCall::new("c", id, "")).await.unwrap();
        assert_eq!((output.text().as_ref(), output.is_error), (text, is_error));
    }
}
