//! `retail list`: what the model is offered.

use std::io::Write;
use std::sync::Arc;

use tool_core::{RawToolRegistry, ToolDescriptor};

use crate::Verdict;

pub(crate) fn run(registry: &RawToolRegistry, as_json: bool, out: &mut impl Write) -> anyhow::Result<Verdict> {
    if as_json {
        let tools: Vec<&ToolDescriptor> = registry.descriptors().map(Arc::as_ref).collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&tools)?)?;
    } else {
        for tool in registry.descriptors() {
            writeln!(out, "{}", signature(tool))?;
            writeln!(out, "    {}", headline(tool))?;
        }
    }
    Ok(Verdict::Good)
}

/// The name with the names of the arguments.
fn signature(tool: &ToolDescriptor) -> String {
    let arguments: Vec<&str> = tool.input_schema()["properties"]
        .as_object()
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default();
    format!("{}({})", tool.id(), arguments.join(", "))
}

/// The first paragraph of the description, as one line.
pub(crate) fn headline(tool: &ToolDescriptor) -> String {
    let paragraph = tool.description().split("\n\n").next().unwrap_or_default();
    paragraph.replace('\n', " ")
}
