//! A registry as a handler of the SDK.

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, ConstString, CustomRequest, CustomResult,
    ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use std::sync::Arc;
use tool_core::{PinnedTool, RawToolRegistry, ThreadId, ToolCall, ToolRuntime, WorkspaceId};

use crate::catalogue::Catalogue;
use crate::outcome::{answer, unknown_tool};
use crate::run::{Tools, run};
use crate::runs::Runs;
use crate::stdio::ServeError;

/// A registry, or a runtime, as an MCP server: a [`ServerHandler`], to be served on any transport of [`rmcp`].
///
/// Cloning shares the tools, so that a transport with a server a session takes a clone for each.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use rmcp::ServiceExt;
/// use tool_core::RawToolRegistry;
/// use tool_mcp::{ToolServer, rmcp};
///
/// let server = ToolServer::try_new(RawToolRegistry::default())?
///     .with_name("shop")
///     .with_version(env!("CARGO_PKG_VERSION"))
///     .with_instructions("Look an order up before you change it.");
/// # let (client, transport) = tokio::io::duplex(4096);
/// # drop(client);
/// let served = server.serve(transport).await; // or `server.serve_stdio().await`
/// # assert!(served.is_err());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct ToolServer {
    tools: Tools,
    catalogue: Arc<Catalogue>,
    config: ServerConfig,
}

impl ToolServer {
    /// Makes a server of the registry, or says all that is wrong with it ([`ServeError::Registry`]): it never serves
    /// fewer tools than the author wrote.
    ///
    /// A tool without a descriptor is hidden on purpose, and is neither listed nor called.
    pub fn try_new(registry: impl Into<Arc<RawToolRegistry>>) -> Result<Self, ServeError> {
        let registry = registry.into();
        let problems = registry.problems();
        if !problems.is_empty() {
            return Err(ServeError::Registry(problems));
        }
        let catalogue = Catalogue::of(registry.descriptors());
        Ok(Self::new(Tools::Registry(registry), catalogue))
    }

    /// Makes a server of the tools that a runtime is pinned to: its gates judge each call, its ledger records it, its limits
    /// hold.
    ///
    /// The requests belong to this conversation, and each is a run of its own: of what another touched, or of state that
    /// another staged, a call sees nothing. See the [crate's documentation](crate#over-a-runtime) for what a client is told
    /// of a call that waits, and for what becomes of one that was cut off. Two servers at the same time over one ledger
    /// have two conversations.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tool_core::{PinnedTool, RawToolRegistry, ThreadId, ToolRuntime, WorkspaceId};
    /// use tool_mcp::ToolServer;
    ///
    /// let runtime = ToolRuntime::builder(RawToolRegistry::default()).build()?;
    /// let server = ToolServer::over_runtime(runtime, WorkspaceId::new("acme"), ThreadId::new("desk 7"));
    /// # drop(server);
    /// # Ok(()) }
    /// ```
    pub fn over_runtime(runtime: ToolRuntime, workspace: WorkspaceId, thread: ThreadId) -> Self {
        let catalogue = Catalogue::of(runtime.snapshot().tools().iter().map(PinnedTool::descriptor));
        Self::new(Tools::Runtime(Arc::new(Runs::new(runtime, workspace, thread))), catalogue)
    }

    fn new(tools: Tools, catalogue: Catalogue) -> Self {
        let config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")));
        Self { tools, catalogue: Arc::new(catalogue), config }
    }

    /// Names the server; otherwise it has the name of this crate.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.config.server_info.name = name.into();
        self
    }

    /// Gives the server's own version; otherwise it has that of this crate.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.config.server_info.version = version.into();
        self
    }

    /// Tells a client's model how the tools are to be used together.
    #[must_use]
    pub fn with_instructions(mut self, instructions: impl Into<String>) -> Self {
        self.config.instructions = Some(instructions.into());
        self
    }
}

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.catalogue.get(name).map(|(_, tool)| tool.clone())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // There is one page, so that no cursor is one of ours; from the first page again, a client would never end.
        if request.is_some_and(|page| page.cursor.is_some()) {
            return Err(ErrorData::invalid_params("Unknown cursor: all tools are on the first page", None));
        }
        Ok(ListToolsResult::with_all_items(self.catalogue.tools(context.protocol_version().as_ref())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some((id, tool)) = self.catalogue.get(&request.name) else {
            return Err(unknown_tool(&request.name));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let place = self.tools.place(id, &arguments);
        let call = ToolCall::new(context.id.to_string(), Arc::clone(id), arguments);
        let outcome = run(&place, &call, &context.ct).await;
        Ok(answer(outcome, tool, context.protocol_version().as_ref())?.into())
    }

    /// The SDK takes a request whose parameters it cannot decode for one of an unknown method, and would answer that
    /// there is no `tools/call`. The fault's own words are left out: they would hold the arguments, and the SDK logs
    /// errors.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(match &*request.method {
            CallToolRequestMethod::VALUE => ErrorData::invalid_params(
                "Invalid params of tools/call: `name` is a string, and `arguments`, where given, a JSON object",
                None,
            ),
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
    }
}
