//! The function stays a function: called directly, in a test, with a context that the test builds.
#![deny(warnings)]

use tool_core::testing::{self, ContextBuilder};
use tool_core::{ToolContext, tool};

/// Tells.
#[tool]
async fn tell(name: &str, #[state] greeting: &str, #[context] cx: &ToolContext) -> Result<String, String> {
    let run = cx.run_id().ok_or("outside a run")?;
    Ok(format!("{greeting}, {name} of {run}"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let cx = ContextBuilder::new().run("r1").build();
    assert_eq!(tell("Ada", "Hello", &cx).await.unwrap(), "Hello, Ada of r1");
    assert_eq!(tell("Ada", "Hello", &ToolContext::detached()).await.unwrap_err(), "outside a run");
    let call = testing::call(Tell::new("Hi"), r#"{"name":"Bob"}"#);
    assert_eq!(ContextBuilder::new().run("r2").scope(call).await.unwrap().text(), "Hi, Bob of r2");
    let args = TellArgs { name: "Eve".into() };
    assert_eq!(args.name, "Eve");
}
