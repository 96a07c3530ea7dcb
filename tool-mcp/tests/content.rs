//! Each kind of content block, with all that it can bear.

mod support;

use serde_json::{Value, json};
use support::{LineClient, answering, call, client_of, wire};
use tool_core::{
    ContentAnnotations, ContentBlock, EmbeddedResource, MediaContent, ResourceContents, ResourceLink, ToolOutput,
};

/// What the client gets of one block.
async fn received(block: ContentBlock) -> Value {
    let client = client_of([answering("show", Ok(ToolOutput::ok_blocks([block])))]).await;
    let mut content = wire(&call(&client, "show", json!({})).await)["content"].take();
    assert_eq!(content.as_array().unwrap().len(), 1);
    content[0].take()
}

/// The block arrives as the JSON that it is in tool-core, which is the JSON of the protocol.
async fn arrives_as(block: ContentBlock, expected: Value) {
    assert_eq!(serde_json::to_value(&block).unwrap(), expected);
    assert_eq!(received(block).await, expected);
}

fn annotations() -> ContentAnnotations {
    ContentAnnotations {
        audience: Some(vec!["user".to_owned(), "assistant".to_owned()]),
        priority: Some(0.5),
        last_modified: Some("2026-01-12T15:00:58Z".to_owned()),
    }
}

fn annotations_json() -> Value {
    json!({"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-12T15:00:58Z"})
}

fn meta(value: &Value) -> Option<serde_json::Map<String, Value>> {
    json!({"example.org/note": value}).as_object().cloned()
}

#[tokio::test]
async fn a_text_arrives_whole() {
    let text = ContentBlock::text("line\nline").with_annotations(annotations()).with_meta(meta(&json!(1)).unwrap());
    let expected = json!({"type": "text", "text": "line\nline", "annotations": annotations_json(),
        "_meta": {"example.org/note": 1}});
    arrives_as(text, expected).await;
    arrives_as(ContentBlock::text(""), json!({"type": "text", "text": ""})).await;
}

fn media(data: &str, mime_type: &str) -> MediaContent {
    let (data, mime_type) = (data.to_owned(), mime_type.to_owned());
    MediaContent { data, mime_type, annotations: Some(annotations()), meta: meta(&json!("m")) }
}

#[tokio::test]
async fn an_image_arrives_whole() {
    let expected = json!({"type": "image", "data": "AAE=", "mimeType": "image/png", "annotations": annotations_json(),
        "_meta": {"example.org/note": "m"}});
    arrives_as(ContentBlock::Image(Box::new(media("AAE=", "image/png"))), expected).await;
    let bare = json!({"type": "image", "data": "AAE=", "mimeType": "image/png"});
    arrives_as(ContentBlock::image("AAE=", "image/png"), bare).await;
}

#[tokio::test]
async fn a_sound_arrives_whole() {
    let expected = json!({"type": "audio", "data": "AAI=", "mimeType": "audio/wav", "annotations": annotations_json(),
        "_meta": {"example.org/note": "m"}});
    arrives_as(ContentBlock::Audio(Box::new(media("AAI=", "audio/wav"))), expected).await;
    let bare = json!({"type": "audio", "data": "AAI=", "mimeType": "audio/wav"});
    arrives_as(ContentBlock::audio("AAI=", "audio/wav"), bare).await;
}

#[tokio::test]
async fn a_resource_link_arrives_whole() {
    let link = ResourceLink {
        uri: "file:///a.md".to_owned(),
        name: "a".to_owned(),
        title: Some("A".to_owned()),
        description: Some("The first.".to_owned()),
        mime_type: Some("text/markdown".to_owned()),
        size: Some(12),
        icons: Some(vec![
            json!({"src": "https://example.org/i.svg", "mimeType": "image/svg+xml", "sizes": ["any"], "theme": "dark"}),
        ]),
        annotations: Some(annotations()),
        meta: meta(&json!([1])),
    };
    let expected = json!({"type": "resource_link", "uri": "file:///a.md", "name": "a", "title": "A",
        "description": "The first.", "mimeType": "text/markdown", "size": 12,
        "icons": [{"src": "https://example.org/i.svg", "mimeType": "image/svg+xml", "sizes": ["any"], "theme": "dark"}],
        "annotations": annotations_json(), "_meta": {"example.org/note": [1]}});
    arrives_as(link.into(), expected).await;
    let bare = json!({"type": "resource_link", "uri": "file:///a.md", "name": "a"});
    arrives_as(ContentBlock::resource_link("file:///a.md", "a"), bare).await;
}

#[tokio::test]
async fn an_embedded_text_and_embedded_bytes_arrive_whole() {
    let text = ResourceContents::Text {
        uri: "file:///a.md".to_owned(),
        mime_type: Some("text/markdown".to_owned()),
        text: "# A".to_owned(),
        meta: meta(&json!("inner")),
    };
    let block = EmbeddedResource { resource: text, annotations: Some(annotations()), meta: meta(&json!("outer")) };
    let expected = json!({"type": "resource",
        "resource": {"uri": "file:///a.md", "mimeType": "text/markdown", "text": "# A",
            "_meta": {"example.org/note": "inner"}},
        "annotations": annotations_json(), "_meta": {"example.org/note": "outer"}});
    arrives_as(block.into(), expected).await;

    let bytes = ResourceContents::Blob {
        uri: "file:///a.bin".to_owned(),
        mime_type: Some("application/octet-stream".to_owned()),
        blob: "AAE=".to_owned(),
        meta: meta(&json!("bytes")),
    };
    let expected = json!({"type": "resource", "resource": {"uri": "file:///a.bin",
        "mimeType": "application/octet-stream", "blob": "AAE=", "_meta": {"example.org/note": "bytes"}}});
    arrives_as(ContentBlock::resource(bytes), expected).await;
}

#[tokio::test]
async fn a_hint_that_the_protocol_does_not_know_costs_itself_and_not_the_result() {
    for (priority, arrives) in
        [(7.0, json!({"audience": ["user"], "priority": 1.0})), (-1.0, json!({"audience": ["user"], "priority": 0.0}))]
    {
        assert_eq!(hinted(&["user", "system"], priority).await, arrives);
    }
    assert_eq!(hinted(&["system"], 0.25).await, json!({"audience": [], "priority": 0.25}));
    assert_eq!(hinted(&[], f64::NAN).await, json!({"audience": []}));
}

/// The hints as they are on the wire, where the SDK's own client would overlook a `null`.
async fn hinted(audience: &[&str], priority: f64) -> Value {
    let audience = Some(audience.iter().map(ToString::to_string).collect());
    let annotations = ContentAnnotations { audience, priority: Some(priority), last_modified: None };
    let text = ContentBlock::text("t").with_annotations(annotations);
    let mut client = LineClient::of([answering("show", Ok(ToolOutput::ok_blocks([text])))]).await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "show"}});
    client.ask(&call).await["result"]["content"][0]["annotations"].take()
}

#[tokio::test]
async fn an_icon_that_is_none_costs_itself_and_not_the_result() {
    let icons = Some(vec![json!({"source": "nowhere"}), json!({"src": "https://example.org/i.png"})]);
    let link = ResourceLink { uri: "file:///a".to_owned(), name: "a".to_owned(), icons, ..ResourceLink::default() };
    let received = received(link.into()).await;
    assert_eq!(received["icons"], json!([{"src": "https://example.org/i.png"}]));
}
