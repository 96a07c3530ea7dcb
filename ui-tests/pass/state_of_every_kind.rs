//! State is shared by reference, also behind a trait object, or cloned for each call; the function is called directly.
#![deny(warnings)]

use std::sync::Arc;
use tool_core::{RawToolRegistry, ToolCall, ToolContext, erase, tool};

trait Clock: Send + Sync {
    fn now(&self) -> u64;
}

struct Fixed(u64);

impl Clock for Fixed {
    fn now(&self) -> u64 {
        self.0
    }
}

/// Tells all.
#[tool]
async fn tell(
    words: &[String],
    #[state] clock: &dyn Clock,
    #[state] shared: Arc<str>,
    #[state] list: &[u8],
    #[state] still: &'static str,
    #[state] double: &(dyn Fn(u8) -> u8 + Send + Sync),
    #[context] owned: ToolContext,
) -> String {
    std::future::ready(()).await;
    format!("{words:?} {} {shared} {list:?} {still} {} {}", clock.now(), double(2), owned.is_cancelled())
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let clock: Arc<dyn Clock> = Arc::new(Fixed(5));
    let double: Arc<dyn Fn(u8) -> u8 + Send + Sync> = Arc::new(|number| number * 2);
    let registry =
        RawToolRegistry::new([erase(Tell::new(clock, Arc::from("s"), vec![1, 2], "still", double))]);
    let output = registry.dispatch(&ToolCall::new("c", "tell", r#"{"words":["a"]}"#)).await.unwrap();
    assert_eq!(output.text(), r#"["a"] 5 s [1, 2] still 4 false"#);
    let direct = tell(&["b".into()], &Fixed(1), Arc::from("d"), &[], "x", &|number| number, ToolContext::detached()).await;
    assert_eq!(direct, r#"["b"] 1 d [] x 2 false"#);
}
