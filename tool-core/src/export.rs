//! Tool entries as the providers' APIs take them, each from the one canonical schema of a [`ToolDescriptor`].
//!
//! Every provider takes another part of JSON Schema, and refuses a request that holds anything else. An export says as
//! much of the canonical schema as its provider can be told. What the provider's schemas cannot say stands in the
//! description; what cannot be said at all is left out, or makes the tool non-strict. Each such step is a [`Finding`],
//! so that nothing is lost in silence.
//!
//! An export is made of its descriptor alone, without any state, and is the same on every machine, in every build, and
//! with every feature of `serde_json`: cache it as long as the [`identity`](ToolDescriptor::identity).
//!
//! # Decisions
//!
//! * **Optional properties**: absent, but for `openai-strict`, which wants every property and so takes `null` for absent;
//!   the argument boundary decodes that. Anthropic is told of absence only, the others of `null` where the type has it.
//! * **Objects that leave open whether they have other properties** are closed where a provider wants them closed. A map,
//!   or an object that names no property, is never: it makes the tool non-strict.
//! * **A union at the root**, such as a tagged enum, becomes one object with all forms' properties, where a provider
//!   refuses it. Its description says what belongs to which form.
//! * **`$ref`** has nothing beside it: a described reference to a recursive type is an `anyOf` of one.
//! * **Gemini's types** are written as in JSON Schema (`object`), which the API takes as well as `OBJECT`.

mod anthropic;
mod dialect;
mod finding;
mod gemini;
mod mcp;
mod merge;
mod model;
mod names;
mod null;
mod openai;
mod read;
mod render;
mod root;
mod tidy;
pub(crate) mod walk;
mod words;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use self::anthropic::Share;
use self::finding::Notes;
use self::openai::Api;
use crate::descriptor::ToolDescriptor;

pub use self::finding::{Finding, Rule, Severity};
pub use self::names::NameMap;
pub(crate) use self::tidy::tidied;

/// An API that takes tools, and how. Each has a name for command lines and files: `openai-strict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ExportFormat {
    /// `mcp`: an entry of `tools/list`.
    Mcp,
    /// `openai`: Chat Completions.
    OpenAi,
    /// `openai-responses`: Responses.
    OpenAiResponses,
    /// `openai-strict`: Chat Completions, the model held to the schema.
    OpenAiStrict,
    /// `openai-responses-strict`: Responses, the model held to the schema.
    OpenAiResponsesStrict,
    /// `anthropic`: Messages.
    Anthropic,
    /// `anthropic-strict`: Messages, the model held to the schema.
    AnthropicStrict,
    /// `gemini`: a function declaration with `parameters`.
    Gemini,
    /// `gemini-json-schema`: a function declaration with `parametersJsonSchema`.
    GeminiJsonSchema,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: [Self; 9] = [
        Self::Mcp,
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::OpenAiStrict,
        Self::OpenAiResponsesStrict,
        Self::Anthropic,
        Self::AnthropicStrict,
        Self::Gemini,
        Self::GeminiJsonSchema,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::OpenAi => "openai",
            Self::OpenAiResponses => "openai-responses",
            Self::OpenAiStrict => "openai-strict",
            Self::OpenAiResponsesStrict => "openai-responses-strict",
            Self::Anthropic => "anthropic",
            Self::AnthropicStrict => "anthropic-strict",
            Self::Gemini => "gemini",
            Self::GeminiJsonSchema => "gemini-json-schema",
        }
    }

    /// The most tools that one request takes, where there is such a limit.
    pub const fn most_tools(self) -> Option<usize> {
        match self {
            Self::OpenAi | Self::OpenAiResponses | Self::OpenAiStrict | Self::OpenAiResponsesStrict => {
                Some(openai::MOST_TOOLS)
            }
            _ => None,
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ExportFormat {
    type Err = UnknownExportFormat;

    fn from_str(name: &str) -> Result<Self, UnknownExportFormat> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownExportFormat(name.to_owned()))
    }
}

impl Serialize for ExportFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// No [`ExportFormat`] has this name; the text says which there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownExportFormat(String);

impl fmt::Display for UnknownExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = ExportFormat::ALL.into_iter().map(ExportFormat::name).collect();
        write!(f, "no export format is named {:?}; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownExportFormat {}

/// One tool as one API takes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Export {
    /// An entry of the request's `tools`, whole. (For MCP, of the `tools` that a server lists.)
    pub tool: Value,
    /// The name by which the provider knows the tool: its id, where the provider takes that.
    pub name: String,
    /// What the provider would refuse, and what the entry says otherwise than the tool does.
    pub findings: Vec<Finding>,
}

impl Export {
    /// The part of the entry that holds `name` and `description`, wherever the API has it.
    pub fn declaration(&self) -> &Value {
        let within = self.tool.get("function").or_else(|| self.tool.get("functionDeclarations")?.get(0));
        within.unwrap_or(&self.tool)
    }

    /// The schema of the arguments; none for a tool without arguments, where the API wants it so.
    pub fn parameters(&self) -> Option<&Value> {
        let declaration = self.declaration();
        ["inputSchema", "input_schema", "parameters", "parametersJsonSchema"]
            .into_iter()
            .find_map(|keyword| declaration.get(keyword))
    }

    /// Whether the provider holds the model to the schema.
    pub fn is_strict(&self) -> bool {
        self.declaration().get("strict") == Some(&Value::Bool(true))
    }
}

/// The tools of one request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Exports {
    /// The request's `tools`, in the order of the descriptors.
    pub tools: Vec<Value>,
    /// Which name stands for which tool: a call comes back under the provider's name.
    pub names: NameMap,
    /// The findings on every tool, then those on all of them together.
    pub findings: Vec<Finding>,
}

impl ToolDescriptor {
    /// The tool as an API takes it, by itself. Several tools of one request go through [`export_all`], which keeps
    /// their names apart and to the limits of a request.
    pub fn export(&self, format: ExportFormat) -> Export {
        let name = names::provider_name(format, self.id());
        let (entry, findings, _) = exported(self, format, &name, Strictness::AsAsked);
        Export { tool: whole(format, vec![entry]).pop().unwrap_or_default(), name, findings }
    }
}

/// All tools of one request to an API.
///
/// Strict tools beyond what a request takes are exported non-strict, the later ones first; tools beyond what it takes at
/// all are exported nevertheless, and found.
pub fn export_all(format: ExportFormat, descriptors: impl IntoIterator<Item: AsRef<ToolDescriptor>>) -> Exports {
    let held: Vec<_> = descriptors.into_iter().collect();
    let descriptors: Vec<&ToolDescriptor> = held.iter().map(AsRef::as_ref).collect();
    let names = NameMap::new(format, descriptors.iter().map(|descriptor| descriptor.id()));
    let mut findings = Vec::new();
    let mut entries = Vec::new();
    let mut taken = Share::default();
    let mut seen = BTreeSet::new();
    for descriptor in &descriptors {
        let name = names.provider_name(descriptor.id()).unwrap_or_default();
        let (mut entry, mut found, share) = exported(descriptor, format, name, Strictness::AsAsked);
        let total = taken.plus(share);
        if let Some(excess) = total.excess() {
            (entry, found, _) = exported(descriptor, format, name, Strictness::Never);
            let message = format!("exported non-strict: with it there would be {excess}; offer fewer tools at once");
            found.push(Finding::new(Some(format), descriptor.id(), "$", Rule::StrictLimit, message));
        } else {
            taken = total;
        }
        if !seen.insert(descriptor.id()) {
            let message = "another tool of the catalogue has this id; give each tool an id of its own";
            found.push(Finding::new(Some(format), descriptor.id(), "$", Rule::IdDuplicate, message));
        }
        entries.push(entry);
        findings.append(&mut found);
    }
    if let Some(most) = format.most_tools().filter(|most| descriptors.len() > *most) {
        let message = format!("{} tools, of which the provider takes {most} a request; offer fewer", descriptors.len());
        findings.push(Finding::new(Some(format), "", "$", Rule::TooManyTools, message));
    }
    Exports { tools: whole(format, entries), names, findings }
}

#[derive(Clone, Copy, PartialEq)]
enum Strictness {
    AsAsked,
    Never,
}

/// One entry (for Gemini, one declaration) with its findings, and what it takes of a request's allowance.
fn exported(
    descriptor: &ToolDescriptor,
    format: ExportFormat,
    name: &str,
    strictness: Strictness,
) -> (Value, Vec<Finding>, Share) {
    let mut notes = Notes::new(descriptor.id(), format);
    if name != descriptor.id() {
        let message = format!("the provider refuses the id as a name, or another tool has it: offered as `{name}`");
        notes.add("$", Rule::NameMapped, message);
    }
    let asked = strictness == Strictness::AsAsked;
    let mut share = Share::default();
    let mut entry = match format {
        ExportFormat::Mcp => mcp::entry(descriptor, name, &mut notes),
        ExportFormat::OpenAi => openai::entry(descriptor, name, Api::ChatCompletions, false, &mut notes),
        ExportFormat::OpenAiResponses => openai::entry(descriptor, name, Api::Responses, false, &mut notes),
        ExportFormat::OpenAiStrict => openai::entry(descriptor, name, Api::ChatCompletions, asked, &mut notes),
        ExportFormat::OpenAiResponsesStrict => openai::entry(descriptor, name, Api::Responses, asked, &mut notes),
        ExportFormat::Anthropic | ExportFormat::AnthropicStrict => {
            let strict = format == ExportFormat::AnthropicStrict && asked;
            let (entry, taken) = anthropic::entry(descriptor, name, strict, &mut notes);
            share = taken;
            entry
        }
        ExportFormat::Gemini => gemini::declaration(descriptor, name, false, &mut notes),
        ExportFormat::GeminiJsonSchema => gemini::declaration(descriptor, name, true, &mut notes),
    };
    entry.sort_all_objects(); // the order in which this was written, and `preserve_order`, show nowhere
    (entry, notes.into_findings(), share)
}

/// The entries as the list that a request holds.
fn whole(format: ExportFormat, entries: Vec<Value>) -> Vec<Value> {
    match format {
        ExportFormat::Gemini | ExportFormat::GeminiJsonSchema if !entries.is_empty() => {
            vec![json!({"functionDeclarations": entries})]
        }
        _ => entries,
    }
}
