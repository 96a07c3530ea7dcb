//! Where a tool runs.

use serde::{Deserialize, Serialize};

/// Where a tool's body runs; a runtime routes a call by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolExecutionTarget {
    /// In the agent's own process.
    #[default]
    Brain,
    /// In the sandbox that belongs to the run. A runtime without one refuses such a tool.
    Sandbox,
}
