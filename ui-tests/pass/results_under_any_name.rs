//! A `Result` is told by its type, not by its spelling: an error never prints as a success.

use std::fmt;
use tool_core::{RawToolRegistry, ToolCall, ToolError, erase, tool};

#[derive(Debug, serde::Serialize)]
pub struct Declined {
    code: u32,
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "declined with {}", self.code)
    }
}

type Outcome = std::result::Result<u32, Declined>;
type Fallible<T> = Result<T, Declined>;

/// One.
#[tool]
fn behind_alias() -> Outcome {
    Err(Declined { code: 1 })
}

/// Two.
#[tool]
fn one_parameter() -> Fallible<u32> {
    Err(Declined { code: 2 })
}

/// Three.
#[tool]
async fn with_anyhow() -> anyhow::Result<u32> {
    Err(anyhow::anyhow!("disk full").context("cannot save"))
}

/// Four.
#[tool]
fn boxed() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Err("boxed".into())
}

/// Five.
#[tool]
fn in_own_words() -> Result<(), ToolError> {
    Err(ToolError::unavailable("queue full"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = RawToolRegistry::new([
        erase(BehindAlias),
        erase(OneParameter),
        erase(WithAnyhow),
        erase(Boxed),
        erase(InOwnWords),
    ]);
    for (id, text) in [
        ("behind_alias", "declined with 1"),
        ("one_parameter", "declined with 2"),
        ("with_anyhow", "cannot save: disk full"),
        ("boxed", "boxed"),
    ] {
        let output = registry.dispatch(&ToolCall::new("c", id, "{}")).await.unwrap();
        assert!(output.is_error, "{id}");
        assert_eq!(output.text(), text);
    }
    let error = registry.dispatch(&ToolCall::new("c", "in_own_words", "{}")).await.unwrap_err();
    assert_eq!(error, ToolError::unavailable("queue full"));
}
