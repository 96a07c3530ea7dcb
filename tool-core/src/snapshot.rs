//! Which tools a run may use, pinned to what they were when it began.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use crate::descriptor::ToolDescriptor;
use crate::recovery::{RecoveryMismatch, ToolRecoveryCapability, ToolRecoveryMode, ToolRecoveryPolicy};
use crate::registry::RawToolRegistry;

/// The attempts that a tool has unless its policy says otherwise.
const ATTEMPTS: NonZeroU32 = NonZeroU32::new(3).unwrap();

/// The tools of a run with their descriptors and recovery policies: kept with the run, so that a run which is taken up
/// again has the very tools it began with, or does not go on.
///
/// ```
/// use tool_core::{ExecutableSnapshot, RawToolRegistry, ToolRecoveryMode, erase, tool};
///
/// /// Looks a word up.
/// #[tool(read_only)]
/// fn look_up(word: String) -> String {
///     word
/// }
///
/// let registry = RawToolRegistry::try_new([erase(LookUp)])?;
/// let snapshot = ExecutableSnapshot::of(&registry);
/// assert_eq!(snapshot.tools()[0].policy().mode(), ToolRecoveryMode::ReplaySafe);
///
/// let stored = serde_json::to_string(&snapshot)?;
/// assert_eq!(serde_json::from_str::<ExecutableSnapshot>(&stored)?, snapshot);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<PinnedTool>", into = "Vec<PinnedTool>")]
pub struct ExecutableSnapshot {
    tools: Vec<PinnedTool>,
}

/// One tool of a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedTool {
    #[serde(with = "shared")]
    descriptor: Arc<ToolDescriptor>,
    policy: ToolRecoveryPolicy,
}

impl PinnedTool {
    /// What the tool was.
    pub fn descriptor(&self) -> &Arc<ToolDescriptor> {
        &self.descriptor
    }

    /// What may be done with its calls after a crash.
    pub fn policy(&self) -> ToolRecoveryPolicy {
        self.policy
    }
}

impl ExecutableSnapshot {
    /// Every tool that a registry offers, each with the recovery mode of its own capability and three attempts.
    pub fn of(registry: &RawToolRegistry) -> Self {
        let tools = registry.descriptors().map(|descriptor| PinnedTool {
            descriptor: Arc::clone(descriptor),
            policy: ToolRecoveryPolicy::new(mode_of(descriptor.recovery_capability()), ATTEMPTS),
        });
        Self { tools: tools.collect() }
    }

    /// Only these tools, in the order in which they stand.
    #[must_use]
    pub fn only(mut self, keep: impl Fn(&ToolDescriptor) -> bool) -> Self {
        self.tools.retain(|tool| keep(&tool.descriptor));
        self
    }

    /// Another policy for one tool. Fails where there is no such tool, or it cannot keep the mode.
    pub fn with_policy(mut self, tool_id: &str, policy: ToolRecoveryPolicy) -> Result<Self, SnapshotError> {
        let tool = self.tools.iter_mut().find(|tool| tool.descriptor.id() == tool_id);
        let tool = tool.ok_or_else(|| SnapshotError::NoSuchTool { tool_id: tool_id.to_owned() })?;
        policy
            .check(tool.descriptor.recovery_capability())
            .map_err(|mismatch| SnapshotError::Recovery { tool_id: tool_id.to_owned(), mismatch })?;
        tool.policy = policy;
        Ok(self)
    }

    /// The tools, in the order in which a model is offered them.
    pub fn tools(&self) -> &[PinnedTool] {
        &self.tools
    }
}

fn mode_of(capability: ToolRecoveryCapability) -> ToolRecoveryMode {
    match capability {
        ToolRecoveryCapability::NonRecoverable => ToolRecoveryMode::NeverReplay,
        ToolRecoveryCapability::ReplaySafe => ToolRecoveryMode::ReplaySafe,
        ToolRecoveryCapability::Idempotent => ToolRecoveryMode::Idempotent,
        ToolRecoveryCapability::DurableRequest => ToolRecoveryMode::DurableRequest,
    }
}

impl TryFrom<Vec<PinnedTool>> for ExecutableSnapshot {
    type Error = SnapshotError;

    fn try_from(tools: Vec<PinnedTool>) -> Result<Self, SnapshotError> {
        let mut seen = HashSet::new();
        for tool in &tools {
            let tool_id = || tool.descriptor.id().to_owned();
            if !seen.insert(tool.descriptor.id()) {
                return Err(SnapshotError::Twice { tool_id: tool_id() });
            }
            let checked = tool.policy.check(tool.descriptor.recovery_capability());
            checked.map_err(|mismatch| SnapshotError::Recovery { tool_id: tool_id(), mismatch })?;
        }
        Ok(Self { tools })
    }
}

impl From<ExecutableSnapshot> for Vec<PinnedTool> {
    fn from(snapshot: ExecutableSnapshot) -> Self {
        snapshot.tools
    }
}

/// Why a snapshot cannot be what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The snapshot has no such tool.
    NoSuchTool {
        /// The id.
        tool_id: String,
    },
    /// A tool stands in it twice.
    Twice {
        /// The id.
        tool_id: String,
    },
    /// The tool cannot keep the recovery mode.
    Recovery {
        /// The id.
        tool_id: String,
        /// Why not.
        mismatch: RecoveryMismatch,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchTool { tool_id } => write!(f, "the snapshot has no tool {tool_id:?}"),
            Self::Twice { tool_id } => write!(f, "the snapshot has the tool {tool_id:?} twice"),
            Self::Recovery { tool_id, mismatch } => write!(f, "tool {tool_id:?}: {mismatch}"),
        }
    }
}

impl std::error::Error for SnapshotError {}

mod shared {
    use super::{Arc, ToolDescriptor};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &Arc<ToolDescriptor>, serializer: S) -> Result<S::Ok, S::Error> {
        (**value).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<ToolDescriptor>, D::Error> {
        ToolDescriptor::deserialize(deserializer).map(Arc::new)
    }
}
