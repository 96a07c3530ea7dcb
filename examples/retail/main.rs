//! `retail`: the customer service desk of a small shop, as sixteen tools that a language model can call.
//!
//! Where to start reading: `tools.rs` and the files in `tools/` are the tools; `records.rs`, `money.rs` and
//! `store.rs` are the shop behind them. The rest shows ways of calling them: from a program (`host.rs`, and `demo.rs`
//! over it), from the command line (`call.rs`), from recorded tasks (`replay.rs`), and over MCP (a few lines, below). What
//! a person has to approve of is `approval.rs`'s to say, and `crash_demo.rs` shows what is left of a run after a crash.

mod approval;
mod calculator;
mod call;
mod crash_demo;
mod demo;
mod host;
mod list;
mod money;
mod paragraph;
mod records;
mod refusal;
mod replay;
mod store;
mod tools;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::anyhow;
use clap::{Parser, Subcommand};
use tool_core::{ThreadId, WorkspaceId};
use tool_mcp::ToolServer;

use crate::store::{Data, Store};

/// A shop's customer service desk, as tools for language models. Without a command: a short demonstration.
#[derive(Parser)]
#[command(name = "retail", version)]
struct Cli {
    /// Folder with `orders.json`, `users.json` and `products.json`; without it, a small sample shop.
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// List the tools.
    List {
        /// As JSON: all that is known about each, with the schema of its arguments.
        #[arg(long)]
        json: bool,
    },
    /// Call one tool, as a model would. Exit status 1 unless the tool does what is asked.
    Call(call::Options),
    /// Serve the tools over MCP, on standard input and output.
    Serve,
    /// Replay recorded tasks and compare. Exit status 1 if anything differs.
    Replay {
        /// Files with one task a line.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Kill a process in the middle of a refund, and show how its run goes on.
    CrashDemo {
        /// Be the process that is killed, over the files in this folder.
        #[arg(long, hide = true, value_name = "DIR")]
        be_killed_over: Option<PathBuf>,
    },
}

/// What was asked for has happened and is good; or it has happened and is not (a refusal, a mismatch).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Good,
    Bad,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::from(1),
        // Whoever read our output has had enough of it (`retail list | head -1`): no mistake of anybody's.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // One line, whatever the causes have put into their texts.
            let line = format!("{error:#}").replace(['\n', '\r'], " ");
            // Nobody is left to tell if this fails too.
            let _ = writeln!(io::stderr(), "retail: {line}");
            ExitCode::from(2)
        }
    }
}

async fn run(cli: Cli) -> anyhow::Result<Verdict> {
    let data = match &cli.data {
        Some(folder) => Data::load(folder)?,
        None => Data::sample()?,
    };
    // Not locked: the MCP server writes to it from a thread of its own.
    let out = &mut io::stdout();

    match cli.command {
        None => demo::run(&data, out).await,
        Some(Command::List { json }) => list::run(&tools::registry(&Arc::new(Store::new(data))), json, out),
        Some(Command::Call(options)) => call::run(data, &options, out).await,
        Some(Command::Replay { files }) => replay::run(&data, &files, out).await,
        Some(Command::Serve) => {
            // Standard output belongs to the protocol.
            let _ = writeln!(io::stderr(), "retail: serving MCP until standard input ends");
            // Nobody sits here who could be asked. A client asks its own user, if it asks anybody.
            let runtime = host::runtime(&Arc::new(Store::new(data)), None).build()?;
            let server = ToolServer::over_runtime(runtime, WorkspaceId::new("retail"), ThreadId::new("mcp"));
            server.serve_stdio().await.map_err(|error| anyhow!("serving MCP: {error}"))?;
            Ok(Verdict::Good)
        }
        Some(Command::CrashDemo { be_killed_over: Some(folder) }) => crash_demo::first_process(&folder).await,
        Some(Command::CrashDemo { be_killed_over: None }) => crash_demo::run(out).await,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
