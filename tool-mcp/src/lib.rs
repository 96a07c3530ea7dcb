//! A registry of tools, or a runtime over one, as an MCP server, on the official SDK, [`rmcp`].
//!
//! One line serves a registry to the program that started this one:
//!
//! ```no_run
//! use tool_core::{RawToolRegistry, erase, tool};
//!
//! /// Adds two numbers.
//! #[tool(read_only)]
//! async fn add(
//!     /// The first summand.
//!     a: i64,
//!     /// The second summand.
//!     b: i64,
//! ) -> i64 {
//!     a + b
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), tool_mcp::ServeError> {
//!     tool_mcp::serve_stdio(RawToolRegistry::new([erase(Add)])).await
//! }
//! ```
//!
//! [`ToolServer`] is the same for any other transport of [`rmcp`], and takes a name, a version and instructions.
//!
//! # What a client sees
//!
//! * **`tools/list`**: each tool that has a descriptor, in the registry's order and in one page. A registry with
//!   [problems](tool_core::RawToolRegistry::problems) is not served at all, so that a client never sees fewer tools
//!   than the author wrote.
//! * **`tools/call`**: the content blocks of the [`ToolOutput`](tool_core::ToolOutput), one to one. Whatever the model
//!   can act on is a result: the tool's failure, arguments that do not fit, a tool that is unavailable or broke down
//!   (`isError: true`). A tool that is not offered is the JSON-RPC error -32602, `Unknown tool: NAME`.
//! * **`structuredContent`** where the output has it. Before protocol version 2026-07-28 it has to be an object, and
//!   any other value is left out; the blocks hold it all the same. So is that of a failure whose tool has an output
//!   schema, which describes the successes and which clients check it against.
//! * **Annotations**: what the tool states, as it states it, and two inferences. A tool that is read-only is not
//!   destructive, unless it says so itself. A [`ReplaySafe`](tool_core::ToolRecoveryCapability::ReplaySafe) tool has
//!   the `idempotentHint`; an [`Idempotent`](tool_core::ToolRecoveryCapability::Idempotent) one has not, since it
//!   recognises the repeated operation, and a client that calls again with the same arguments starts a new one.
//!
//! # What a tool sees
//!
//! * Calls run concurrently, each in a task of its own. One that blocks its thread holds that thread up.
//! * A call that the client cancels, and one that is still running when the connection ends, has its
//!   [`ToolContext`](tool_core::ToolContext) cancelled. Its future is not dropped: only the tool knows where it may
//!   stop. Its answer goes nowhere. A call that was cancelled before it began is not begun.
//! * A panic ends its own call and nothing else. The client is told that the outcome is unknown, and not the panic's
//!   message, which the panic hook prints (under `panic = "abort"` it ends the process).
//! * Of what a tool declares, `blocking`, `strict` and `prepare` take effect here. `timeout`, `max_result_chars`,
//!   `concurrency` and their like are for a runtime that schedules whole turns, which a server of single calls is not.
//! * There is no run, unless a runtime is served: the context has no operation, and a [`StateCommand`](tool_core::StateCommand) comes to nothing.
//!
//! # Over a runtime
//!
//! [`ToolServer::over_runtime`] takes each call the whole way of a [`ToolRuntime`](tool_core::ToolRuntime), as the only one of
//! a run of its own, which the runtime's ledger holds until its result is on the way to the client.
//!
//! * **A call that a gate denies** is a result with `isError: true`, in the gate's words for the model.
//! * **A call that waits**, for a person's approval or for what its tool asks, is one too, and says so. Whoever serves
//!   [answers](tool_core::ToolRuntime::resume) it. The same call, made again, is answered with its result.
//! * **A call in doubt** is not executed when it is made again, as long as nobody has
//!   [settled](tool_core::ToolRuntime::resolve) it.
//! * **A call whose connection or process ended** before the client was told its result is taken up by the same call, made
//!   again: it is answered from the ledger, or goes on as far as its tool's recovery allows. So a client that repeats what
//!   it was not told does nothing twice.
//! * Calls alike that are made at the same time are calls of their own.
//! * A tool's `timeout`, `max_result_chars` and recovery take effect. A call that was cancelled is abandoned when it does not
//!   stop within the runtime's grace.
//!
//! # What an operator sees
//!
//! Events of the `tracing` crate under the target `tool_mcp`: each call's start at *debug* and its end at *info*, with
//! tool, call id, outcome and duration; at *warn* the operator's text of a call that broke down, which the client is
//! not told. Arguments and results are in none of them. They are in [`rmcp`]'s own events at *debug* and *trace*, so
//! filter with `rmcp=info` where they must not reach a log.

mod catalogue;
mod content;
mod outcome;
mod run;
mod runs;
mod server;
mod stdio;

pub use rmcp;
pub use server::ToolServer;
pub use stdio::{ServeError, serve_stdio};
