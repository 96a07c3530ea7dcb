//! What an operator sees.

mod support;

use serde_json::json;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use support::{answering, call, client_of, tool};
use tool_core::{ToolError, ToolOutput};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Collects this crate's events as lines.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("tool_mcp")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // A duration is never the same twice.
        if field.name() == "duration_ms" {
            assert!(format!("{value:?}").parse::<f64>().unwrap() >= 0.0);
            write!(self.0, " duration_ms").unwrap();
        } else {
            write!(self.0, " {}={value:?}", field.name()).unwrap();
        }
    }
}

#[tokio::test(flavor = "current_thread")]
async fn each_call_is_told_with_its_outcome_and_without_arguments_results_or_panic_messages() {
    let lines = Lines::default();
    let _guard = tracing::subscriber::set_default(lines.clone());
    let client = client_of([
        answering("fine", Ok(ToolOutput::ok("s3cret"))),
        answering("sad", Err(ToolError::failed("s3cret"))),
        answering("lost", Err(ToolError::execution("socket closed"))),
        tool("broken", |_| async { panic!("s3cret") }),
        answering("strict", Err(ToolError::invalid_arguments("got s3cret"))),
    ])
    .await;
    for name in ["fine", "sad", "lost", "broken", "strict"] {
        call(&client, name, json!({"pin": "s3cret"})).await;
    }
    let lines = lines.0.lock().unwrap();
    let ends = lines.iter().filter(|line| !line.starts_with("DEBUG")).map(String::as_str).collect::<Vec<_>>();
    let doubt = "execution failed, its effect may have happened:";
    assert_eq!(
        ends,
        [
            r#"INFO message=tool call ended tool="fine" call="1" outcome="ok" duration_ms"#,
            r#"INFO message=tool call ended tool="sad" call="2" outcome="failed" duration_ms"#,
            &format!(r#"WARN message=tool call broke down tool="lost" call="3" error={doubt} socket closed"#),
            r#"INFO message=tool call ended tool="lost" call="3" outcome="in doubt" duration_ms"#,
            &format!(r#"WARN message=tool call broke down tool="broken" call="4" error={doubt} the tool panicked"#),
            r#"INFO message=tool call ended tool="broken" call="4" outcome="in doubt" duration_ms"#,
            r#"INFO message=tool call ended tool="strict" call="5" outcome="invalid arguments" duration_ms"#,
        ]
    );
    assert_eq!(lines[0], r#"DEBUG message=tool call started tool="fine" call="1""#);
    assert!(!lines.concat().contains("s3cret"));
}
