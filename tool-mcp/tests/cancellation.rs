//! What reaches a tool of the client's will to stop.

mod support;

use rmcp::model::{CallToolRequest, ClientRequest};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, ServiceExt};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use support::{Client, answering, call, client_of, in_time, modern_client_of, request, served, tool};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tool_core::{RawTool, ToolContext, ToolOutput};

/// A tool that works until it is told to stop, and tells how far it came.
fn patient() -> (Arc<dyn RawTool>, UnboundedReceiver<&'static str>) {
    let (tell, told) = unbounded_channel();
    let body = move |_| {
        let tell: UnboundedSender<&'static str> = tell.clone();
        async move {
            tell.send("started").unwrap();
            ToolContext::current().cancelled().await;
            tell.send("told to stop").unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await; // where a dropped future would end
            tell.send("tidied up").unwrap();
            Ok(ToolOutput::ok("stopped"))
        }
    };
    (tool("patient", body), told)
}

async fn start(client: &Client, name: &str) -> RequestHandle<RoleClient> {
    let call = ClientRequest::CallToolRequest(CallToolRequest::new(request(name, &json!({}))));
    client.send_cancellable_request(call, PeerRequestOptions::no_options()).await.unwrap()
}

async fn cancelling_reaches_the_tool(client: Client, mut told: UnboundedReceiver<&'static str>) {
    let handle = start(&client, "patient").await;
    assert_eq!(in_time(told.recv()).await, Some("started"));
    assert_eq!(call(&client, "quick", json!({})).await.content[0].as_text().unwrap().text, "quick");
    assert!(told.try_recv().is_err(), "told to stop before the client cancelled");

    handle.cancel(Some("changed my mind".to_owned())).await.unwrap();
    assert_eq!(in_time(told.recv()).await, Some("told to stop"));
    assert_eq!(call(&client, "quick", json!({})).await.content[0].as_text().unwrap().text, "quick");
    assert_eq!(in_time(told.recv()).await, Some("tidied up"));
}

#[tokio::test]
async fn a_cancelled_call_is_told_to_stop_and_runs_to_its_own_end_and_others_are_answered() {
    let (patient, told) = patient();
    let client = client_of([patient, answering("quick", Ok(ToolOutput::ok("quick")))]).await;
    cancelling_reaches_the_tool(client, told).await;
}

#[tokio::test]
async fn cancelling_is_the_same_over_the_newest_protocol() {
    let (patient, told) = patient();
    let client = modern_client_of([patient, answering("quick", Ok(ToolOutput::ok("quick")))]).await;
    cancelling_reaches_the_tool(client, told).await;
}

#[tokio::test]
async fn cancelling_one_call_leaves_another_of_the_same_tool_alone() {
    let (patient, mut told) = patient();
    let client = client_of([patient]).await;
    let first = start(&client, "patient").await;
    let second = start(&client, "patient").await;
    assert_eq!((in_time(told.recv()).await, in_time(told.recv()).await), (Some("started"), Some("started")));

    first.cancel(None).await.unwrap();
    assert_eq!((in_time(told.recv()).await, in_time(told.recv()).await), (Some("told to stop"), Some("tidied up")));
    assert!(told.try_recv().is_err());
    second.cancel(None).await.unwrap();
    assert_eq!(in_time(told.recv()).await, Some("told to stop"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_still_at_work_when_the_client_hangs_up_is_told_to_stop() {
    let (patient, mut told) = patient();
    let (near, serving) = served([patient]);
    let client = ().serve(near).await.unwrap();
    start(&client, "patient").await;
    assert_eq!(told.recv().await, Some("started"));

    client.cancel().await.unwrap();
    in_time(serving).await.unwrap();
    assert_eq!(in_time(told.recv()).await, Some("told to stop"));
    assert_eq!(in_time(told.recv()).await, Some("tidied up"));
}

#[tokio::test]
async fn an_answer_does_not_stop_what_its_tool_left_running() {
    let (tell, mut told) = unbounded_channel();
    let starts = tool("start", move |_| {
        let (tell, context) = (tell.clone(), ToolContext::current());
        async move {
            tokio::spawn(async move {
                context.cancelled().await;
                tell.send("told to stop").unwrap();
            });
            Ok(ToolOutput::ok("started"))
        }
    });
    let client = client_of([starts, answering("quick", Ok(ToolOutput::ok("quick")))]).await;
    call(&client, "start", json!({})).await;
    call(&client, "quick", json!({})).await; // the server has long done what it does after an answer
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(told.try_recv(), Err(tokio::sync::mpsc::error::TryRecvError::Empty));
}
