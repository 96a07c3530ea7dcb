//! `retail call`: one tool, once.

use std::io::Write;

use anyhow::{Context, bail};
use serde::de::IgnoredAny;
use tool_core::RawToolRegistry;

use crate::Verdict;
use crate::host::{Outcome, ask};

pub(crate) async fn run(
    registry: &RawToolRegistry,
    tool: &str,
    arguments: &str,
    out: &mut impl Write,
) -> anyhow::Result<Verdict> {
    // Two slips of whoever is typing, not of a model: these never get as far as a call.
    if !registry.descriptors().any(|known| known.id() == tool) {
        bail!("there is no tool `{tool}`; `retail list` shows all of them");
    }
    serde_json::from_str::<IgnoredAny>(arguments).context("the arguments are not JSON")?;

    let answer = ask(registry, tool, arguments).await;
    writeln!(out, "{}", answer.text)?;
    Ok(match answer.outcome {
        Outcome::Done => Verdict::Good,
        Outcome::Refused | Outcome::Rejected | Outcome::Failed => Verdict::Bad,
    })
}
