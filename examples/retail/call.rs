//! `retail call`: one tool, once.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::builder::BoolishValueParser;
use serde::de::IgnoredAny;
use serde_json::json;
use tool_core::CallStatus;
use tool_ledger::SqliteLedger;

use crate::Verdict;
use crate::host::{ask, runtime, scope};
use crate::store::{Data, Store};
use crate::tools;

#[derive(clap::Args)]
pub(crate) struct Options {
    tool: String,
    /// The arguments, a JSON object.
    #[arg(value_name = "JSON", default_value = "{}", allow_hyphen_values = true)]
    arguments: String,
    /// Record the call in this file: made again, it is answered from there and not executed again. The shop itself is not
    /// kept.
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Ask a person before more than this is paid back.
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    ask_above: Option<f64>,
    /// The person's answer, where the call waits for one: `yes` or `no`.
    #[arg(long, value_name = "ANSWER", value_parser = BoolishValueParser::new())]
    approve: Option<bool>,
}

pub(crate) async fn run(data: Data, options: &Options, out: &mut impl Write) -> anyhow::Result<Verdict> {
    // Two slips of whoever is typing, not of a model: these never get as far as a call.
    let Options { tool, arguments, ledger, ask_above, approve } = options;
    let store = Arc::new(Store::new(data));
    if tools::registry(&store).get(tool).is_none() {
        bail!("there is no tool `{tool}`; `retail list` shows all of them");
    }
    serde_json::from_str::<IgnoredAny>(arguments).context("the arguments are not JSON")?;

    let ledger = ledger.as_ref().map(SqliteLedger::open_or_create).transpose()?;
    let mut builder = runtime(&store, *ask_above);
    if let Some(ledger) = &ledger {
        builder = builder.ledger(ledger.clone());
    }
    let runtime = builder.build()?;

    // A run is one call here, and named for it, so that the same call is found again in a ledger.
    let run = runtime.run(scope("command line", format!("{tool} {}", arguments.trim()))).await?;
    let mut report = ask(&run, 0, tool, arguments).await?;
    if report.status == (CallStatus::Finished { replayed: true }) {
        // Nobody is left to tell if this fails.
        let _ = writeln!(io::stderr(), "retail: answered from the ledger, and not executed again");
    }
    if let (CallStatus::Waiting { ticket, .. }, Some(approve)) = (&report.status, approve) {
        report = runtime.resume(ticket, json!({"approve": approve})).await?;
    }
    if let Some(ledger) = ledger {
        ledger.close().await;
    }
    writeln!(out, "{}", report.output.text())?;
    let is_done = matches!(report.status, CallStatus::Finished { .. }) && !report.output.is_error;
    Ok(if is_done { Verdict::Good } else { Verdict::Bad })
}

fn dollars(text: &str) -> Result<f64, String> {
    let dollars = text.parse().ok().filter(|dollars: &f64| dollars.is_finite() && *dollars >= 0.0);
    dollars.ok_or_else(|| "an amount is a number such as 100 or 99.50".to_owned())
}
