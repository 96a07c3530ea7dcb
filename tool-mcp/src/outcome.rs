//! From what a call comes to, to what the client is told.

use rmcp::model::{CallToolResult, ErrorData, ProtocolVersion, Tool};
use serde_json::Value;
use tool_core::{ToolError, ToolOutput};

use crate::content;

/// The JSON-RPC error for a name that is not offered.
pub(crate) fn unknown_tool(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Unknown tool: {name}"), None)
}

/// What the client is told of a call of `tool`, over this version of the protocol.
///
/// A tool may itself report a tool that it does not know, such as one behind it: that is its failure, and a result.
pub(crate) fn answer(
    outcome: Result<ToolOutput, ToolError>,
    tool: &Tool,
    version: Option<&ProtocolVersion>,
) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(output) => Ok(result(output, tool, version)),
        Err(ToolError::Unknown { tool_id, .. }) if tool_id == tool.name => Err(unknown_tool(&tool_id)),
        Err(error) => Ok(result(ToolOutput::for_error(&error), tool, version)),
    }
}

/// Whether structured content, and so an output schema, may be other than an object.
pub(crate) fn takes_any_value(version: Option<&ProtocolVersion>) -> bool {
    version.is_some_and(|version| version >= &ProtocolVersion::V_2026_07_28)
}

fn result(output: ToolOutput, tool: &Tool, version: Option<&ProtocolVersion>) -> CallToolResult {
    let structured = structured_content(&output, tool, version);
    let blocks = output.content.into_iter().map(content::block).collect();
    let mut result = if output.is_error { CallToolResult::error(blocks) } else { CallToolResult::success(blocks) };
    result.structured_content = structured;
    result
}

/// The rules are in the crate's documentation. The SDK would put a value that it takes away into a block of its own;
/// here the blocks are already all that the tool shows.
fn structured_content(output: &ToolOutput, tool: &Tool, version: Option<&ProtocolVersion>) -> Option<Value> {
    if output.is_error && tool.output_schema.is_some() {
        return None;
    }
    output.structured_content().filter(|value| {
        // A bare text is no structure, unless the tool has described it.
        value.is_object() || takes_any_value(version) && (tool.output_schema.is_some() || !value.is_string())
    })
}
