//! Tools that language models call: the contracts, the argument boundary, the registry and the executor.
//!
//! Write an async function and a doc comment; get a tool:
//!
//! ```
//! use tool_core::{RawToolRegistry, ToolCall, erase, tool};
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
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::ToolError> {
//! let registry = RawToolRegistry::new([erase(Add)]);
//! let call = ToolCall::new("call_1", "add", r#"{"a": 2, "b": 3}"#);
//! assert_eq!(registry.dispatch(&call).await?.text(), "5");
//! # Ok(()) }
//! ```
//!
//! # The contract
//!
//! * **The model never authors runtime coordinates.** [`RunId`], [`ThreadId`], [`WorkspaceId`], [`OperationId`] and the
//!   [`ToolOperationToken`] cannot be arguments, however wrapped; a tool reads them from its [`ToolContext`].
//! * **A tool claims only the recovery it can keep**: [`ToolRecoveryCapability`], `NonRecoverable` unless it says more.
//! * **What the schema advertises, the parser enforces**, and a refusal tells the model how to correct its call.
//! * **Unknown, ambiguous, malformed: closed.** An id that was registered twice cannot be called.
//!
//! # The way of one call
//!
//! A [`ToolCall`] goes to a [`ToolExecutor`], such as the [`RawToolRegistry`]; the [`RawTool`] behind its id decodes the
//! arguments with [`parse_tool_args`], runs [`Tool::call`], and turns what comes back into a [`ToolOutput`] with
//! [`render_tool_output`]. A [`ToolError`] says what may be done after each way to fail.
//!
//! # Features
//!
//! By default, what every tool needs. Serving a registry over MCP is the crate `tool-mcp`.
//!
//! * `export`: a tool as each model provider's API takes it (`ToolDescriptor::export`, `NameMap`), the `lint` over it, and
//!   `testing::snapshot`. For whoever sends tools to a provider.
//! * `runtime`: the run (`ToolRuntime`): gates, the ledger of operations, recovery after a crash, waits, state and hooks. For
//!   whoever runs an agent. A ledger that outlives the process is the crate `tool-ledger`.

// The answers of a probe are told apart by their receiver, and all have one signature.
#[allow(clippy::unused_self, clippy::unnecessary_wraps)]
#[doc(hidden)]
pub mod __private;
mod absent;
mod annotations;
mod args;
mod argument;
mod base64;
mod behaviour;
mod call;
mod contain;
mod content;
mod context;
mod coordinates;
mod descriptor;
mod erase;
mod error;
mod executor;
#[cfg(feature = "export")]
mod export;
#[cfg(feature = "runtime")]
mod gate;
mod hex;
#[cfg(feature = "runtime")]
mod hook;
mod id_hash;
#[cfg(feature = "runtime")]
mod ledger;
#[cfg(feature = "export")]
mod lint;
mod operation;
mod output;
mod prepared;
mod problems;
mod raw;
mod recovery;
mod redact;
mod registry;
mod reserved;
#[cfg(feature = "runtime")]
mod runtime;
#[cfg(feature = "runtime")]
mod same;
mod schema;
mod secrets;
#[cfg(feature = "runtime")]
mod snapshot;
mod state;
mod subschemas;
mod suggest;
mod target;
pub mod testing;
mod tool;
#[cfg(feature = "runtime")]
mod turn;

pub use annotations::ToolAnnotations;
pub use args::{
    ArgumentLimits, ArgumentParser, ArgumentRepair, Parsed, RepairRule, UnenforceableSchema, parse_tool_args,
};
pub use argument::ToolArgument;
pub use async_trait::async_trait;
pub use behaviour::{
    Access, ArgumentMode, CallIdentity, Concurrency, ConcurrencyClass, Egress, HistoryPolicy, ResourceClaim,
    ToolBehaviour,
};
pub use call::{ToolArguments, ToolCall};
pub use content::{
    ContentAnnotations, ContentBlock, EmbeddedResource, MediaContent, ResourceContents, ResourceLink, TextContent,
};
pub use context::{ProgressSink, ToolContext};
pub use coordinates::{OperationId, RESERVED_PROPERTY_NAMES, RunId, ThreadId, WorkspaceId, is_reserved_property};
pub use descriptor::{ContentIdentity, ToolDescriptor};
pub use erase::{erase, erase_with_prefix};
pub use error::{ArgumentFault, InvalidArguments, ToolError, ToolFailure};
pub use executor::ToolExecutor;
#[cfg(feature = "export")]
pub use export::{Export, ExportFormat, Exports, Finding, NameMap, Rule, Severity, UnknownExportFormat, export_all};
#[cfg(feature = "runtime")]
pub use gate::{
    AllowAll, ArgumentTest, GateArguments, GateRequest, GateRule, Interlock, InvalidRule, RuleEffect, RuleProblem,
    Rules, ToolGate, Touched, Verdict,
};
#[cfg(feature = "runtime")]
pub use hook::{AfterToolHook, FinishedCall, HookError, HookReaction};
#[cfg(feature = "runtime")]
pub use ledger::{
    Begun, Lease, LedgerError, MemoryLedger, Moment, OperationFilter, OperationIntent, OperationLedger,
    OperationRecord, OperationState, Recorded, Resolution, RunScope, Stage, Ticket, Wait,
};
#[cfg(feature = "export")]
pub use lint::{lint, lint_for};
pub use operation::{
    ToolOperationContext, ToolOperationToken, current_tool_operation_context, current_tool_operation_token,
    scope_tool_operation,
};
pub use output::{IntoToolOutput, Outcome, StructuredContent, Suspension, ToolOutput, ToolResult, render_tool_output};
pub use prepared::{CallBody, PreparedCall};
pub use problems::Problems;
pub use raw::RawTool;
pub use recovery::{RecoveryMismatch, ToolRecoveryCapability, ToolRecoveryMode, ToolRecoveryPolicy};
pub use redact::redact;
pub use registry::{RawToolRegistry, RegistryProblem, RegistryProblems};
#[cfg(feature = "runtime")]
pub use runtime::{
    CallReport, CallStatus, EndError, OperationView, ResumeError, Run, RunLimits, RuntimeProblem, RuntimeProblems,
    SpillFolder, SpillPort, StepReport, ToolEvent, ToolEventKind, ToolEvents, ToolObserver, ToolRuntime,
    ToolRuntimeBuilder,
};
pub use schema::{input_schema, output_schema};
#[cfg(feature = "runtime")]
pub use snapshot::{ExecutableSnapshot, PinnedTool, SnapshotError};
pub use state::{ContextMessages, StateAction, StateCommand, StateEntries, StateError, StateKey};
pub use target::ToolExecutionTarget;
pub use tool::Tool;
pub use tool_macros::tool;
#[cfg(feature = "runtime")]
pub use turn::carried::{CarriedState, CarriedStates, carried_state, carried_state_within};
#[cfg(feature = "runtime")]
pub use turn::history::{HistoryOptions, HistoryPolicies, HistoryReplacement, ReplacementReason};
#[cfg(feature = "runtime")]
pub use turn::loops::{InvalidLoopLimits, LoopDetector, LoopFinding, LoopIdentity, LoopLimits};
#[cfg(feature = "runtime")]
pub use turn::termination::{StepCall, TerminationVote, TerminationVoters};
#[cfg(feature = "runtime")]
pub use turn::transcript::{Exchange, Transcript, TranscriptCall, TranscriptMessage, TranscriptResult};
