//! What a runtime is made of, and what it refuses to be made of.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use super::event::ToolObserver;
use super::limits::RunLimits;
use super::render::SpillPort;
use super::{Inner, PlannedTool, ToolRuntime};
use crate::descriptor::ToolDescriptor;
use crate::executor::ToolExecutor;
use crate::gate::ToolGate;
use crate::hook::AfterToolHook;
use crate::ledger::{MemoryLedger, OperationLedger};
use crate::problems::Problems;
use crate::recovery::RecoveryMismatch;
use crate::registry::RawToolRegistry;
use crate::snapshot::{ExecutableSnapshot, PinnedTool};
use crate::target::ToolExecutionTarget;

/// Collects the parts of a [`ToolRuntime`].
#[must_use]
pub struct ToolRuntimeBuilder {
    registry: Arc<RawToolRegistry>,
    snapshot: Option<ExecutableSnapshot>,
    sandbox: Option<Arc<dyn ToolExecutor>>,
    gates: Vec<Arc<dyn ToolGate>>,
    hooks: Vec<Arc<dyn AfterToolHook>>,
    observers: Vec<Arc<dyn ToolObserver>>,
    ledger: Arc<dyn OperationLedger>,
    limits: RunLimits,
    spill: Option<Arc<dyn SpillPort>>,
}

impl ToolRuntimeBuilder {
    pub(super) fn new(registry: Arc<RawToolRegistry>) -> Self {
        Self {
            registry,
            snapshot: None,
            sandbox: None,
            gates: Vec::new(),
            hooks: Vec::new(),
            observers: Vec::new(),
            ledger: Arc::new(MemoryLedger::new()),
            limits: RunLimits::default(),
            spill: None,
        }
    }

    /// Pins the tools to what they were; unless set, to what the registry offers now. Tools that are not in it cannot be
    /// called.
    pub fn snapshot(mut self, snapshot: ExecutableSnapshot) -> Self {
        self.snapshot = Some(snapshot);
        self
    }

    /// Executes the tools whose target is the sandbox. Their arguments are read here, by the registry's own tool.
    pub fn sandbox(mut self, executor: impl ToolExecutor + 'static) -> Self {
        self.sandbox = Some(Arc::new(executor));
        self
    }

    /// Adds a gate: every gate has to allow a call. Without any, a call of a tool that is not read-only waits for a
    /// person's approval ([`Rules::default`](crate::Rules)).
    pub fn gate(mut self, gate: impl ToolGate + 'static) -> Self {
        self.gates.push(Arc::new(gate));
        self
    }

    /// Adds a hook; they run in the order in which they were added.
    pub fn hook(mut self, hook: impl AfterToolHook + 'static) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }

    /// Tells an observer of all that happens.
    pub fn observer(mut self, observer: Arc<dyn ToolObserver>) -> Self {
        self.observers.push(observer);
        self
    }

    /// Where operations are recorded; in memory unless set, which survives no crash.
    pub fn ledger(mut self, ledger: impl OperationLedger + 'static) -> Self {
        self.ledger = Arc::new(ledger);
        self
    }

    /// What is allowed where a tool says nothing itself.
    pub fn limits(mut self, limits: RunLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Where results go that are too long for the model; unless set, what is left out of them is lost.
    pub fn spill(mut self, port: impl SpillPort + 'static) -> Self {
        self.spill = Some(Arc::new(port));
        self
    }

    /// The runtime, or all that is wrong with it.
    pub fn build(self) -> Result<ToolRuntime, RuntimeProblems> {
        let mut problems: Vec<RuntimeProblem> =
            self.registry.problems().iter().map(|problem| RuntimeProblem::Registry(problem.to_string())).collect();
        let snapshot = self.snapshot.unwrap_or_else(|| ExecutableSnapshot::of(&self.registry));
        let mut tools = HashMap::default();
        for pinned in snapshot.tools() {
            match planned(pinned, &self.registry, self.sandbox.as_deref()) {
                Ok(tool) => drop(tools.insert(Arc::from(tool.descriptor.id()), Arc::new(tool))),
                Err(found) => problems.extend(found),
            }
        }
        if !problems.is_empty() {
            return Err(RuntimeProblems::new(problems));
        }
        let gates = if self.gates.is_empty() { vec![super::default_gate()] } else { self.gates };
        Ok(ToolRuntime {
            inner: Arc::new(Inner {
                tools,
                snapshot,
                registry: self.registry,
                sandbox: self.sandbox,
                judges_in_turn: gates.iter().any(|gate| gate.minds_earlier_calls()),
                gates,
                hooks: self.hooks,
                observers: self.observers.into(),
                ledger: self.ledger,
                limits: self.limits,
                spill: self.spill,
                runs: Mutex::default(),
            }),
        })
    }
}

impl fmt::Debug for ToolRuntimeBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRuntimeBuilder").field("registry", &self.registry).finish_non_exhaustive()
    }
}

/// One tool as a run may use it, or all that stands in its way.
fn planned(
    pinned: &PinnedTool,
    registry: &RawToolRegistry,
    sandbox: Option<&dyn ToolExecutor>,
) -> Result<PlannedTool, Vec<RuntimeProblem>> {
    let id = pinned.descriptor().id();
    let tool_id = || id.to_owned();
    let Some((tool, descriptor)) = registry.get(id).zip(registry.descriptor(id)) else {
        return Err(vec![RuntimeProblem::Missing { tool_id: tool_id() }]);
    };
    let mut problems: Vec<RuntimeProblem> = changes(pinned.descriptor(), descriptor)
        .map(|what| RuntimeProblem::Changed { tool_id: tool_id(), what })
        .collect();
    let capability = match (descriptor.execution_target(), sandbox) {
        (ToolExecutionTarget::Brain, _) => tool.recovery_capability(),
        (ToolExecutionTarget::Sandbox, Some(sandbox)) => sandbox.recovery_capability(descriptor.id()),
        (ToolExecutionTarget::Sandbox, None) => {
            problems.push(RuntimeProblem::NoSandbox { tool_id: tool_id() });
            tool.recovery_capability()
        }
    };
    if let Err(mismatch) = pinned.policy().check(capability) {
        problems.push(RuntimeProblem::Recovery { tool_id: tool_id(), mismatch });
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(PlannedTool { tool: Arc::clone(tool), descriptor: Arc::clone(descriptor), policy: pinned.policy() })
}

/// What is no longer as it was pinned.
fn changes(pinned: &ToolDescriptor, found: &ToolDescriptor) -> impl Iterator<Item = &'static str> {
    let differs = [
        ("description or schema", pinned.identity() != found.identity()),
        ("recovery capability", pinned.recovery_capability() != found.recovery_capability()),
        ("execution target", pinned.execution_target() != found.execution_target()),
        ("annotations", pinned.annotations() != found.annotations()),
        ("behaviour", pinned.behaviour() != found.behaviour()),
        ("secret arguments", pinned.secrets() != found.secrets()),
    ];
    differs.into_iter().filter_map(|(what, differs)| differs.then_some(what))
}

/// One thing that stands in the way of a runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimeProblem {
    /// A problem of the registry, in its words.
    Registry(String),
    /// A pinned tool is not in the registry, or cannot be called there.
    Missing {
        /// The tool.
        tool_id: String,
    },
    /// A tool is no longer what was pinned.
    Changed {
        /// The tool.
        tool_id: String,
        /// What of it.
        what: &'static str,
    },
    /// A tool runs in the sandbox, and there is none.
    NoSandbox {
        /// The tool.
        tool_id: String,
    },
    /// Whoever executes the tool cannot keep its recovery mode.
    Recovery {
        /// The tool.
        tool_id: String,
        /// Why not.
        mismatch: RecoveryMismatch,
    },
}

impl fmt::Display for RuntimeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registry(problem) => f.write_str(problem),
            Self::Missing { tool_id } => {
                write!(f, "tool {tool_id:?} is pinned and not registered; register it, or take it out of the snapshot")
            }
            Self::Changed { tool_id, what } => write!(
                f,
                "the {what} of tool {tool_id:?} changed since it was pinned; go on with the build that the run began \
                 with, or begin a new run with a new snapshot"
            ),
            Self::NoSandbox { tool_id } => {
                write!(f, "tool {tool_id:?} runs in the sandbox; give the runtime a sandbox executor")
            }
            Self::Recovery { tool_id, mismatch } => write!(f, "tool {tool_id:?}: {mismatch}"),
        }
    }
}

/// All that stands in the way of a runtime.
pub type RuntimeProblems = Problems<RuntimeProblem>;
