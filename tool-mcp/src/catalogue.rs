//! The tools that a client is offered, in the SDK's terms.

use rmcp::model::{ProtocolVersion, Tool, ToolAnnotations};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tool_core::{ToolDescriptor, ToolRecoveryCapability};

use crate::outcome::takes_any_value;

/// What is listed, made once a server.
#[derive(Debug)]
pub(crate) struct Catalogue {
    tools: Vec<Tool>,
    by_id: HashMap<Arc<str>, usize>,
}

impl Catalogue {
    pub(crate) fn of<'a>(descriptors: impl Iterator<Item = &'a Arc<ToolDescriptor>>) -> Self {
        let tools: Vec<Tool> = descriptors.map(|descriptor| listed(descriptor)).collect();
        let by_id = tools.iter().enumerate().map(|(position, tool)| (Arc::from(&*tool.name), position)).collect();
        Self { tools, by_id }
    }

    /// The list for a client of this version of the protocol: an output schema that is no object, like the structured
    /// content that it describes, is for those alone that take any value.
    pub(crate) fn tools(&self, version: Option<&ProtocolVersion>) -> Vec<Tool> {
        let mut tools = self.tools.clone();
        if !takes_any_value(version) {
            for tool in &mut tools {
                tool.output_schema.take_if(|schema| schema.get("type").and_then(Value::as_str) != Some("object"));
            }
        }
        tools
    }

    /// The tool of this name, with the name as calls share it.
    pub(crate) fn get(&self, name: &str) -> Option<(&Arc<str>, &Tool)> {
        let (id, position) = self.by_id.get_key_value(name)?;
        Some((id, self.tools.get(*position)?))
    }
}

fn listed(descriptor: &ToolDescriptor) -> Tool {
    let schema = object(descriptor.input_schema()).unwrap_or_default(); // a registry without problems has objects alone
    let mut tool = Tool::new(descriptor.id().to_owned(), descriptor.description().to_owned(), schema);
    tool.title = descriptor.title().map(str::to_owned);
    // A schema that is not an object is `true` or `false`; it tells a client nothing, and MCP has no place for it.
    tool.output_schema = descriptor.output_schema().and_then(object);
    let annotations = annotations(descriptor);
    tool.annotations = (annotations != ToolAnnotations::default()).then_some(annotations);
    tool
}

fn object(schema: &Value) -> Option<Arc<rmcp::model::JsonObject>> {
    schema.as_object().cloned().map(Arc::new)
}

/// What the tool states is passed on as it is. The two inferences, and why there is no third, are in the crate's
/// documentation; a hint that MCP reads as the worse when it is missing is left out rather than guessed.
fn annotations(descriptor: &ToolDescriptor) -> ToolAnnotations {
    let stated = descriptor.annotations();
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = stated.read_only;
    annotations.destructive_hint = stated.destructive.or_else(|| (stated.read_only == Some(true)).then_some(false));
    annotations.idempotent_hint =
        (descriptor.recovery_capability() == ToolRecoveryCapability::ReplaySafe).then_some(true);
    annotations.open_world_hint = stated.open_world;
    annotations
}
