//! A registry of tools as an MCP server, on the official SDK, [`rmcp`].
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
//! * There is no run: the context has no operation, and a [`StateCommand`](tool_core::StateCommand) comes to nothing.
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
mod server;
mod stdio;

pub use rmcp;
pub use server::ToolServer;
pub use stdio::{ServeError, serve_stdio};
