//! `retail replay`: recorded tasks, made again and compared.
//!
//! A task file has one task a line: the calls in order, each with the answer that was recorded, and every record that
//! differs from the untouched store at the end. The benchmark that the format comes from is Python, so numbers are
//! compared by their value: `3` is `3.0`.

mod difference;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use tool_core::{RawToolRegistry, ToolCall, ToolError, ToolExecutor, ToolOutput};

use self::difference::{Difference, text_difference, value_difference};
use crate::Verdict;
use crate::store::{Data, Store};
use crate::tools;

#[derive(Deserialize)]
struct Task {
    #[serde(rename = "task")]
    id: Value,
    steps: Vec<Step>,
    #[serde(default)]
    changed: Changed,
}

#[derive(Deserialize)]
struct Step {
    tool: String,
    /// Kept as the text it is, because text is what a tool gets from a model.
    arguments: Box<RawValue>,
    observation: String,
}

/// The records that a task changes, whole. All others must stay as they were.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Changed {
    orders: BTreeMap<String, Value>,
    users: BTreeMap<String, Value>,
    products: BTreeMap<String, Value>,
}

#[derive(Default)]
struct Tally {
    tasks: usize,
    calls: usize,
    mismatches: usize,
}

pub(crate) async fn run(data: &Data, files: &[PathBuf], out: &mut impl Write) -> anyhow::Result<Verdict> {
    let mut tasks = Vec::new();
    for file in files {
        read_tasks(file, &mut tasks)?;
    }

    let start = Instant::now();
    let mut tally = Tally::default();
    for task in &tasks {
        replay(data, task, &mut tally, out).await?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let Tally { tasks, calls, mismatches } = tally;
    writeln!(out, "tasks={tasks} calls={calls} mismatches={mismatches} seconds={seconds:.3}")?;
    Ok(if mismatches == 0 { Verdict::Good } else { Verdict::Bad })
}

fn read_tasks(file: &Path, tasks: &mut Vec<Task>) -> anyhow::Result<()> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    for (index, line) in text.lines().enumerate() {
        if !line.trim().is_empty() {
            let task =
                serde_json::from_str(line).with_context(|| format!("{name}, line {}, is not a task", index + 1))?;
            tasks.push(task);
        }
    }
    Ok(())
}

/// What the model is told.
struct Answer {
    text: String,
    /// The arguments do not fit the tool's schema: the tool never ran.
    is_rejected: bool,
}

/// Makes a recorded call. Straight through the registry, and not in a run: nothing here needs to be approved of, or to
/// outlive the program.
async fn make(registry: &RawToolRegistry, step: &Step) -> Answer {
    let call = ToolCall::new("call_1", step.tool.as_str(), step.arguments.get());
    let outcome = registry.invoke(&call).await;
    let is_rejected = matches!(outcome, Err(ToolError::InvalidArguments(_)));
    let output = outcome.unwrap_or_else(|error| ToolOutput::for_error(&error));
    Answer { text: output.text().into_owned(), is_rejected }
}

/// One task, from the untouched store.
async fn replay(data: &Data, task: &Task, tally: &mut Tally, out: &mut impl Write) -> io::Result<()> {
    let store = Arc::new(Store::new(data.clone()));
    let registry = tools::registry(&store);
    tally.tasks += 1;

    for (index, step) in task.steps.iter().enumerate() {
        tally.calls += 1;
        let place = format!("task {}, step {} ({})", task.id, index + 1, step.tool);
        let answer = make(&registry, step).await;
        let Some(difference) = text_difference(&step.observation, &answer.text) else {
            continue;
        };
        if rejected_early(step, &answer) {
            writeln!(out, "note: {place}: the arguments were rejected before the tool could refuse them")?;
            writeln!(out, "{difference}\n")?;
            continue;
        }
        tally.mismatches += 1;
        writeln!(out, "mismatch: {place}")?;
        writeln!(out, "  arguments  {}", step.arguments)?;
        writeln!(out, "{difference}\n")?;
    }

    let after = store.lock();
    let mut wrong = wrong_records("order", &data.orders, &after.orders, &task.changed.orders);
    wrong.extend(wrong_records("user", &data.users, &after.users, &task.changed.users));
    wrong.extend(wrong_records("product", &data.products, &after.products, &task.changed.products));
    for (record, difference) in wrong {
        tally.mismatches += 1;
        writeln!(out, "mismatch: task {}, after the last step: {record}", task.id)?;
        writeln!(out, "{difference}\n")?;
    }
    Ok(())
}

/// Whether a call counts as answered alike although the texts differ.
///
/// The benchmark's tool looks at a cancellation's reason itself, after the order: `Error: invalid reason`. Here the
/// two reasons are an enum in the tool's schema, so any other is rejected before the tool starts. Both refuse, and
/// nothing changes; that, and no more, is let pass.
fn rejected_early(step: &Step, answer: &Answer) -> bool {
    step.tool == "cancel_pending_order" && answer.is_rejected && step.observation.starts_with("Error: ")
}

/// The records that are not what they should be at the end: as recorded if the task changes them, and otherwise as
/// before.
fn wrong_records<T: Serialize + PartialEq>(
    kind: &str,
    before: &IndexMap<String, T>,
    after: &IndexMap<String, T>,
    recorded: &BTreeMap<String, Value>,
) -> Vec<(String, Difference)> {
    let ids: BTreeSet<&String> = before.keys().chain(after.keys()).chain(recorded.keys()).collect();
    let wrong = ids.into_iter().filter_map(|id| {
        let expected = match recorded.get(id) {
            Some(record) => record.clone(),
            // Most records by far, and cheaper to compare than as JSON.
            None if before.get(id) == after.get(id) => return None,
            None => json(before.get(id)),
        };
        let difference = value_difference(&expected, &json(after.get(id)))?;
        Some((format!("{kind} {id}"), difference))
    });
    wrong.collect()
}

/// No record at all is `null`.
fn json<T: Serialize>(record: Option<&T>) -> Value {
    serde_json::to_value(record).unwrap_or_default()
}
