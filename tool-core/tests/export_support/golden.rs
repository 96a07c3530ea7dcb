//! Golden files: a descriptor's canonical schema and all its exports, one file a tool.
//!
//! `UPDATE_GOLDEN=1 cargo test` writes them; review what changed. Needs nothing but `tool_core`, so that another
//! crate's tests can take this file by `#[path]`.
#![allow(dead_code, unreachable_pub)]

use std::fs;
use std::path::Path;
use tool_core::ToolDescriptor;

/// Compares the descriptor's exports with `<folder>/<file>.json`, or writes that file if `UPDATE_GOLDEN` is set.
/// Returns what differs.
pub fn compare(folder: &Path, file: &str, descriptor: &ToolDescriptor) -> Result<(), String> {
    let path = folder.join(format!("{file}.json"));
    let current = text(descriptor);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        return fs::write(&path, current).map_err(|error| format!("{}: {error}", path.display()));
    }
    let golden = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if golden == current {
        return Ok(());
    }
    let line = golden.lines().zip(current.lines()).position(|(golden, current)| golden != current);
    let line = line.unwrap_or_else(|| golden.lines().count().min(current.lines().count()));
    let at = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").trim().to_owned();
    Err(format!(
        "{}:{}: golden `{}`, now `{}` (UPDATE_GOLDEN=1 rewrites the file; review it)",
        path.display(),
        line + 1,
        at(&golden),
        at(&current)
    ))
}

/// The text of a golden file.
pub fn text(descriptor: &ToolDescriptor) -> String {
    tool_core::testing::snapshot(descriptor)
}
