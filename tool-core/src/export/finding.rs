//! What an export or a lint has to say.

use serde::{Serialize, Serializer};
use std::collections::BTreeSet;
use std::fmt;

use super::ExportFormat;

/// One thing that whoever offers the tool should know: what a provider would refuse, what its export cannot say, or
/// what a model would stumble over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The tool's id; empty where the finding is about the whole catalogue.
    pub tool: String,
    /// Where in the arguments: `$` is their object, `$.lines[*].sku` a property of each item, `$.prices.*` each value of
    /// a map, `$defs.Node` a recursive type.
    pub path: String,
    /// Which rule.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// The export that it is about; `None` where every reader is concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ExportFormat>,
    /// What is the matter, and what to do.
    pub message: String,
}

impl Finding {
    pub(crate) fn new(
        format: Option<ExportFormat>,
        tool: &str,
        path: impl Into<String>,
        rule: Rule,
        message: impl Into<String>,
    ) -> Self {
        let (tool, path, message) = (tool.to_owned(), path.into(), message.into());
        Self { tool, path, rule, severity: rule.severity(), format, message }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.severity, self.rule)?;
        if let Some(format) = self.format {
            write!(f, " {format}")?;
        }
        if !self.tool.is_empty() {
            write!(f, " {}", self.tool)?;
        }
        write!(f, " at {}: {}", self.path, self.message)
    }
}

/// How bad a [`Finding`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Said in another way than the tool says it; nothing to do.
    Note,
    /// The model is told less than there is to know; better mended.
    Warning,
    /// The provider refuses it.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $id:literal, $severity:ident;)*) => {
        /// The rules behind [`Finding`]s. Their ids are stable: `"not-strict"`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$rule,)*];

            /// Its stable id, in kebab case.
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$rule => $id,)*
                }
            }

            /// How bad a breach of it is.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$rule => Severity::$severity,)*
                }
            }
        }
    };
}

rules! {
    /// The provider refuses the id as a name, so that the tool is offered under another.
    NameMapped = "name-mapped", Note;
    /// Two tools of the catalogue have one id.
    IdDuplicate = "id-duplicate", Error;
    /// The provider refuses a property's name, which cannot be changed without the decoder.
    PropertyName = "property-name", Error;
    /// The arguments are not an object.
    RootNotObject = "root-not-object", Error;
    /// The arguments have several forms, which the provider refuses at the root: they are offered as one object.
    RootUnionMerged = "root-union-merged", Note;
    /// Something cannot be said strictly, so that the tool is exported non-strict.
    NotStrict = "not-strict", Warning;
    /// A limit of strict tools in one request is reached, so that this one is exported non-strict.
    StrictLimit = "strict-limit", Warning;
    /// There are more tools than the provider takes in one request.
    TooManyTools = "too-many-tools", Error;
    /// The description is longer than the provider takes.
    DescriptionTooLong = "description-too-long", Error;
    /// A bound that the provider's schemas cannot express stands in the description.
    ConstraintInWords = "constraint-in-words", Note;
    /// A keyword that the provider's schemas do not have, and that no words stand for, is left out.
    KeywordDropped = "keyword-dropped", Warning;
    /// A map of free keys is offered as a plain object, its values described in words.
    MapInWords = "map-in-words", Warning;
    /// A recursive type is cut off where it comes back to itself.
    RecursionCut = "recursion-cut", Warning;
    /// A free-form value is offered as one of the basic types.
    FreeForm = "free-form", Note;
    /// A `$ref` leads nowhere.
    ReferenceUnresolved = "reference-unresolved", Warning;
    /// Exactly one of several forms is offered as any of them.
    UnionWidened = "union-widened", Note;
    /// A list of fixed positions is offered as a list of any of its types, the positions described in words.
    TupleInWords = "tuple-in-words", Warning;
    /// The schema is too deep or too large to be written out; what is beyond is a plain object.
    SchemaTooLarge = "schema-too-large", Warning;
    /// The tool has no description: a model chooses by it.
    DescriptionMissing = "description-missing", Warning;
    /// The tool's description has under ten characters.
    DescriptionShort = "description-short", Warning;
    /// A parameter has no description.
    ParameterUndescribed = "parameter-undescribed", Warning;
    /// The values of an enum are explained nowhere.
    EnumUndocumented = "enum-undocumented", Warning;
    /// A default or an example is a value that the tool itself refuses, and the model is told to send it.
    ValueRefused = "value-refused", Warning;
    /// Two tools are described nearly alike: a model cannot tell which to choose.
    DescriptionsAlike = "descriptions-alike", Warning;
}

impl Rule {
    /// Whether the export then lets a model send what the tool's own schema refuses. Where no finding of an export
    /// does, every value that the export allows is valid for the tool (`null` for an absent property aside).
    pub const fn loosens(self) -> bool {
        matches!(
            self,
            Self::RootNotObject
                | Self::RootUnionMerged
                | Self::ConstraintInWords
                | Self::KeywordDropped
                | Self::MapInWords
                | Self::RecursionCut
                | Self::ReferenceUnresolved
                | Self::UnionWidened
                | Self::TupleInWords
                | Self::SchemaTooLarge
        )
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

/// Collects the findings on one tool for one format.
pub(super) struct Notes<'a> {
    tool: &'a str,
    format: ExportFormat,
    found: Vec<Finding>,
    seen: BTreeSet<(String, Rule, String)>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(tool: &'a str, format: ExportFormat) -> Self {
        Self { tool, format, found: Vec::new(), seen: BTreeSet::new() }
    }

    pub(super) fn add(&mut self, path: &str, rule: Rule, message: impl Into<String>) {
        let message = message.into();
        // A definition that is written out in several places is found fault with once a place.
        if self.seen.insert((path.to_owned(), rule, message.clone())) {
            self.found.push(Finding::new(Some(self.format), self.tool, path, rule, message));
        }
    }

    /// An empty collection for the same tool and format.
    pub(super) fn for_same(other: &Self) -> Self {
        Self::new(other.tool, other.format)
    }

    pub(super) fn extend(&mut self, other: Self) {
        for finding in other.found {
            self.add(&finding.path, finding.rule, finding.message);
        }
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.found
    }
}
