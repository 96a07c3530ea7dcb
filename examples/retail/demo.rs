//! What happens without a command: a short conversation at the service desk, call by call.

mod story;

use std::io::{self, Write};

use serde_json::Value;
use tool_core::RawToolRegistry;

use self::story::{Scene, Story};
use crate::Verdict;
use crate::host::{Outcome, ask};
use crate::list::headline;
use crate::store::Data;

/// Columns that the text may take.
const WIDTH: usize = 100;

pub(crate) async fn run(data: &Data, registry: &RawToolRegistry, out: &mut impl Write) -> anyhow::Result<Verdict> {
    print_tools(registry, out)?;
    let Some(story) = Story::find(data) else {
        writeln!(out, "This shop has no delivered order with anything to exchange, so there is no story to tell.")?;
        return Ok(Verdict::Good);
    };

    paragraph(out, "", &story.opening())?;
    writeln!(out)?;
    for (index, scene) in story.scenes().iter().enumerate() {
        paragraph(out, &format!("{}. ", index + 1), scene.before)?;
        play(scene, registry, out).await?;
        writeln!(out)?;
    }
    writeln!(
        out,
        "Next: `retail list`, `retail call get_user_details '{{\"user_id\": \"{}\"}}'`, `retail --help`.",
        story.user_id
    )?;
    Ok(Verdict::Good)
}

fn print_tools(registry: &RawToolRegistry, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "The service desk of a shop, as a language model sees it: {} tools.\n",
        registry.descriptors().count()
    )?;
    for tool in registry.descriptors() {
        paragraph(out, &format!("  {:<32}", tool.id()), &headline(tool))?;
    }
    writeln!(out)
}

async fn play(scene: &Scene, registry: &RawToolRegistry, out: &mut impl Write) -> io::Result<()> {
    let answer = ask(registry, scene.tool, &scene.arguments).await;
    paragraph(out, "   call      ", &format!("{} {}", scene.tool, scene.arguments))?;
    match answer.outcome {
        Outcome::Done if scene.show.is_empty() => paragraph(out, "   answer    ", &answer.text),
        Outcome::Done => print_parts(&answer.text, &scene.show, out),
        Outcome::Refused => paragraph(out, "   refusal   ", &answer.text),
        Outcome::Rejected => paragraph(out, "   rejected  ", &answer.text),
        Outcome::Failed => paragraph(out, "   failed    ", &answer.text),
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

/// Prints text between words, the first line behind a label and the others below its start.
fn paragraph(out: &mut impl Write, label: &str, text: &str) -> io::Result<()> {
    let indent = label.chars().count();
    let mut line = label.to_owned();
    let mut length = indent;
    for word in text.split_whitespace() {
        let word_length = word.chars().count();
        if length > indent && length + 1 + word_length > WIDTH {
            writeln!(out, "{line}")?;
            line = " ".repeat(indent);
            length = indent;
        }
        if length > indent {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word_length;
    }
    writeln!(out, "{}", line.trim_end())
}
