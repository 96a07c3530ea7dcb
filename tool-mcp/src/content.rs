//! From the content blocks of a tool's output to those of the SDK.

use rmcp::model::{self, Annotations, Icon, JsonObject, MetaObject, Resource, Role};
use serde_json::Value;
use tool_core::{
    ContentAnnotations, ContentBlock, EmbeddedResource, MediaContent, ResourceContents, ResourceLink, TextContent,
};

/// One block for one block; only what the protocol has no place for is left out, and it is named where that happens.
pub(crate) fn block(block: ContentBlock) -> model::ContentBlock {
    match block {
        ContentBlock::Text(content) => model::ContentBlock::Text(text(content)),
        ContentBlock::Image(media) => {
            let MediaContent { data, mime_type, annotations, meta } = *media;
            let mut image = model::ImageContent::new(data, mime_type);
            image.annotations = annotations.map(hints);
            image.meta = meta.map(MetaObject);
            model::ContentBlock::Image(image)
        }
        ContentBlock::Audio(media) => {
            let MediaContent { data, mime_type, annotations, meta } = *media;
            let mut audio = model::AudioContent::new(data, mime_type);
            audio.annotations = annotations.map(hints);
            audio.meta = meta.map(MetaObject);
            model::ContentBlock::Audio(audio)
        }
        ContentBlock::ResourceLink(link) => model::ContentBlock::ResourceLink(resource_link(*link)),
        ContentBlock::Resource(resource) => model::ContentBlock::Resource(embedded(*resource)),
        // A kind that a later tool-core adds reaches the model as its JSON rather than not at all.
        other => model::ContentBlock::text(serde_json::to_string(&other).unwrap_or_default()),
    }
}

fn text(TextContent { text, annotations, meta }: TextContent) -> model::TextContent {
    let mut content = model::TextContent::new(text);
    content.annotations = annotations.map(|annotations| hints(*annotations));
    content.meta = meta.map(|meta| MetaObject(*meta));
    content
}

fn resource_link(link: ResourceLink) -> Resource {
    let mut resource = Resource::new(link.uri, link.name);
    resource.title = link.title;
    resource.description = link.description;
    resource.mime_type = link.mime_type;
    resource.size = link.size;
    // An icon that is not one in the protocol's terms would make clients refuse the whole result.
    resource.icons = link.icons.map(|icons| icons.into_iter().filter_map(icon).collect());
    resource.annotations = link.annotations.map(hints);
    resource.meta = link.meta.map(MetaObject);
    resource
}

fn icon(icon: Value) -> Option<Icon> {
    serde_json::from_value(icon).ok()
}

fn embedded(EmbeddedResource { resource, annotations, meta }: EmbeddedResource) -> model::EmbeddedResource {
    let mut embedded = model::EmbeddedResource::new(match resource {
        ResourceContents::Text { uri, mime_type, text, meta } => {
            model::ResourceContents::TextResourceContents { uri, mime_type, text, meta: meta_object(meta) }
        }
        ResourceContents::Blob { uri, mime_type, blob, meta } => {
            model::ResourceContents::BlobResourceContents { uri, mime_type, blob, meta: meta_object(meta) }
        }
    });
    embedded.annotations = annotations.map(hints);
    embedded.meta = meta_object(meta);
    embedded
}

fn meta_object(meta: Option<JsonObject>) -> Option<MetaObject> {
    meta.map(MetaObject)
}

/// An audience that the protocol does not know and a priority that is no number are left out, and a priority is kept
/// within the protocol's bounds: a hint must not cost the result, and clients refuse a result for it.
fn hints(ContentAnnotations { audience, priority, last_modified }: ContentAnnotations) -> Annotations {
    let mut annotations = Annotations::default();
    annotations.audience = audience.map(|names| names.iter().filter_map(|name| role(name)).collect());
    annotations.priority = priority.filter(|priority| !priority.is_nan()).map(narrow);
    annotations.last_modified = last_modified;
    annotations
}

fn role(name: &str) -> Option<Role> {
    match name {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the SDK holds a priority as f32, and a hint needs no more")]
fn narrow(priority: f64) -> f32 {
    priority.clamp(0.0, 1.0) as f32
}
