//! What the tools themselves have to say after a conversation was cut.

use std::fmt;
use std::pin::pin;
use std::task::Poll;

use crate::contain;
use crate::context::ToolContext;
use crate::raw::RawTool;
use crate::registry::RawToolRegistry;
use crate::same::clipped;

/// How many characters of one tool's state are carried, unless the caller sets another number.
const DEFAULT_MAX_CHARS: usize = 8_000;

/// The state that the tools of a registry carry over a compaction, one block a tool, in the order of the registry.
///
/// Its `Display` is the text for the model: for each tool a line that names it, then the tool's own text, each line of it
/// behind `| `. No line of a tool's text can so be taken for the label of another tool.
///
/// ```
/// use tool_core::{RawToolRegistry, Tool, ToolError, async_trait, carried_state, erase};
///
/// struct Todo;
///
/// #[async_trait]
/// impl Tool for Todo {
///     type Args = ();
///     type Output = &'static str;
///     const ID: &'static str = "todo";
///     const DESCRIPTION: &'static str = "Shows the open tasks.";
///     async fn call(&self, _: ()) -> Result<&'static str, ToolError> {
///         Ok("buy milk")
///     }
///     async fn carried_state(&self) -> Option<String> {
///         Some("1. buy milk\n2. call Ada".to_owned())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let carried = carried_state(&RawToolRegistry::new([erase(Todo)])).await;
/// assert_eq!(carried.to_string(), "State of tool \"todo\":\n| 1. buy milk\n| 2. call Ada\n");
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CarriedStates {
    blocks: Vec<CarriedState>,
}

/// The state of one tool.
///
/// ```
/// # use tool_core::{RawToolRegistry, carried_state};
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// for block in carried_state(&RawToolRegistry::default()).await.blocks() {
///     println!("{}: {} ({} more characters)", block.tool_id(), block.text(), block.omitted_chars());
/// }
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedState {
    tool_id: String,
    text: String,
    omitted_chars: usize,
}

/// Asks each tool that may be called for its state, one after the other, within 8,000 characters each.
///
/// See [`carried_state_within`].
pub async fn carried_state(registry: &RawToolRegistry) -> CarriedStates {
    carried_state_within(registry, DEFAULT_MAX_CHARS).await
}

/// Asks each tool that may be called for its state, one after the other, and keeps the first `max_chars` characters of each.
///
/// A tool that has nothing to say, or panics, has no block; the panic is traced. The tools are asked in the current
/// [`ToolContext`]: once it is cancelled, no more is waited for, and what the tools have said by then is what is carried.
pub async fn carried_state_within(registry: &RawToolRegistry, max_chars: usize) -> CarriedStates {
    let context = ToolContext::current();
    let mut blocks = Vec::new();
    for tool in registry.tools() {
        let Some(answer) = unless_cancelled(&context, said_by(tool.as_ref())).await else {
            tracing::warn!(tool = tool.id(), "not asked for its state any more, nor those after it: cancelled");
            break;
        };
        blocks.extend(answer.map(|text| CarriedState::cut(tool.id(), &text, max_chars)));
    }
    CarriedStates { blocks }
}

/// What a tool has to say, if it has something.
async fn said_by(tool: &dyn RawTool) -> Option<String> {
    // Asked inside, so that a panic before the first await is contained as well.
    match contain::caught(pin!(async { tool.carried_state().await })).await {
        Ok(said) => said.filter(|text| !text.trim().is_empty()),
        Err(contain::Panicked) => {
            tracing::error!(tool = tool.id(), "the tool panicked when it was asked for its state; none is carried");
            None
        }
    }
}

/// What `asked` comes to, or `None` once the context is cancelled.
async fn unless_cancelled<T>(context: &ToolContext, asked: impl Future<Output = T>) -> Option<T> {
    let (mut asked, mut cancelled) = (pin!(asked), pin!(context.cancelled()));
    std::future::poll_fn(|waker| {
        if let Poll::Ready(()) = cancelled.as_mut().poll(waker) {
            return Poll::Ready(None);
        }
        asked.as_mut().poll(waker).map(Some)
    })
    .await
}

impl CarriedStates {
    /// The blocks, in the order of the registry; at most one a tool, and none that is blank.
    pub fn blocks(&self) -> &[CarriedState] {
        &self.blocks
    }

    /// Whether no tool has anything to say.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

impl CarriedState {
    fn cut(tool_id: &str, text: &str, max_chars: usize) -> Self {
        let omitted_chars = text.chars().count().saturating_sub(max_chars);
        let kept = text.char_indices().nth(max_chars).map_or(text, |(end, _)| &text[..end]);
        Self { tool_id: tool_id.to_owned(), text: kept.to_owned(), omitted_chars }
    }

    /// Whose state it is.
    pub fn tool_id(&self) -> &str {
        &self.tool_id
    }

    /// The tool's own text, as far as it is carried.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many characters are left out behind [`text`](Self::text).
    pub fn omitted_chars(&self) -> usize {
        self.omitted_chars
    }
}

impl fmt::Display for CarriedStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.blocks.iter().try_for_each(|block| block.fmt(f))
    }
}

impl fmt::Display for CarriedState {
    /// The labelled block. Every line ends in a line end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Escaped: the id of a tool from elsewhere may hold anything.
        writeln!(f, "State of tool {:?}:", clipped(&self.tool_id, 128))?;
        for line in lines(&self.text) {
            writeln!(f, "| {line}")?;
        }
        match self.omitted_chars {
            0 => Ok(()),
            omitted => writeln!(f, "(cut: {omitted} more characters)"),
        }
    }
}

/// The lines of a text, by whatever a reader may take for a line's end: not `\n` alone.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text);
    let ends_line = |c: char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    text.split("\r\n").flat_map(move |part| part.split(ends_line))
}
