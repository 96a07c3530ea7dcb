//! A business field may bear the name of a coordinate, if the tool says so; the registry is told too.

use tool_core::{RawToolRegistry, Tool, erase, tool};

/// Books a seat in a shared office.
#[tool]
fn book(
    /// Which office.
    #[arg(not_runtime)]
    workspace: String,
    #[arg(not_runtime, rename = "runId")] marathon: u32,
) -> String {
    format!("{workspace}/{marathon}")
}

fn main() {
    assert_eq!(Book::NOT_RUNTIME, ["workspace", "runId"]);
    let registry = RawToolRegistry::try_new([erase(Book)]).expect("the fields are the tool's own");
    assert_eq!(registry.descriptors().count(), 1);
}
