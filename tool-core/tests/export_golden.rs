//! Golden files of every export of every tool in the zoo, and the providers' rules on each of them.

mod export_support;

use export_support::checks::{loses_every_argument, violations};
use export_support::{golden, zoo::zoo};
use std::path::Path;
use tool_core::{ExportFormat, Rule, ToolDescriptor, export_all};

/// A file name for an id.
fn file(descriptor: &ToolDescriptor) -> String {
    descriptor.id().chars().take(40).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[test]
fn the_exports_are_those_of_the_golden_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let differing: Vec<String> =
        zoo().iter().filter_map(|descriptor| golden::compare(&folder, &file(descriptor), descriptor).err()).collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn the_zoo_is_large_and_each_animal_has_a_cage_of_its_own() {
    let mut files: Vec<String> = zoo().iter().map(file).collect();
    files.sort();
    files.dedup();
    assert!(files.len() >= 40 && files.len() == zoo().len(), "{}", files.len());
}

#[test]
fn every_export_keeps_the_rules_of_its_provider() {
    let mut broken = Vec::new();
    for descriptor in zoo() {
        for format in ExportFormat::ALL {
            let export = descriptor.export(format);
            if loses_every_argument(descriptor.input_schema(), &export) {
                broken.push(format!("{format} {} takes nothing\n  {}", descriptor.id(), export.tool));
            }
            // A property's name is the decoder's: the export says that the provider refuses it.
            let refused = export.findings.iter().any(|finding| finding.rule == Rule::PropertyName);
            for violation in violations(format, &export.tool) {
                if !(refused && violation.contains("property name")) {
                    broken.push(format!("{format} {} {violation}\n  {}", descriptor.id(), export.tool));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_whole_zoo_fits_into_one_request_and_every_name_leads_back() {
    let zoo = zoo();
    for format in ExportFormat::ALL {
        let exports = export_all(format, &zoo);
        let entries: Vec<_> = match format {
            ExportFormat::Gemini | ExportFormat::GeminiJsonSchema => {
                assert_eq!(exports.tools.len(), 1, "the API takes one tool with functions");
                exports.tools[0]["functionDeclarations"].as_array().cloned().unwrap_or_default()
            }
            _ => exports.tools.clone(),
        };
        assert_eq!(entries.len(), zoo.len());
        for (entry, descriptor) in entries.iter().zip(&zoo) {
            let name = entry["name"].as_str().or_else(|| entry["function"]["name"].as_str()).unwrap_or_default();
            assert_eq!(exports.names.tool_id(name), Some(descriptor.id()), "{format}");
        }
        let strict = exports.tools.iter().filter(|tool| tool["strict"] == true).count();
        if format == ExportFormat::AnthropicStrict {
            assert!((1..=20).contains(&strict), "{strict}");
            assert!(exports.findings.iter().any(|finding| finding.rule == Rule::StrictLimit));
        }
    }
}

#[test]
fn more_tools_than_the_provider_takes_are_exported_and_found() {
    let schema = serde_json::json!({"type": "object", "properties": {}, "additionalProperties": false});
    let tools: Vec<ToolDescriptor> = (0..129)
        .map(|number| ToolDescriptor::new("t", format!("t{number}"), "Does something.", schema.clone(), None))
        .collect();
    let exports = export_all(ExportFormat::OpenAi, &tools);
    assert_eq!(exports.tools.len(), 129);
    assert_eq!(exports.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [Rule::TooManyTools]);
    assert!(export_all(ExportFormat::OpenAi, tools.iter().take(128)).findings.is_empty());
    assert!(export_all(ExportFormat::Mcp, &tools).findings.is_empty());
}

#[test]
fn formats_are_known_by_their_names() {
    for format in ExportFormat::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error = "opneai".parse::<ExportFormat>().unwrap_err().to_string();
    assert!(error.contains("openai-strict"), "{error}");
}
