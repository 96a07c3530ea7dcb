//! One call and the others: panics and slow tools.

mod support;

use serde_json::json;
use std::sync::Arc;
use support::{answering, call, client_of, in_time, request, tool, wire};
use tokio::sync::Notify;
use tool_core::ToolOutput;

const IN_DOUBT: &str = "The tool failed, and its outcome is unknown: its effect may have happened. Do not repeat the \
    call before you have checked.";

#[tokio::test]
async fn r2_a_panic_is_a_result_without_its_message_and_the_next_call_works() {
    let client = client_of([
        tool("at_once", |_| async { panic!("password=hunter2") }),
        tool("later", |_| async {
            tokio::task::yield_now().await;
            panic!("password=hunter2")
        }),
        // No message that is a text, and no future yet.
        tool("early", |_| -> std::future::Ready<_> { std::panic::panic_any(7) }),
        answering("fine", Ok(ToolOutput::ok("fine"))),
    ])
    .await;
    for name in ["at_once", "later", "early", "at_once"] {
        let expected = json!({"content": [{"type": "text", "text": IN_DOUBT}], "isError": true});
        assert_eq!(wire(&call(&client, name, json!({})).await), expected, "{name}");
        let fine = json!({"content": [{"type": "text", "text": "fine"}], "isError": false});
        assert_eq!(wire(&call(&client, "fine", json!({})).await), fine, "after {name}");
    }
}

#[tokio::test]
async fn a_slow_tool_does_not_hold_up_a_quick_one() {
    let quick_ran = Arc::new(Notify::new());
    let (wait, notify) = (Arc::clone(&quick_ran), quick_ran);
    // Each waits for a call that comes after it, so that calls one by one would never end.
    let slow = tool("slow", move |_| {
        let wait = Arc::clone(&wait);
        async move {
            wait.notified().await;
            Ok(ToolOutput::ok("slow"))
        }
    });
    let quick = tool("quick", move |_| {
        notify.notify_one();
        std::future::ready(Ok(ToolOutput::ok("quick")))
    });
    let client = client_of([slow, quick]).await;
    let slow = client.call_tool(request("slow", &json!({})));
    let quick = async {
        tokio::task::yield_now().await;
        client.call_tool(request("quick", &json!({}))).await
    };
    let (slow, quick) = Box::pin(in_time(async { tokio::join!(slow, quick) })).await;
    assert_eq!(slow.unwrap().content[0].as_text().unwrap().text, "slow");
    assert_eq!(quick.unwrap().content[0].as_text().unwrap().text, "quick");
}
