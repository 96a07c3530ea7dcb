//! What the model is shown of a result, and where the rest goes.

use async_trait::async_trait;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use tokio::task;

use super::call::Call;
use super::execute;
use crate::contain::{self, Panicked};
use crate::content::ContentBlock;
use crate::ledger::Lease;
use crate::operation::ToolOperationContext;
use crate::output::ToolOutput;

/// Takes results that are too long for the model, whole.
#[async_trait]
pub trait SpillPort: Send + Sync {
    /// Keeps the text, and says where: the model is told, and may ask a tool for more of it.
    async fn spill(&self, operation: &ToolOperationContext, text: &str) -> io::Result<String>;
}

/// A folder to which long results go, one file an operation. Only its owner can read the files (where the system knows
/// owners); removing them is the program's own.
#[derive(Clone, Debug)]
pub struct SpillFolder {
    folder: PathBuf,
}

impl SpillFolder {
    /// The folder; it is made when the first result goes there.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }
}

#[async_trait]
impl SpillPort for SpillFolder {
    async fn spill(&self, operation: &ToolOperationContext, text: &str) -> io::Result<String> {
        let (folder, text) = (self.folder.clone(), text.to_owned());
        let file = folder.join(format!("{}.txt", operation.ledger_id()));
        task::spawn_blocking(move || {
            std::fs::create_dir_all(&folder)?;
            write_private(&file, text.as_bytes())?;
            Ok(file.display().to_string())
        })
        .await
        .map_err(io::Error::other)?
    }
}

fn write_private(file: &std::path::Path, text: &[u8]) -> io::Result<()> {
    use io::Write;

    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(text)
}

/// Keeps a result within what the model is shown of it.
pub(super) async fn render(call: &Call, lease: &Lease, output: &mut ToolOutput) {
    let most = call.result_chars();
    if is_longer(output, most) {
        let port = call.inner().spill.as_deref();
        let rendered = pin!(within(std::mem::take(output), most, port, call.operation()));
        *output = execute::while_renewed(call, lease, rendered).await;
    }
}

/// Cuts the texts of a result to `most` characters, and hands the whole to the port.
async fn within(
    output: ToolOutput,
    most: usize,
    port: Option<&dyn SpillPort>,
    operation: &ToolOperationContext,
) -> ToolOutput {
    let whole = output.text().into_owned();
    let kept_at = match port {
        None => None,
        Some(port) => match contain::caught(pin!(async { port.spill(operation, &whole).await })).await {
            Ok(Ok(place)) => Some(place),
            Ok(Err(error)) => {
                tracing::warn!(%error, "a long result could not be kept");
                None
            }
            Err(Panicked) => {
                tracing::warn!("a long result could not be kept: the spill port panicked");
                None
            }
        },
    };
    cut(output, &whole, most, kept_at.as_deref())
}

fn is_longer(output: &ToolOutput, most: usize) -> bool {
    let texts = || output.content.iter().filter_map(ContentBlock::as_text);
    // A character has at least one byte.
    texts().map(str::len).sum::<usize>() > most && texts().map(|text| text.chars().count()).sum::<usize>() > most
}

/// The text blocks become one, of the beginning and a word on what is left out. It is no JSON any more.
fn cut(mut output: ToolOutput, whole: &str, most: usize, kept_at: Option<&str>) -> ToolOutput {
    let end = whole.char_indices().nth(most).map_or(whole.len(), |(at, _)| at);
    let left_out = whole.get(end..).map_or(0, |rest| rest.chars().count());
    let note = match kept_at {
        Some(place) => format!("{left_out} more characters were left out; the whole result is in {place}"),
        None => format!("{left_out} more characters were left out; ask for less at once"),
    };
    let shown = format!("{}\n[{note}]", whole.get(..end).unwrap_or_default());
    let mut shown = Some(ContentBlock::text(shown));
    output.content = output
        .content
        .into_iter()
        .filter_map(|block| if block.as_text().is_some() { shown.take() } else { Some(block) })
        .collect();
    output.structured = None;
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinates::{OperationId, RunId, ThreadId, WorkspaceId};

    fn operation() -> ToolOperationContext {
        let (workspace, thread, run) = (WorkspaceId::new("w"), ThreadId::new("t"), RunId::new("r"));
        ToolOperationContext::new(workspace, thread, run, OperationId::at(0, 0))
    }

    #[tokio::test]
    async fn a_long_result_is_cut_between_characters_and_says_what_is_left_out() {
        let image = ContentBlock::image("AAE=", "image/png");
        let blocks = [ContentBlock::text("äöü"), image.clone(), ContentBlock::text("xyz")];
        let cut = within(ToolOutput::ok_blocks(blocks.clone()), 2, None, &operation()).await;
        let text = ContentBlock::text("äö\n[5 more characters were left out; ask for less at once]");
        assert_eq!(cut.content, [text, image]);
        let whole = ToolOutput::ok_blocks(blocks);
        assert!(is_longer(&whole, 5) && !is_longer(&whole, 6));
    }

    #[tokio::test]
    async fn the_whole_of_it_goes_to_a_file_that_the_model_is_told_of() {
        let folder = std::env::temp_dir().join(format!("tool-core-spill-{}", std::process::id()));
        let output = crate::render_tool_output(&serde_json::json!({"list": [1, 2, 3, 4, 5]})).unwrap();
        let whole = output.text().into_owned();
        let port = SpillFolder::new(&folder);
        let cut = within(output, 8, Some(&port), &operation()).await;
        let file = folder.join(format!("{}.txt", operation().ledger_id()));
        let note =
            format!("{{\"list\":\n[12 more characters were left out; the whole result is in {}]", file.display());
        assert_eq!((cut.text().as_ref(), cut.structured.as_ref()), (note.as_str(), None));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), whole);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
