//! What the model is shown of a result, and where the rest goes.

use async_trait::async_trait;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::pin::pin;
use tokio::task;

use super::call::Call;
use super::execute;
use crate::contain::{self, Panicked};
use crate::content::{ContentBlock, ResourceContents};
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
/// owners); removing them is the program's own. Whatever has a file's name already is replaced, never written to.
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
            fs::create_dir_all(&folder)?;
            replace(&file, text.as_bytes())?;
            Ok(file.display().to_string())
        })
        .await
        .map_err(io::Error::other)?
    }
}

/// Writes a new file and gives it the name. What had the name goes: a symbolic link is not followed, and the mode of an
/// earlier file, which others may be able to read, is not taken over.
fn replace(file: &Path, text: &[u8]) -> io::Result<()> {
    let draft = file.with_extension(format!("{}.new", unforeseen()));
    let written = write_private(&draft, text).and_then(|()| fs::rename(&draft, file));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Writes a file that was not there, for its owner alone.
fn write_private(file: &Path, text: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file)?;
    file.write_all(text)?;
    file.sync_all()
}

/// A part of a name that nobody can take beforehand: 128 bits from the random keys that the standard library gives each map.
fn unforeseen() -> String {
    let bits = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", bits(), bits())
}

/// Keeps a result within what the model is shown of it.
///
/// Texts are counted, those of embedded resources among them. Images, audio and a resource's bytes are no text: they are
/// neither counted nor cut nor kept elsewhere.
pub(super) async fn render(call: &Call, lease: &Lease, output: &mut ToolOutput) {
    let most = call.result_chars();
    if is_longer(output, most) {
        Box::pin(shorten(call, lease, output, most)).await;
    }
}

async fn shorten(call: &Call, lease: &Lease, output: &mut ToolOutput, most: usize) {
    let whole = whole(output);
    let kept_at = match call.inner().spill.as_deref() {
        Some(port) => {
            let keeping = pin!(call.unless_over(keep(port, call.operation(), &whole)));
            execute::while_renewed(call, lease, keeping).await.unwrap_or_else(|| {
                tracing::warn!("a long result could not be kept: the spill port did not end in the step's time");
                None
            })
        }
        None => None,
    };
    cut(output, &whole, most, kept_at.as_deref());
}

/// Hands the whole of a result to the port. Answers with the place, where the port keeps it.
async fn keep(port: &dyn SpillPort, operation: &ToolOperationContext, whole: &str) -> Option<String> {
    match contain::caught(pin!(async { port.spill(operation, whole).await })).await {
        Ok(Ok(place)) => Some(place),
        Ok(Err(error)) => {
            tracing::warn!(%error, "a long result could not be kept");
            None
        }
        Err(Panicked) => {
            tracing::warn!("a long result could not be kept: the spill port panicked");
            None
        }
    }
}

/// The text of a block: its own, or that of the resource in it.
fn text_of(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::Text { text, .. } => Some(text),
            ResourceContents::Blob { .. } => None,
        },
        other => other.as_text(),
    }
}

fn texts(output: &ToolOutput) -> impl Iterator<Item = &str> {
    output.content.iter().filter_map(text_of)
}

fn whole(output: &ToolOutput) -> String {
    texts(output).collect::<Vec<_>>().join("\n")
}

fn is_longer(output: &ToolOutput, most: usize) -> bool {
    // A character has at least one byte.
    texts(output).map(str::len).sum::<usize>() > most
        && texts(output).map(|text| text.chars().count()).sum::<usize>() > most
}

fn text_mut(block: &mut ContentBlock) -> Option<&mut String> {
    match block {
        ContentBlock::Text(content) => Some(&mut content.text),
        ContentBlock::Resource(embedded) => match &mut embedded.resource {
            ResourceContents::Text { text, .. } => Some(text),
            ResourceContents::Blob { .. } => None,
        },
        _ => None,
    }
}

/// The texts end after `most` characters, with a word on what is left out, and those behind that go. A resource whose text
/// is cut keeps its URI, by which the model may ask for more. It is no JSON any more.
fn cut(output: &mut ToolOutput, whole: &str, most: usize, kept_at: Option<&str>) {
    // Of the whole, where one character stands between two texts.
    let mut left_out = whole.chars().count();
    let mut room = most;
    let mut is_cut = false;
    output.content.retain_mut(|block| {
        let Some(text) = text_mut(block) else { return true };
        if is_cut {
            return false;
        }
        match text.char_indices().nth(room) {
            None => {
                let shown = text.chars().count();
                room -= shown;
                left_out = left_out.saturating_sub(shown + 1);
            }
            Some((end, _)) => {
                text.truncate(end);
                text.push_str(&note(left_out.saturating_sub(room), kept_at));
                is_cut = true;
            }
        }
        true
    });
    output.structured = None;
}

fn note(left_out: usize, kept_at: Option<&str>) -> String {
    match kept_at {
        Some(place) => format!("\n[{left_out} more characters were left out; the whole result is in {place}]"),
        None => format!("\n[{left_out} more characters were left out; ask for less at once]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinates::{OperationId, RunId, ThreadId, WorkspaceId};

    fn operation() -> ToolOperationContext {
        let (workspace, thread, run) = (WorkspaceId::new("w"), ThreadId::new("t"), RunId::new("r"));
        ToolOperationContext::new(workspace, thread, run, OperationId::at(0, 0))
    }

    /// What the model is shown of the blocks where it is shown `most` characters.
    fn within(mut output: ToolOutput, most: usize, kept_at: Option<&str>) -> ToolOutput {
        let whole = whole(&output);
        cut(&mut output, &whole, most, kept_at);
        output
    }

    fn embedded(text: &str) -> ContentBlock {
        let (uri, text) = ("file:///a".to_owned(), text.to_owned());
        ContentBlock::resource(ResourceContents::Text { uri, mime_type: None, text, meta: None })
    }

    /// A folder that is not there yet, and is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            Self(std::env::temp_dir().join(format!("tool-core-spill-{}", unforeseen())))
        }

        /// The file of the one operation.
        fn file(&self) -> PathBuf {
            self.0.join(format!("{}.txt", operation().ledger_id()))
        }

        async fn spill(&self, text: &str) -> io::Result<String> {
            SpillFolder::new(&self.0).spill(&operation(), text).await
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_long_result_is_cut_between_characters_and_says_what_is_left_out() {
        let image = ContentBlock::image("AAE=", "image/png");
        let blocks = [ContentBlock::text("äöü"), image.clone(), ContentBlock::text("xyz")];
        let cut = within(ToolOutput::ok_blocks(blocks.clone()), 2, None);
        let text = ContentBlock::text("äö\n[5 more characters were left out; ask for less at once]");
        assert_eq!(cut.content, [text, image]);
        let whole = ToolOutput::ok_blocks(blocks);
        assert!(is_longer(&whole, 5) && !is_longer(&whole, 6));
    }

    #[test]
    fn texts_that_fit_stay_as_they_are_before_the_one_that_is_cut() {
        let blocks = [ContentBlock::text("ab"), embedded("cd"), ContentBlock::text("efgh"), embedded("ij")];
        let shown = |most| within(ToolOutput::ok_blocks(blocks.clone()), most, None).content;
        let note = |start: &str, left_out: usize| {
            format!("{start}\n[{left_out} more characters were left out; ask for less at once]")
        };
        assert_eq!(shown(0), [ContentBlock::text(note("", 13))]);
        assert_eq!(shown(3), [ContentBlock::text("ab"), embedded(&note("c", 9))]);
        assert_eq!(shown(6), [ContentBlock::text("ab"), embedded("cd"), ContentBlock::text(note("ef", 5))]);
        let [ab, cd, efgh, _] = blocks.clone();
        assert_eq!(shown(9), [ab, cd, efgh, embedded(&note("i", 1))]);
    }

    #[test]
    fn the_text_of_an_embedded_resource_is_counted_and_its_bytes_are_not() {
        let output = ToolOutput::ok_blocks([embedded("äöü")]);
        assert!(is_longer(&output, 2) && !is_longer(&output, 3));
        let cut = within(output, 2, Some("a.txt"));
        let shown = embedded("äö\n[1 more characters were left out; the whole result is in a.txt]");
        assert_eq!(cut.content, [shown]);

        let (uri, blob) = ("file:///b".to_owned(), "AAEC".repeat(100));
        let bytes = ContentBlock::resource(ResourceContents::Blob { uri, mime_type: None, blob, meta: None });
        let output = ToolOutput::ok_blocks([bytes.clone(), embedded("abc")]);
        assert!(!is_longer(&output, 3));
        assert_eq!(whole(&output), "abc");
        assert_eq!(within(output, 2, None).content.first(), Some(&bytes));
    }

    #[tokio::test]
    async fn the_whole_of_it_goes_to_a_file_that_the_model_is_told_of() {
        let folder = Folder::new();
        let output = crate::render_tool_output(&serde_json::json!({"list": [1, 2, 3, 4, 5]})).unwrap();
        let whole = output.text().into_owned();
        let kept_at = keep(&SpillFolder::new(&folder.0), &operation(), &whole).await;
        let cut = within(output, 8, kept_at.as_deref());
        let file = folder.file();
        let note =
            format!("{{\"list\":\n[12 more characters were left out; the whole result is in {}]", file.display());
        assert_eq!((cut.text().as_ref(), cut.structured.as_ref()), (note.as_str(), None));
        assert_eq!(fs::read_to_string(&file).unwrap(), whole);
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "no draft is left");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_symbolic_link_with_the_files_name_is_replaced_and_not_followed() {
        let folder = Folder::new();
        fs::create_dir(&folder.0).unwrap();
        let elsewhere = folder.0.join("elsewhere");
        fs::write(&elsewhere, "precious").unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder.file()).unwrap();
        folder.spill("a result").await.unwrap();
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "precious");
        assert!(fs::symlink_metadata(folder.file()).unwrap().is_file());
        assert_eq!(fs::read_to_string(folder.file()).unwrap(), "a result");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_file_that_others_can_read_does_not_lend_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new();
        fs::create_dir(&folder.0).unwrap();
        fs::write(folder.file(), "an earlier and longer result").unwrap();
        fs::set_permissions(folder.file(), fs::Permissions::from_mode(0o644)).unwrap();
        let mut held = fs::File::open(folder.file()).unwrap();
        folder.spill("a result").await.unwrap();
        assert_eq!(fs::metadata(folder.file()).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(folder.file()).unwrap(), "a result");
        // Who had opened it before reads nothing of the new one.
        assert_eq!(io::read_to_string(&mut held).unwrap(), "an earlier and longer result");
    }

    #[tokio::test]
    async fn a_result_that_cannot_take_its_name_leaves_nothing() {
        let folder = Folder::new();
        fs::create_dir_all(folder.file().join("in the way")).unwrap();
        folder.spill("a result").await.unwrap_err();
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    }
}
