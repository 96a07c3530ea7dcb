//! The identity of the operation that a running tool performs.

use hmac_sha256::Hash;
use std::fmt;
use std::sync::Arc;

use crate::context::ToolContext;
use crate::coordinates::{OperationId, RunId, ThreadId, WorkspaceId};
use crate::hex;

/// Which operation is running: workspace, thread, run and the operation's place in the run.
///
/// A runtime makes one for each call and runs the tool inside [`scope_tool_operation`]; a tool reads it from
/// `#[context] cx: &ToolContext` or from [`current_tool_operation_context`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ToolOperationContext(
    // One count of references, since a call's context is cloned at nearly every stage.
    Arc<Operation>,
);

#[derive(PartialEq, Eq, Hash)]
struct Operation {
    /// Shared by the operations of a run.
    place: Arc<Place>,
    id: OperationId,
}

/// One run of one conversation of one workspace.
#[derive(PartialEq, Eq)]
struct Place {
    run: RunId,
    thread: ThreadId,
    workspace: WorkspaceId,
    /// The SHA-256 of the three, which every operation of the run starts from.
    digest: [u8; 32],
}

impl std::hash::Hash for Place {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        // As good as all of it.
        state.write_u64(u64::from_le_bytes(self.digest.first_chunk().copied().unwrap_or_default()));
    }
}

/// The SHA-256 of a run's coordinates, each with its length, so that a delimiter inside one cannot make two runs one.
fn digest_of(workspace: &WorkspaceId, thread: &ThreadId, run: &RunId) -> [u8; 32] {
    let mut hash = Hash::new();
    hash.update(b"tool-core/operation/v1");
    for part in [workspace.as_str(), thread.as_str(), run.as_str()] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize()
}

/// How many bytes of a ledger id are the run's.
const RUN_PART: usize = 8;

/// What the ids of a run's operations start with, so that a ledger that sorts by id has a run in one place.
#[cfg(feature = "runtime")]
pub(crate) fn ledger_prefix(workspace: &WorkspaceId, thread: &ThreadId, run: &RunId) -> String {
    hex::encode(&digest_of(workspace, thread, run)[..RUN_PART])
}

impl ToolOperationContext {
    /// Puts the four coordinates together.
    pub fn new(workspace: WorkspaceId, thread: ThreadId, run: RunId, operation: OperationId) -> Self {
        let digest = digest_of(&workspace, &thread, &run);
        Self::at(Arc::new(Place { run, thread, workspace, digest }), operation)
    }

    /// Another operation of the same run.
    #[cfg(feature = "runtime")]
    pub(crate) fn beside(&self, operation: OperationId) -> Self {
        Self::at(Arc::clone(&self.0.place), operation)
    }

    fn at(place: Arc<Place>, id: OperationId) -> Self {
        Self(Arc::new(Operation { place, id }))
    }

    /// The run.
    pub fn run_id(&self) -> &RunId {
        &self.0.place.run
    }

    /// The conversation.
    pub fn thread_id(&self) -> &ThreadId {
        &self.0.place.thread
    }

    /// The workspace.
    pub fn workspace_id(&self) -> &WorkspaceId {
        &self.0.place.workspace
    }

    /// The operation's place in the run.
    pub fn operation_id(&self) -> &OperationId {
        &self.0.id
    }

    /// The run that the operation belongs to.
    #[cfg(feature = "runtime")]
    pub fn scope(&self) -> crate::ledger::RunScope {
        crate::ledger::RunScope::new(self.workspace_id().clone(), self.thread_id().clone(), self.run_id().clone())
    }

    /// The token under which this operation deduplicates; `None` where any coordinate is empty, since an empty id
    /// would make two operations one.
    pub fn token(&self) -> Option<ToolOperationToken> {
        let Operation { place, id } = &*self.0;
        let parts = [place.workspace.as_str(), place.thread.as_str(), place.run.as_str(), id.as_str()];
        (!parts.iter().any(|part| part.is_empty())).then(|| ToolOperationToken { operation: self.clone() })
    }

    /// [`ToolOperationToken::ledger_id`], also where an empty coordinate allows no token: what a ledger finds it by.
    pub fn ledger_id(&self) -> String {
        let run = &self.0.place.digest;
        let mut hash = Hash::new();
        hash.update(run);
        // The last part needs no length.
        hash.update(self.operation_id().as_str());
        let mut id = hash.finalize();
        id[..RUN_PART].copy_from_slice(&run[..RUN_PART]);
        hex::encode(&id)
    }
}

impl fmt::Debug for ToolOperationContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolOperationContext")
            .field("workspace", self.workspace_id())
            .field("thread", self.thread_id())
            .field("run", self.run_id())
            .field("operation", self.operation_id())
            .finish()
    }
}

/// The identity of one operation, the same in every attempt at it: what an idempotent tool hands to the service it
/// calls. Not decodable by serde and without a JSON Schema, like the coordinates ([`RunId`] and its kin) it is made of.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolOperationToken {
    operation: ToolOperationContext,
}

impl ToolOperationToken {
    /// The operation that this token names.
    pub fn operation(&self) -> &ToolOperationContext {
        &self.operation
    }

    /// The token as a ledger's or a service's key: 64 lower-case hexadecimal digits. The first 16 are of the SHA-256 of
    /// workspace, thread and run, and the same for all operations of a run; the other 48 of the SHA-256 of the whole tuple.
    /// Each part is hashed with its length, so that a delimiter inside an id cannot make two operations one.
    pub fn ledger_id(&self) -> String {
        self.operation.ledger_id()
    }
}

impl fmt::Debug for ToolOperationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolOperationToken({})", self.ledger_id())
    }
}

/// The operation that the running tool performs; `None` outside a runtime's scope.
///
/// The scope follows the task, not the thread: code under `tokio::spawn` is outside it, so take what it needs along.
pub fn current_tool_operation_context() -> Option<ToolOperationContext> {
    ToolContext::current().operation().cloned()
}

/// The token of the running operation; `None` outside a runtime's scope and where a coordinate is empty.
pub fn current_tool_operation_token() -> Option<ToolOperationToken> {
    ToolContext::current().operation_token()
}

/// Runs `future` as the operation `operation`, keeping the cancellation of the surrounding scope.
///
/// ```
/// # use tool_core::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let operation = ToolOperationContext::new(
///     WorkspaceId::new("acme"), ThreadId::new("t1"), RunId::new("r1"), OperationId::at(0, 0),
/// );
/// let token = scope_tool_operation(operation, async { current_tool_operation_token() }).await;
/// assert_eq!(token.unwrap().ledger_id().len(), 64);
/// assert!(current_tool_operation_token().is_none());
/// # }
/// ```
pub async fn scope_tool_operation<F: Future>(operation: ToolOperationContext, future: F) -> F::Output {
    ToolContext::current().with_operation(operation).scope(future).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(workspace: &str, thread: &str, run: &str, operation: &str) -> ToolOperationContext {
        ToolOperationContext::new(
            WorkspaceId::new(workspace),
            ThreadId::new(thread),
            RunId::new(run),
            OperationId::new(operation),
        )
    }

    #[test]
    fn delimiters_inside_an_id_keep_operations_apart() {
        let ids = [
            operation("a/b", "c", "d", "e"),
            operation("a", "b/c", "d", "e"),
            operation("a", "b", "c/d", "e"),
            operation("ab", "c", "d", "e"),
            operation("a", "bc", "d", "e"),
        ]
        .map(|operation| operation.token().unwrap().ledger_id());
        let distinct: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    }

    #[test]
    fn the_ledger_id_is_fixed_for_all_time() {
        // A ledger on disk outlives a build: a changed value here orphans every recorded operation.
        let id = operation("acme", "t1", "r1", "step-0/call-0").token().unwrap().ledger_id();
        assert_eq!(id, "86e2a96e1fcc4e33b480f84c257c9566d939a9070cec2eb9ea98b22f9a50afbf");
    }

    #[test]
    fn an_empty_id_yields_no_token() {
        for empty in 0..4 {
            let mut parts = ["w", "t", "r", "o"];
            parts[empty] = "";
            assert!(operation(parts[0], parts[1], parts[2], parts[3]).token().is_none(), "{parts:?}");
        }
    }

    #[test]
    #[cfg(feature = "runtime")]
    fn operations_of_one_run_have_their_first_digits_in_common_and_no_others() {
        let prefix = |operation: &ToolOperationContext| operation.scope().ledger_prefix();
        let (one, two) = (operation("w", "t", "r", "1"), operation("w", "t", "r", "2"));
        assert_eq!(prefix(&one), prefix(&two));
        assert_eq!(prefix(&one).len(), 16);
        assert!([&one, &two].iter().all(|each| each.ledger_id().starts_with(&prefix(&one))));
        assert_ne!(one.ledger_id()[16..32], two.ledger_id()[16..32]);
        for other in [operation("v", "t", "r", "1"), operation("w", "s", "r", "1"), operation("w", "t", "q", "1")] {
            assert_ne!(prefix(&other), prefix(&one));
            assert_ne!(other.ledger_id()[16..], one.ledger_id()[16..], "the rest tells them apart too");
        }
    }

    #[tokio::test]
    async fn a_scope_ends_with_its_future_and_does_not_reach_spawned_tasks() {
        assert!(current_tool_operation_context().is_none());
        let outer = operation("w", "t", "r", "outer");
        let inner = operation("w", "t", "r", "inner");
        scope_tool_operation(outer.clone(), async {
            assert_eq!(current_tool_operation_context(), Some(outer.clone()));
            scope_tool_operation(inner.clone(), async {
                assert_eq!(current_tool_operation_context(), Some(inner.clone()));
            })
            .await;
            assert_eq!(current_tool_operation_context(), Some(outer.clone()));
            let spawned = tokio::spawn(async { current_tool_operation_context() });
            assert_eq!(spawned.await.unwrap(), None);
        })
        .await;
        assert!(current_tool_operation_context().is_none());
    }
}
