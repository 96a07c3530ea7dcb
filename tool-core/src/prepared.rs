//! A call whose arguments were read, and that has not started.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::args::ArgumentRepair;
use crate::behaviour::{CallIdentity, Concurrency};
use crate::error::ToolError;
use crate::output::ToolOutput;

/// A call whose arguments were read, once, for all that is asked of it before it runs. Nothing has started until
/// [`body`](Self::body) is polled.
#[non_exhaustive]
pub struct PreparedCall {
    /// The arguments as they were decoded, as JSON text.
    pub arguments: Arc<str>,
    /// What was repaired in them.
    pub repairs: Vec<ArgumentRepair>,
    /// How it stands to the other calls of its batch.
    pub concurrency: Concurrency,
    /// The key under which two calls of a workspace are one.
    pub idempotency_key: Option<String>,
    /// What it is about.
    pub identity: Option<CallIdentity>,
    /// Its execution.
    pub body: CallBody,
}

/// The execution of one call.
pub type CallBody = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send>>;

impl PreparedCall {
    /// A call of these arguments that runs beside nothing else, has no key and no identity, and needed no repair.
    pub fn new(arguments: impl Into<Arc<str>>, body: CallBody) -> Self {
        Self {
            arguments: arguments.into(),
            repairs: Vec::new(),
            concurrency: Concurrency::Serial,
            idempotency_key: None,
            identity: None,
            body,
        }
    }
}

impl fmt::Debug for PreparedCall {
    /// Without the arguments, which may hold what must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedCall").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}
