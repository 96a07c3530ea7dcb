//! Tools written by hand, and clients over an in-process transport.
#![allow(dead_code, reason = "each test file uses its own part")]

use rmcp::model::{CallToolRequestParams, CallToolResult, ErrorData, JsonObject, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService, ServiceError, ServiceExt};
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tool_core::{RawTool, RawToolRegistry, ToolCall, ToolDescriptor, ToolError, ToolOutput, async_trait};
use tool_mcp::ToolServer;

pub(crate) type Client = RunningService<RoleClient, ()>;
type Answer = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send>>;

/// A raw tool whose body is a closure.
struct Scripted {
    id: String,
    descriptor: Option<Arc<ToolDescriptor>>,
    body: Box<dyn Fn(ToolCall) -> Answer + Send + Sync>,
}

#[async_trait]
impl RawTool for Scripted {
    fn id(&self) -> &str {
        &self.id
    }

    fn descriptor(&self) -> Option<Arc<ToolDescriptor>> {
        self.descriptor.clone()
    }

    async fn invoke(&self, call: ToolCall) -> Result<ToolOutput, ToolError> {
        (self.body)(call).await
    }
}

/// A tool as `descriptor` has it.
pub(crate) fn described<F, A>(descriptor: ToolDescriptor, body: F) -> Arc<dyn RawTool>
where
    F: Fn(ToolCall) -> A + Send + Sync + 'static,
    A: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    let body = Box::new(move |call| Box::pin(body(call)) as Answer);
    Arc::new(Scripted { id: descriptor.id().to_owned(), descriptor: Some(Arc::new(descriptor)), body })
}

/// A tool that takes whatever it is given.
pub(crate) fn tool<F, A>(id: &str, body: F) -> Arc<dyn RawTool>
where
    F: Fn(ToolCall) -> A + Send + Sync + 'static,
    A: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    described(descriptor(id), body)
}

/// A tool that is not offered.
pub(crate) fn hidden(id: &str) -> Arc<dyn RawTool> {
    let body = Box::new(|_| Box::pin(async { Ok(ToolOutput::ok("seen")) }) as Answer);
    Arc::new(Scripted { id: id.to_owned(), descriptor: None, body })
}

/// A tool that always answers the same.
pub(crate) fn answering(id: &str, answer: Result<ToolOutput, ToolError>) -> Arc<dyn RawTool> {
    tool(id, move |_| std::future::ready(answer.clone()))
}

pub(crate) fn descriptor(id: &str) -> ToolDescriptor {
    ToolDescriptor::new("test", id, format!("Does {id}."), json!({"type": "object"}), None)
}

pub(crate) fn registry(tools: impl IntoIterator<Item = Arc<dyn RawTool>>) -> RawToolRegistry {
    RawToolRegistry::new(tools)
}

/// Serves the tools in a task, which ends with the connection.
pub(crate) fn served(tools: impl IntoIterator<Item = Arc<dyn RawTool>>) -> (DuplexStream, JoinHandle<()>) {
    connected_to(ToolServer::try_new(registry(tools)).unwrap())
}

/// Serves in a task, which ends with the connection.
pub(crate) fn connected_to(server: ToolServer) -> (DuplexStream, JoinHandle<()>) {
    let (near, far) = tokio::io::duplex(4096);
    let serving = tokio::spawn(async move {
        server.serve(far).await.unwrap().waiting().await.unwrap();
    });
    (near, serving)
}

/// A client of the tools that shook hands, as all did before protocol version 2026-07-28.
pub(crate) async fn client_of(tools: impl IntoIterator<Item = Arc<dyn RawTool>>) -> Client {
    ().serve(served(tools).0).await.unwrap()
}

/// A client of the tools over protocol version 2026-07-28.
pub(crate) async fn modern_client_of(tools: impl IntoIterator<Item = Arc<dyn RawTool>>) -> Client {
    let lifecycle = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    ().serve_with_lifecycle(served(tools).0, lifecycle).await.unwrap()
}

pub(crate) fn request(name: &str, arguments: &Value) -> CallToolRequestParams {
    let object: JsonObject = arguments.as_object().unwrap().clone();
    CallToolRequestParams::new(name.to_owned()).with_arguments(object)
}

pub(crate) async fn call(client: &Client, name: &str, arguments: Value) -> CallToolResult {
    in_time(client.call_tool(request(name, &arguments))).await.unwrap()
}

/// The JSON-RPC error that a call is answered with.
pub(crate) async fn refused(client: &Client, name: &str) -> ErrorData {
    match in_time(client.call_tool(request(name, &json!({})))).await {
        Err(ServiceError::McpError(error)) => error,
        other => panic!("expected a JSON-RPC error, got {other:?}"),
    }
}

/// A result as it is on the wire.
pub(crate) fn wire(result: &CallToolResult) -> Value {
    serde_json::to_value(result).unwrap()
}

/// Fails a test that would otherwise hang.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("no answer within 20 seconds")
}

/// A client that writes and reads lines, for what the SDK's own client would not send.
pub(crate) struct LineClient {
    from_server: Lines<BufReader<ReadHalf<DuplexStream>>>,
    to_server: WriteHalf<DuplexStream>,
}

impl LineClient {
    pub(crate) async fn of(tools: impl IntoIterator<Item = Arc<dyn RawTool>>) -> Self {
        let (from_server, to_server) = tokio::io::split(served(tools).0);
        let mut client = Self { from_server: BufReader::new(from_server).lines(), to_server };
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "lines", "version": "0"}}});
        client.ask(&hello).await;
        client
    }

    /// Sends the request and gives the next message that comes.
    pub(crate) async fn ask(&mut self, request: &Value) -> Value {
        self.send(format!("{request}\n").as_bytes()).await;
        self.receive().await
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.to_server.write_all(bytes).await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let line = in_time(self.from_server.next_line()).await.unwrap().expect("the server hung up");
        serde_json::from_str(&line).unwrap()
    }
}
