//! Looking descriptors over before a model does.

mod quality;
mod values;

use crate::descriptor::ToolDescriptor;
use crate::export::{ExportFormat, Finding, export_all};

/// What is to be said of these tools, offered together: their quality for any reader, then what each API would refuse
/// or not be told.
///
/// Works on any descriptors: those of a [registry](crate::RawToolRegistry::descriptors), and those of tools from
/// elsewhere.
///
/// ```
/// use serde_json::json;
/// use tool_core::{Rule, ToolDescriptor, lint};
///
/// let schema = json!({"type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": false});
/// let tool = ToolDescriptor::new("local", "cancel", "Cancels an order.", schema, None);
/// let findings = lint([&tool]);
/// assert_eq!((findings[0].rule, findings[0].path.as_str()), (Rule::ParameterUndescribed, "$.id"));
///
/// let registry = tool_core::RawToolRegistry::default();
/// assert!(lint(registry.descriptors()).is_empty());
/// ```
pub fn lint(descriptors: impl IntoIterator<Item: AsRef<ToolDescriptor>>) -> Vec<Finding> {
    lint_for(&ExportFormat::ALL, descriptors)
}

/// [`lint`] for some APIs.
pub fn lint_for(formats: &[ExportFormat], descriptors: impl IntoIterator<Item: AsRef<ToolDescriptor>>) -> Vec<Finding> {
    let held: Vec<_> = descriptors.into_iter().collect();
    let descriptors: Vec<&ToolDescriptor> = held.iter().map(AsRef::as_ref).collect();
    let mut findings = quality::findings(&descriptors);
    for format in formats {
        findings.extend(export_all(*format, descriptors.iter().copied()).findings);
    }
    findings
}
