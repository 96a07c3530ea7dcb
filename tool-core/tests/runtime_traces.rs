//! What is traced of a call: spans with OpenTelemetry's names, and no arguments but where they are asked for.

mod runtime_support;

use runtime_support::{builder, call, run};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tool_core::{erase, tool};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Logs in.
#[tool(recovery = replay_safe)]
fn log_in(user: String, #[arg(secret)] pin: String) -> Result<String, String> {
    if pin == "hunter2" { Ok(format!("{user} is in")) } else { Err("wrong".to_owned()) }
}

/// Writes down all that it is told, as a line each.
struct Lines {
    most: Level,
    payloads: bool,
    written: Arc<Mutex<Vec<String>>>,
    next: AtomicU64,
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Lines {
    fn line(&self, start: &str, record: impl FnOnce(&mut Text)) {
        let mut text = Text(start.to_owned());
        record(&mut text);
        self.written.lock().unwrap().push(text.0);
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        if metadata.target() == "tool_core::payloads" { self.payloads } else { *metadata.level() <= self.most }
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        self.line(attributes.metadata().name(), |text| attributes.record(text));
        Id::from_u64(self.next.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        self.line("record", |text| values.record(text));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.line(event.metadata().target(), |text| event.record(text));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn traced(most: Level, payloads: bool, pin: &str) -> Vec<String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let subscriber = Lines { most, payloads, written: lines.clone(), next: AtomicU64::new(0) };
    tracing::subscriber::with_default(subscriber, || {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        tokio.block_on(async {
            let run = run(&builder([erase(LogIn)]).build().unwrap()).await;
            run.step(0, vec![call("call_7", "log_in", &format!(r#"{{"pin": "{pin}", "user": "ada"}}"#))]).await;
        });
    });
    let mut lines = lines.lock().unwrap();
    std::mem::take(&mut *lines)
}

#[test]
fn a_call_is_a_span_with_the_names_that_opentelemetry_gives() {
    let lines = traced(Level::INFO, false, "hunter2");
    assert_eq!(
        lines,
        [concat!(
            r#"execute_tool otel.name=execute_tool log_in gen_ai.operation.name="execute_tool" gen_ai.tool.name="log_in""#,
            r#" gen_ai.tool.call.id="call_7" gen_ai.tool.description="Logs in." gen_ai.tool.type="function""#,
            r#" gen_ai.conversation.id="t1""#,
        )]
    );
    let failed = traced(Level::INFO, false, "0000");
    assert_eq!(failed.last().unwrap(), r#"record error.type="tool_error""#);
}

#[test]
fn each_stage_is_a_span_below_it() {
    let lines = traced(Level::DEBUG, false, "hunter2");
    assert_eq!(lines[1..], ["authorise", "record_intent", "execute", "record_outcome", "after_tool"]);
}

#[test]
fn arguments_and_results_are_shown_only_where_they_are_asked_for_and_secrets_nowhere() {
    for most in [Level::INFO, Level::TRACE] {
        let lines = traced(most, false, "hunter2").join("\n");
        assert!(!lines.contains("ada") && !lines.contains("hunter2"), "{lines}");
    }
    let lines = traced(Level::INFO, true, "hunter2");
    assert_eq!(
        lines[1..],
        [
            r#"tool_core::payloads message=arguments gen_ai.tool.call.arguments={"pin":"[redacted]","user":"ada"}"#,
            r#"tool_core::payloads message=result gen_ai.tool.call.result="ada is in""#,
        ]
    );
}

/// Notes below which span each call stands.
#[derive(Default)]
struct Parents {
    made: Mutex<Vec<&'static Metadata<'static>>>,
    entered: Mutex<Vec<Id>>,
    of_calls: Arc<Mutex<Vec<Option<&'static str>>>>,
}

impl Parents {
    fn metadata(&self, id: &Id) -> &'static Metadata<'static> {
        self.made.lock().unwrap()[usize::try_from(id.into_u64()).unwrap() - 1]
    }
}

impl Subscriber for Parents {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && *metadata.level() <= Level::INFO
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        if attributes.metadata().name() == "execute_tool" {
            let parent = self.entered.lock().unwrap().last().map(|id| self.metadata(id).name());
            self.of_calls.lock().unwrap().push(parent);
        }
        let mut made = self.made.lock().unwrap();
        made.push(attributes.metadata());
        Id::from_u64(made.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, id: &Id) {
        self.entered.lock().unwrap().push(id.clone());
    }

    fn exit(&self, _: &Id) {
        self.entered.lock().unwrap().pop();
    }

    fn current_span(&self) -> tracing_core::span::Current {
        match self.entered.lock().unwrap().last() {
            Some(id) => tracing_core::span::Current::new(id.clone(), self.metadata(id)),
            None => tracing_core::span::Current::none(),
        }
    }
}

#[test]
fn calls_beside_each_other_stand_below_the_callers_span_too() {
    let subscriber = Parents::default();
    let parents = Arc::clone(&subscriber.of_calls);
    tracing::subscriber::with_default(subscriber, || {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        tokio.block_on(tracing::Instrument::instrument(
            async {
                let run = run(&builder([erase(Look)]).build().unwrap()).await;
                run.step(0, vec![call("a", "look", "{}")]).await;
                run.step(1, vec![call("a", "look", "{}"), call("b", "look", "{}")]).await;
            },
            tracing::info_span!("turn"),
        ));
    });
    assert_eq!(*parents.lock().unwrap(), [Some("turn"); 3]);
}

/// Looks.
#[tool(read_only, concurrency = parallel)]
fn look() -> &'static str {
    "seen"
}
