//! Serving the program that started this one.

use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use std::fmt;
use std::sync::Arc;
use tool_core::{RawToolRegistry, RegistryProblem};

use crate::server::ToolServer;

/// Serves the registry on standard input and output until the client hangs up, as [`ToolServer::serve_stdio`] does.
///
/// The server bears this crate's name and version; [`ToolServer::with_name`] gives it its own.
pub async fn serve_stdio(registry: impl Into<Arc<RawToolRegistry>>) -> Result<(), ServeError> {
    ToolServer::try_new(registry)?.serve_stdio().await
}

impl ToolServer {
    /// Serves on standard input and output, and returns when the client hangs up, which is the end of the input.
    ///
    /// Calls under way then have five seconds (the SDK's) to be answered; a tool that is still at work is told to stop
    /// through its context, and is not waited for.
    ///
    /// Standard output belongs to the protocol: a tool that prints to it breaks the connection, and logs go to
    /// standard error. Needs a Tokio runtime with time and I/O enabled, as `#[tokio::main]` makes it.
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        let running = match self.serve(stdio_pipes()).await {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()), // it hung up before it said anything
            Err(error) => return Err(ServeError::Handshake(in_words(&error))),
        };
        match running.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => Err(ServeError::Broken(error.to_string())),
            Ok(_) => Ok(()),
        }
    }
}

/// The SDK's own text holds the whole message that it did not expect, arguments included.
fn in_words(error: &ServerInitializeError) -> String {
    match error {
        ServerInitializeError::ExpectedInitializeRequest(_) => "the client did not begin with a request".to_owned(),
        ServerInitializeError::InitializeFailed(error) => error.message.to_string(),
        ServerInitializeError::TransportError { error, context } => format!("{error}, when {context}"),
        _ => "the client and the server did not come to terms".to_owned(),
    }
}

/// Why a registry was not served, or not to the end. Its `Debug` is its `Display`, so that a `main` which returns it says what
/// to do.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServeError {
    /// The registry has problems, all of which are here. Nothing was served.
    Registry(Vec<RegistryProblem>),
    /// The connection failed before the first call: the client speaks no MCP, or cannot be written to.
    Handshake(String),
    /// The connection broke down later, other than by the client's hanging up.
    Broken(String),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registry(problems) => {
                f.write_str("the tools cannot be served:")?;
                problems.iter().try_for_each(|problem| write!(f, "\n{problem}"))
            }
            Self::Handshake(reason) => write!(f, "no MCP connection: {reason}"),
            Self::Broken(reason) => write!(f, "the MCP connection broke down: {reason}"),
        }
    }
}

impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ServeError {}
