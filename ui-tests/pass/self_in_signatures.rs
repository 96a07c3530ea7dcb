//! `Self` in the types of a method's parameters and result.
#![deny(warnings)]

use std::sync::Arc;
use tool_core::{Outcome, RawToolRegistry, ToolCall, tool};

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Point {
    x: i32,
}

pub trait Kind {
    type Of;
}

impl Kind for Point {
    type Of = i32;
}

#[tool]
impl Point {
    /// Adds.
    #[tool]
    pub fn add(&self, other: Self, by: Option<<Self as Kind>::Of>, list: &[Self]) -> Result<Vec<Self>, String> {
        let mut all = list.to_vec();
        all.push(Self { x: self.x + other.x + by.unwrap_or(0) });
        Ok(all)
    }

    /// Waits.
    #[tool]
    pub fn wait(&self) -> Outcome<Self> {
        Outcome::suspend_for::<Self>("where to?")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = RawToolRegistry::try_new(Point::tools(Arc::new(Point { x: 1 }))).unwrap();
    let call = ToolCall::new("c", "add", r#"{"other":{"x":2},"by":3,"list":[{"x":9}]}"#);
    assert_eq!(registry.dispatch(&call).await.unwrap().text(), r#"[{"x":9},{"x":6}]"#);
    let waiting = registry.dispatch(&ToolCall::new("c", "wait", "")).await.unwrap();
    assert!(waiting.suspension.is_some());
    assert_eq!(waiting.text(), "The call waits for an answer: where to?");
}
