//! Tools by their ids.

use async_trait::async_trait;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use crate::args::ArgumentLimits;
use crate::behaviour::{ArgumentMode, ToolBehaviour};
use crate::call::ToolCall;
use crate::contain::{Panicked, caught_now, panicked};
use crate::descriptor::ToolDescriptor;
use crate::error::ToolError;
use crate::executor::ToolExecutor;
use crate::id_hash::IdHash;
use crate::output::ToolOutput;
use crate::problems::Problems;
use crate::raw::RawTool;
use crate::recovery::ToolRecoveryCapability;
use crate::schema;
use crate::secrets;

/// Erased tools by their ids, in the order in which they came.
///
/// It fails closed: a tool with a [problem](Self::problems) is neither offered nor called. An id that was inserted
/// twice is ambiguous for good, even for the same object.
///
/// Schemas are generated once a tool, when it is first listed or called.
#[derive(Default)]
pub struct RawToolRegistry {
    slots: Vec<Slot>,
    by_id: HashMap<Arc<str>, usize, IdHash>,
    argument_mode: ArgumentMode,
    argument_limits: Option<ArgumentLimits>,
}

struct Slot {
    id: Arc<str>,
    /// `None` once the id is ambiguous.
    tool: Option<Arc<dyn RawTool>>,
    admission: OnceLock<Admission>,
}

/// Whether a tool is offered and called: its descriptor, if it has one, or what is wrong with it.
type Admission = Result<Option<Arc<ToolDescriptor>>, Vec<RegistryProblem>>;

impl RawToolRegistry {
    /// Collects the tools. Always gives a registry; [`problems`](Self::problems) lists what is wrong with it, and
    /// [`try_new`](Self::try_new) refuses it for that.
    pub fn new<I>(tools: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Arc<dyn RawTool>>,
    {
        let tools = tools.into_iter();
        let (count, _) = tools.size_hint();
        let by_id = HashMap::with_capacity_and_hasher(count, IdHash::default());
        let mut registry = Self { slots: Vec::with_capacity(count), by_id, ..Self::default() };
        tools.for_each(|tool| registry.insert(tool));
        registry
    }

    /// Collects the tools, or says all that is wrong with them.
    pub fn try_new<I>(tools: I) -> Result<Self, RegistryProblems>
    where
        I: IntoIterator,
        I::Item: Into<Arc<dyn RawTool>>,
    {
        let registry = Self::new(tools);
        let problems = registry.problems();
        if problems.is_empty() { Ok(registry) } else { Err(RegistryProblems::new(problems)) }
    }

    /// Reads the arguments of every tool in this mode, and says so in its descriptor, by which a provider's strict export
    /// knows what may be asked of a model; a tool that is strict itself stays so. Lenient unless set.
    #[must_use]
    pub fn with_argument_mode(mut self, mode: ArgumentMode) -> Self {
        self.argument_mode = mode;
        for slot in &mut self.slots {
            slot.admission = OnceLock::new(); // it holds a descriptor with the mode as it was
        }
        self
    }

    /// Holds the arguments of every tool to these limits.
    #[must_use]
    pub fn with_argument_limits(self, limits: ArgumentLimits) -> Self {
        Self { argument_limits: Some(limits), ..self }
    }

    /// Adds a tool. A second tool of the same id makes the id ambiguous, and neither can be called again.
    pub fn insert(&mut self, tool: impl Into<Arc<dyn RawTool>>) {
        let tool = tool.into();
        let id: Arc<str> = tool.id().into();
        match self.by_id.entry(Arc::clone(&id)) {
            Entry::Vacant(entry) => {
                entry.insert(self.slots.len());
                self.slots.push(Slot { id, tool: Some(tool), admission: OnceLock::new() });
            }
            Entry::Occupied(entry) => {
                if let Some(slot) = self.slots.get_mut(*entry.get()) {
                    slot.tool = None;
                    slot.admission = OnceLock::new();
                }
            }
        }
    }

    /// What is wrong with the tools, in their order. Each of these tools is closed.
    pub fn problems(&self) -> Vec<RegistryProblem> {
        self.slots.iter().filter_map(|slot| self.admission(slot).as_ref().err()).flatten().cloned().collect()
    }

    /// The descriptors of the tools that are offered to a model, in the order in which the tools came.
    pub fn descriptors(&self) -> impl Iterator<Item = &Arc<ToolDescriptor>> {
        self.slots.iter().filter_map(|slot| self.admission(slot).as_ref().ok()?.as_ref())
    }

    /// The tools that may be called, in the order in which they came; also those that are not offered.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn RawTool>> {
        self.slots.iter().filter(|slot| self.admission(slot).is_ok()).filter_map(|slot| slot.tool.as_ref())
    }

    /// The one tool of this id that may be called.
    pub fn get(&self, tool_id: &str) -> Option<&Arc<dyn RawTool>> {
        self.resolve(tool_id).ok()
    }

    /// The tool of this id as it is offered.
    #[cfg(feature = "runtime")]
    pub(crate) fn descriptor(&self, tool_id: &str) -> Option<&Arc<ToolDescriptor>> {
        let slot = self.by_id.get(tool_id).and_then(|position| self.slots.get(*position))?;
        self.admission(slot).as_ref().ok()?.as_ref()
    }

    /// How many ids there are, closed ones included.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Executes one call, as [`ToolExecutor::invoke`] does, without its box. A panic of the tool is contained: it is a
    /// [`ToolError::Execution`] without the panic's message.
    pub fn dispatch<'a>(
        &'a self,
        call: &'a ToolCall,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send + 'a {
        Dispatch { registry: self, call, running: None }
    }

    /// The tool's own future. It starts when it is first polled.
    #[inline]
    fn start<'a>(&'a self, call: &'a ToolCall) -> Result<Running<'a>, ToolError> {
        let tool = self.resolve(&call.tool_id)?;
        Ok(if self.has_rules() { tool.invoke(self.as_read_here(call.clone())) } else { tool.invoke_lent(call) })
    }

    /// Whether this registry has rules for arguments beside those of its tools.
    fn has_rules(&self) -> bool {
        self.argument_mode == ArgumentMode::Strict || self.argument_limits.is_some()
    }

    /// The call with its arguments under this registry's rules.
    pub(crate) fn as_read_here(&self, mut call: ToolCall) -> ToolCall {
        if self.argument_mode == ArgumentMode::Strict {
            call.arguments = call.arguments.with_mode(ArgumentMode::Strict);
        }
        if let Some(limits) = self.argument_limits {
            call.arguments = call.arguments.with_limits(limits);
        }
        call
    }

    fn admission<'s>(&self, slot: &'s Slot) -> &'s Admission {
        slot.admission.get_or_init(|| match &slot.tool {
            Some(tool) => {
                let descriptor = tool.descriptor().map(|descriptor| held_to(self.argument_mode, descriptor));
                admit(&slot.id, descriptor, &tool.secrets())
            }
            None => Err(vec![RegistryProblem::AmbiguousId { tool_id: slot.id.to_string() }]),
        })
    }

    #[inline]
    fn resolve(&self, tool_id: &str) -> Result<&Arc<dyn RawTool>, ToolError> {
        let slot = self.by_id.get(tool_id).and_then(|position| self.slots.get(*position));
        match slot.map(|slot| (&slot.tool, self.admission(slot))) {
            Some((Some(tool), Ok(_))) => Ok(tool),
            Some((_, admission)) => Err(closed(tool_id, admission)),
            None => Err(ToolError::unknown(tool_id, "no tool is registered under this id")),
        }
    }
}

/// Why a tool that is there may not be called.
#[cold]
fn closed(tool_id: &str, admission: &Admission) -> ToolError {
    match admission {
        Err(problems) => ToolError::unknown(tool_id, RegistryProblems::new(problems.clone()).to_string()),
        Ok(_) => ToolError::unknown(tool_id, "its id is ambiguous"),
    }
}

/// One call. Written as a future, since an output that goes through an `async` block is moved once more.
struct Dispatch<'a> {
    registry: &'a RawToolRegistry,
    call: &'a ToolCall,
    running: Option<Running<'a>>,
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send + 'a>>;

impl Future for Dispatch<'_> {
    type Output = Result<ToolOutput, ToolError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { registry, call, running } = &mut *self;
        // Started in here, so that a panic before the tool's first await is contained as well.
        let polled = caught_now(|| match running {
            Some(running) => running.as_mut().poll(context),
            None => running.insert(registry.start(call)?).as_mut().poll(context),
        });
        let mut answer = polled.unwrap_or_else(|Panicked| Poll::Ready(panicked()));
        match &mut answer {
            Poll::Ready(Ok(output)) => output.call_id = String::from(&*call.call_id),
            Poll::Ready(Err(ToolError::Failed(text))) => {
                let output = ToolOutput::error(std::mem::take(text));
                return Poll::Ready(Ok(output.with_call_id(&*call.call_id)));
            }
            _ => {}
        }
        answer
    }
}

#[async_trait]
impl ToolExecutor for RawToolRegistry {
    fn recovery_capability(&self, tool_id: &str) -> ToolRecoveryCapability {
        self.get(tool_id).map_or(ToolRecoveryCapability::NonRecoverable, |tool| tool.recovery_capability())
    }

    async fn invoke(&self, call: &ToolCall) -> Result<ToolOutput, ToolError> {
        self.dispatch(call).await
    }
}

impl fmt::Debug for RawToolRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.slots.iter().map(|slot| &slot.id)).finish()
    }
}

/// The descriptor with the mode in which the tool's arguments are read here. Its identity is the same.
fn held_to(mode: ArgumentMode, descriptor: Arc<ToolDescriptor>) -> Arc<ToolDescriptor> {
    if mode == ArgumentMode::Lenient || descriptor.behaviour().argument_mode == mode {
        return descriptor;
    }
    let behaviour = ToolBehaviour { argument_mode: mode, ..descriptor.behaviour().clone() };
    Arc::new(Arc::unwrap_or_clone(descriptor).with_behaviour(behaviour))
}

/// Looks a tool over before it is offered or called for the first time.
fn admit(id: &str, descriptor: Option<Arc<ToolDescriptor>>, secrets: &[String]) -> Admission {
    let tool_id = || id.to_owned();
    let mut problems = Vec::new();
    if id.is_empty() {
        problems.push(RegistryProblem::EmptyId);
    }
    if let Some(descriptor) = &descriptor {
        if descriptor.id() != id {
            problems
                .push(RegistryProblem::ForeignDescriptor { tool_id: tool_id(), described: descriptor.id().to_owned() });
        }
        if !schema::has_object_root(descriptor.input_schema()) {
            problems.push(RegistryProblem::NonObjectArguments { tool_id: tool_id() });
        }
        problems.extend(
            descriptor
                .unenforceable()
                .map(|reason| RegistryProblem::UnenforceableSchema { tool_id: tool_id(), reason: reason.to_owned() }),
        );
        problems.extend(
            descriptor
                .reserved_properties()
                .iter()
                .map(|path| RegistryProblem::ReservedProperty { tool_id: tool_id(), path: path.clone() }),
        );
        let mut paths: Vec<String> = descriptor.secrets().iter().chain(secrets).cloned().collect();
        paths.sort();
        paths.dedup();
        problems.extend(
            paths
                .into_iter()
                .filter(|path| !secrets::names_a_property(descriptor.input_schema(), path))
                .map(|path| RegistryProblem::UnknownSecret { tool_id: tool_id(), path }),
        );
    }
    if problems.is_empty() { Ok(descriptor) } else { Err(problems) }
}

/// One thing that is wrong with a registry's tools; its text says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryProblem {
    /// The id was inserted more than once.
    AmbiguousId {
        /// The id.
        tool_id: String,
    },
    /// A tool has the empty text as its id.
    EmptyId,
    /// A tool's descriptor bears another id.
    ForeignDescriptor {
        /// The tool's id.
        tool_id: String,
        /// The descriptor's.
        described: String,
    },
    /// The argument type has no object form.
    NonObjectArguments {
        /// The tool.
        tool_id: String,
    },
    /// The schema of the arguments promises what is not enforced.
    UnenforceableSchema {
        /// The tool.
        tool_id: String,
        /// What, and where.
        reason: String,
    },
    /// A property of the arguments bears the name of a runtime coordinate.
    ReservedProperty {
        /// The tool.
        tool_id: String,
        /// Where: `job.run_id`.
        path: String,
    },
    /// A secret of the tool is none of its arguments; misspelt, perhaps, so that the secret itself would be shown.
    UnknownSecret {
        /// The tool's id.
        tool_id: String,
        /// The path: `login.passwrod`.
        path: String,
    },
}

impl fmt::Display for RegistryProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AmbiguousId { tool_id } => {
                write!(f, "tool id {tool_id:?} was registered more than once; give each tool an id of its own")
            }
            Self::EmptyId => f.write_str("a tool has an empty id; name it"),
            Self::ForeignDescriptor { tool_id, described } => {
                write!(f, "tool {tool_id:?} hands out the descriptor of {described:?}; describe it under its own id")
            }
            Self::NonObjectArguments { tool_id } => write!(
                f,
                "the arguments of tool {tool_id:?} are not a JSON object; put them into the fields of a struct"
            ),
            Self::UnenforceableSchema { tool_id, reason } => write!(
                f,
                "the schema of tool {tool_id:?} promises what its arguments are not held to: {reason}; say it otherwise, \
                 or leave it out"
            ),
            Self::ReservedProperty { tool_id, path } => write!(
                f,
                "argument `{path}` of tool {tool_id:?} is named for a runtime coordinate, which no model may author; \
                 read it from the ToolContext, or list it in `Tool::NOT_RUNTIME` if it is a business field"
            ),
            Self::UnknownSecret { tool_id, path } => write!(
                f,
                "secret `{path}` of tool {tool_id:?} is none of its arguments, so that a misspelt one would be shown; list \
                 the paths of properties as the schema has them (`login.password`), and of a map the whole property"
            ),
        }
    }
}

/// All that is wrong with a registry's tools, in their order.
pub type RegistryProblems = Problems<RegistryProblem>;
