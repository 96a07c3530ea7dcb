//! What the documentation says of generic blocks: only declared bounds count.
#![deny(warnings)]

use std::fmt::Display;
use std::sync::Arc;
use tool_core::{RawToolRegistry, ToolCall, tool};

pub struct Answering<T>(T);

#[tool]
impl<T: Clone + serde::Serialize + Send + Sync + 'static> Answering<T> {
    /// Answers.
    #[tool]
    pub fn answer(&self) -> T {
        self.0.clone()
    }
}

pub struct Failing<E>(E);

#[tool]
impl<E: Clone + Display + Send + Sync + 'static> Failing<E> {
    /// Fails.
    #[tool]
    pub fn fail(&self) -> Result<u32, E> {
        Err(self.0.clone())
    }
}

async fn text(tools: Vec<Arc<dyn tool_core::RawTool>>) -> (String, bool, bool) {
    let registry = RawToolRegistry::try_new(tools).unwrap();
    let descriptor = registry.descriptors().next().unwrap();
    let output = registry.dispatch(&ToolCall::new("c", descriptor.id(), "")).await.unwrap();
    (output.text().into_owned(), output.is_error, descriptor.output_schema().is_some())
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // Without `T: JsonSchema` there is no output schema, though `u32` has one.
    assert_eq!(text(Answering::tools(Arc::new(Answering(7_u32)))).await, ("7".into(), false, false));
    // A parameter that turns out to be a `Result` is a plain value.
    let result: Result<u32, String> = Err("no".into());
    assert_eq!(text(Answering::tools(Arc::new(Answering(result)))).await, (r#"{"Err":"no"}"#.into(), false, false));
    // A written `Result` is told, whatever its error.
    assert_eq!(text(Failing::tools(Arc::new(Failing("no")))).await, ("no".into(), true, true));
}
