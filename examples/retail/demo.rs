//! What happens without a command: a short conversation at the service desk, call by call.

mod approvals;
mod story;

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::Value;
use tool_core::{CallReport, CallStatus, ExecutableSnapshot, Run, ToolRuntime};

use self::story::{Scene, Story};
use crate::Verdict;
use crate::host::{ask, runtime, scope};
use crate::list::headline;
use crate::paragraph::paragraph;
use crate::store::{Data, Store};

/// In dollars: before more is paid back, a person is asked.
const ASK_ABOVE: f64 = 100.0;

pub(crate) async fn run(data: &Data, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let runtime = runtime(&Arc::new(Store::new(data.clone())), Some(ASK_ABOVE)).build()?;
    print_tools(runtime.snapshot(), out)?;
    let Some(story) = Story::find(data) else {
        writeln!(out, "This shop has no delivered order with anything to exchange, so there is no story to tell.")?;
        return Ok(Verdict::Good);
    };

    paragraph(out, "", &story.opening())?;
    writeln!(out)?;
    let run = runtime.run(scope("demo", "a-conversation")).await?;
    let scenes = story.scenes().into_iter().chain(approvals::scenes(data, story.order_id, ASK_ABOVE));
    for (step, scene) in (0..).zip(scenes) {
        paragraph(out, &format!("{}. ", step + 1), &scene.before)?;
        play(&scene, &runtime, &run, step, out).await?;
        writeln!(out)?;
    }
    writeln!(
        out,
        "Next: `retail list`, `retail call get_user_details '{{\"user_id\": \"{}\"}}'`, `retail --help`.",
        story.user_id
    )?;
    Ok(Verdict::Good)
}

fn print_tools(snapshot: &ExecutableSnapshot, out: &mut impl Write) -> io::Result<()> {
    let tools = snapshot.tools();
    writeln!(out, "The service desk of a shop, as a language model sees it: {} tools.\n", tools.len())?;
    for tool in tools {
        paragraph(out, &format!("  {:<32}", tool.descriptor().id()), &headline(tool.descriptor()))?;
    }
    writeln!(out)
}

async fn play(scene: &Scene, runtime: &ToolRuntime, run: &Run, step: u64, out: &mut impl Write) -> anyhow::Result<()> {
    paragraph(out, "   call      ", &format!("{} {}", scene.tool, scene.arguments))?;
    let mut report = ask(run, step, scene.tool, &scene.arguments).await?;
    print_told(&report, scene, out)?;
    if let (CallStatus::Waiting { ticket, .. }, Some(answer)) = (&report.status, &scene.person) {
        paragraph(out, "   person    ", &format!("{answer} (here, this program answers in a person's place)"))?;
        report = runtime.resume(ticket, answer.clone()).await?;
        print_told(&report, scene, out)?;
    }
    Ok(())
}

/// What the model is told.
fn print_told(report: &CallReport, scene: &Scene, out: &mut impl Write) -> io::Result<()> {
    let told = report.output.text();
    match report.status {
        CallStatus::Finished { .. } if report.output.is_error => paragraph(out, "   refusal   ", &told),
        CallStatus::Finished { .. } if scene.show.is_empty() => paragraph(out, "   answer    ", &told),
        CallStatus::Finished { .. } => print_parts(&told, &scene.show, out),
        CallStatus::Refused { .. } => paragraph(out, "   rejected  ", &told),
        CallStatus::Waiting { .. } => paragraph(out, "   waits     ", &told),
        _ => paragraph(out, "   failed    ", &told),
    }
}

/// The answer is a whole record: shows the parts that the story is about.
fn print_parts(record: &str, pointers: &[String], out: &mut impl Write) -> io::Result<()> {
    let record: Value = serde_json::from_str(record).unwrap_or_default();
    let mut label = "   answer    ";
    for pointer in pointers {
        let part = record.pointer(pointer).unwrap_or(&Value::Null);
        // A space behind each comma, so that long lines have a place to break.
        let part = part.to_string().replace(",\"", ", \"");
        paragraph(out, label, &format!("{}: {part}", pointer.trim_start_matches('/')))?;
        label = "             ";
    }
    Ok(())
}
