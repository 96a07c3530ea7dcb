//! What a tool shows the model: the content blocks of MCP, in MCP's own JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base64;

/// One piece of a tool's result. The JSON form is MCP's `ContentBlock` (2025-06-18 and later), told apart by `type`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text for the model to read.
    Text(TextContent),
    /// An image in the result itself.
    Image(Box<MediaContent>),
    /// Sound in the result itself.
    Audio(Box<MediaContent>),
    /// A pointer to a resource that the client can fetch.
    ResourceLink(Box<ResourceLink>),
    /// A resource's contents in the result itself.
    Resource(Box<EmbeddedResource>),
}

/// Text of a [`ContentBlock`]. It is in nearly every result and moves through every stage of a call, so that what it seldom
/// has is kept apart: set it by [`ContentBlock::with_annotations`] and [`with_meta`](ContentBlock::with_meta).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextContent {
    /// The text; may be empty.
    pub text: String,
    /// For whom it is and how much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Box<ContentAnnotations>>,
    /// MCP's `_meta`: for protocol extensions, kept as it came.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<Map<String, Value>>>,
}

/// An image or a sound of a [`ContentBlock`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MediaContent {
    /// The bytes, as standard base64 with padding.
    pub data: String,
    /// The media type, such as `image/png`.
    pub mime_type: String,
    /// For whom it is and how much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ContentAnnotations>,
    /// MCP's `_meta`: for protocol extensions, kept as it came.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

/// A pointer to a resource, in a [`ContentBlock`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLink {
    /// The resource's URI.
    pub uri: String,
    /// Its name in programs.
    pub name: String,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its size in bytes, before any encoding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Its icons, as MCP describes them, kept as they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Value>>,
    /// For whom it is and how much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ContentAnnotations>,
    /// MCP's `_meta`: for protocol extensions, kept as it came.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

/// A resource's contents, in a [`ContentBlock`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedResource {
    /// The contents.
    pub resource: ResourceContents,
    /// For whom it is and how much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ContentAnnotations>,
    /// MCP's `_meta`: for protocol extensions, kept as it came.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

/// The contents of a resource: text, or bytes. Told apart in JSON by `text` and `blob`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum ResourceContents {
    /// A text.
    Text {
        /// The resource's URI.
        uri: String,
        /// Its media type.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        /// The text.
        text: String,
        /// MCP's `_meta`.
        #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Map<String, Value>>,
    },
    /// Bytes.
    Blob {
        /// The resource's URI.
        uri: String,
        /// Its media type.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        /// The bytes, as standard base64 with padding.
        blob: String,
        /// MCP's `_meta`.
        #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Map<String, Value>>,
    },
}

/// MCP's annotations of a content block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContentAnnotations {
    /// For whom it is: `user`, `assistant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<Vec<String>>,
    /// From 0 (optional) to 1 (required).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// When it was last changed, as ISO 8601 text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent { text: text.into(), annotations: None, meta: None })
    }

    /// An image block of base64 `data` and its media type.
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image(media(data.into(), mime_type.into()))
    }

    /// An audio block of base64 `data` and its media type.
    pub fn audio(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Audio(media(data.into(), mime_type.into()))
    }

    /// An image block of its bytes and their media type, such as `image/png`.
    ///
    /// ```
    /// use tool_core::ContentBlock;
    /// assert_eq!(ContentBlock::image_bytes([0, 1], "image/png"), ContentBlock::image("AAE=", "image/png"));
    /// ```
    pub fn image_bytes(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::image(base64::encode(bytes.as_ref()), mime_type)
    }

    /// An audio block of its bytes and their media type, such as `audio/wav`.
    pub fn audio_bytes(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::audio(base64::encode(bytes.as_ref()), mime_type)
    }

    /// A link to the resource `uri`.
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ResourceLink { uri: uri.into(), name: name.into(), ..ResourceLink::default() }.into()
    }

    /// A resource's contents in the result.
    pub fn resource(resource: ResourceContents) -> Self {
        EmbeddedResource { resource, annotations: None, meta: None }.into()
    }

    /// The same block, for these readers and of this weight.
    ///
    /// ```
    /// use tool_core::{ContentAnnotations, ContentBlock};
    /// let annotations = ContentAnnotations { priority: Some(0.2), ..ContentAnnotations::default() };
    /// let block = ContentBlock::text("took 3 ms").with_annotations(annotations);
    /// assert_eq!(serde_json::to_value(block)?["annotations"]["priority"], 0.2);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn with_annotations(mut self, annotations: ContentAnnotations) -> Self {
        match &mut self {
            Self::Text(text) => text.annotations = Some(annotations.into()),
            Self::Image(media) | Self::Audio(media) => media.annotations = Some(annotations),
            Self::ResourceLink(link) => link.annotations = Some(annotations),
            Self::Resource(embedded) => embedded.annotations = Some(annotations),
        }
        self
    }

    /// The same block with MCP's `_meta`.
    #[must_use]
    pub fn with_meta(mut self, meta: Map<String, Value>) -> Self {
        match &mut self {
            Self::Text(text) => text.meta = Some(meta.into()),
            Self::Image(media) | Self::Audio(media) => media.meta = Some(meta),
            Self::ResourceLink(link) => link.meta = Some(meta),
            Self::Resource(embedded) => embedded.meta = Some(meta),
        }
        self
    }

    /// The text of a text block; `None` for every other kind.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

fn media(data: String, mime_type: String) -> Box<MediaContent> {
    Box::new(MediaContent { data, mime_type, annotations: None, meta: None })
}

impl From<ResourceLink> for ContentBlock {
    fn from(link: ResourceLink) -> Self {
        Self::ResourceLink(Box::new(link))
    }
}

impl From<EmbeddedResource> for ContentBlock {
    fn from(resource: EmbeddedResource) -> Self {
        Self::Resource(Box::new(resource))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn blocks_are_written_and_read_as_mcp_has_them() {
        let blob = ResourceContents::Blob {
            uri: "file:///a.bin".into(),
            mime_type: Some("application/octet-stream".into()),
            blob: "AAE=".into(),
            meta: None,
        };
        for (block, wire) in [
            (ContentBlock::text(""), json!({"type": "text", "text": ""})),
            (
                ContentBlock::image("AAE=", "image/png"),
                json!({"type": "image", "data": "AAE=", "mimeType": "image/png"}),
            ),
            (
                ContentBlock::audio("AAE=", "audio/wav"),
                json!({"type": "audio", "data": "AAE=", "mimeType": "audio/wav"}),
            ),
            (
                ContentBlock::resource_link("file:///a", "a"),
                json!({"type": "resource_link", "uri": "file:///a", "name": "a"}),
            ),
            (
                ContentBlock::resource(blob),
                json!({"type": "resource", "resource":
                    {"uri": "file:///a.bin", "mimeType": "application/octet-stream", "blob": "AAE="}}),
            ),
        ] {
            assert_eq!(serde_json::to_value(&block).unwrap(), wire);
            assert_eq!(serde_json::from_value::<ContentBlock>(wire).unwrap(), block);
        }
    }

    #[test]
    fn every_kind_of_block_takes_annotations_and_meta() {
        let annotations = ContentAnnotations { priority: Some(0.5), ..ContentAnnotations::default() };
        let meta: Map<String, Value> = [("a/b".to_owned(), json!(1))].into_iter().collect();
        let contents =
            ResourceContents::Text { uri: "file:///a".into(), mime_type: None, text: "a".into(), meta: None };
        for block in [
            ContentBlock::text("a"),
            ContentBlock::image("AAE=", "image/png"),
            ContentBlock::audio("AAE=", "audio/wav"),
            ContentBlock::resource_link("file:///a", "a"),
            ContentBlock::resource(contents),
        ] {
            let mut wire = serde_json::to_value(&block).unwrap();
            wire["annotations"] = json!({"priority": 0.5});
            wire["_meta"] = json!({"a/b": 1});
            let block = block.with_annotations(annotations.clone()).with_meta(meta.clone());
            assert_eq!(serde_json::to_value(&block).unwrap(), wire);
            assert_eq!(serde_json::from_value::<ContentBlock>(wire).unwrap(), block);
        }
    }

    #[test]
    fn annotations_and_meta_of_a_foreign_block_are_kept() {
        let wire = json!({"type": "text", "text": "x", "annotations": {"audience": ["user"], "priority": 0.5,
            "lastModified": "2026-01-01T00:00:00Z"}, "_meta": {"a/b": 1}});
        let block: ContentBlock = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(serde_json::to_value(block).unwrap(), wire);
    }
}
