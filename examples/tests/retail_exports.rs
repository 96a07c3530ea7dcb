//! What each provider sees of the 16 retail tools, in `golden/`. `UPDATE_GOLDEN=1 cargo test -p examples` writes them.

#[path = "../../tool-core/tests/export_support/golden.rs"]
mod golden;

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tool_core::ToolDescriptor;

#[test]
fn the_exports_of_the_retail_tools_are_as_reviewed() {
    let listed =
        Command::new(env!("CARGO_BIN_EXE_retail")).args(["list", "--json"]).output().expect("the program starts");
    let tools: Vec<Value> = serde_json::from_slice(&listed.stdout).expect("a list of descriptors");
    assert_eq!(tools.len(), 16);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let differences: Vec<String> = tools
        .iter()
        .filter_map(|tool| {
            let text = |key: &str| tool[key].as_str().unwrap_or_default().to_owned();
            let output_schema = tool.get("output_schema").cloned();
            let schema = tool["input_schema"].clone();
            let descriptor =
                ToolDescriptor::new(text("prefix"), text("id"), text("description"), schema, output_schema);
            assert_eq!(
                tool["identity"],
                descriptor.identity().to_string(),
                "the listed identity is the descriptor's own"
            );
            golden::compare(&folder, &text("id"), &descriptor).err()
        })
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
