//! What a tool says of its behaviour, in MCP's terms.

use serde::{Deserialize, Serialize};

/// Hints on a tool's behaviour. `None` is *not stated*: a reader assumes the worse, as MCP does (it writes, may
/// destroy, and reaches an open world).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// It changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// It may overwrite or remove what is there, not only add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// It deals with a world that it does not know whole: the web, other people's systems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    /// Nothing stated.
    pub const fn new() -> Self {
        Self { read_only: None, destructive: None, open_world: None }
    }

    /// States whether it changes nothing.
    #[must_use]
    pub const fn with_read_only(mut self, read_only: bool) -> Self {
        self.read_only = Some(read_only);
        self
    }

    /// States whether it may overwrite or remove.
    #[must_use]
    pub const fn with_destructive(mut self, destructive: bool) -> Self {
        self.destructive = Some(destructive);
        self
    }

    /// States whether it deals with an open world.
    #[must_use]
    pub const fn with_open_world(mut self, open_world: bool) -> Self {
        self.open_world = Some(open_world);
        self
    }
}
