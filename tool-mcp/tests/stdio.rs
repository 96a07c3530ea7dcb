//! `serve_stdio` in a process of its own: this program starts itself as the server. It has no test harness, since the
//! harness writes to the standard output that is looked at.

use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::Arc;
use tool_core::{RawTool, RawToolRegistry, Tool, ToolError, async_trait, erase};

/// Tells the program that it is the server, and which one.
const ROLE: &str = "TOOL_MCP_TEST_SERVER";

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct AddArgs {
    a: i64,
    b: i64,
}

struct Add;

#[async_trait]
impl Tool for Add {
    type Args = AddArgs;
    type Output = i64;
    const ID: &'static str = "add";
    const DESCRIPTION: &'static str = "Adds two numbers.";

    async fn call(&self, args: AddArgs) -> Result<i64, ToolError> {
        // Longer than the client stays: it is answered all the same.
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        Ok(args.a + args.b)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn serve(role: &str) -> ExitCode {
    let tools: Vec<Arc<dyn RawTool>> = if role == "twice" { vec![erase(Add), erase(Add)] } else { vec![erase(Add)] };
    match tool_mcp::serve_stdio(RawToolRegistry::new(tools)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("{error}");
            ExitCode::from(2)
        }
    }
}

/// What the server has written and how it ended after it was sent these messages and the client hung up.
fn session(role: &str, messages: &[Value]) -> Output {
    let mut server = Command::new(std::env::current_exe().unwrap())
        .env(ROLE, role)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    for message in messages {
        // A server that refuses its tools, or the client, no longer reads.
        let _ = writeln!(input, "{message}");
    }
    drop(input);
    server.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn it_answers_on_standard_output_and_returns_when_the_client_hangs_up() {
    let output = session(
        "add",
        &[
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
                "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": {"name": "add", "arguments": {"a": 2, "b": 3}}}),
        ],
    );
    assert!(output.status.success(), "{output:?}");
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("nothing but protocol")).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!((&lines[0]["id"], &lines[0]["result"]["serverInfo"]["name"]), (&json!(1), &json!("tool-mcp")));
    let expected = json!({"jsonrpc": "2.0", "id": 2,
        "result": {"content": [{"type": "text", "text": "5"}], "isError": false}});
    assert_eq!(lines[1], expected);
}

fn a_client_that_hangs_up_at_once_is_no_error() {
    let output = session("add", &[]);
    assert_eq!((output.status.code(), text(&output.stdout), text(&output.stderr)), (Some(0), "", ""));
}

fn a_registry_with_problems_is_an_error_and_nothing_is_served() {
    let output = session("twice", &[]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
    assert_eq!(
        text(&output.stderr),
        "the tools cannot be served:\ntool id \"add\" was registered more than once; give each tool an id of its own"
    );
}

fn a_client_that_speaks_no_mcp_is_an_error_that_repeats_nothing_it_said() {
    let output = session(
        "add",
        &[json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
        "progressToken": "s3cret", "progress": 1}})],
    );
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
    assert_eq!(text(&output.stderr), "no MCP connection: the client did not begin with a request");
}

fn main() -> ExitCode {
    if let Ok(role) = std::env::var(ROLE) {
        return serve(&role);
    }
    let tests: [(&str, fn()); 4] = [
        (
            "it_answers_on_standard_output_and_returns_when_the_client_hangs_up",
            it_answers_on_standard_output_and_returns_when_the_client_hangs_up,
        ),
        ("a_client_that_hangs_up_at_once_is_no_error", a_client_that_hangs_up_at_once_is_no_error),
        (
            "a_registry_with_problems_is_an_error_and_nothing_is_served",
            a_registry_with_problems_is_an_error_and_nothing_is_served,
        ),
        (
            "a_client_that_speaks_no_mcp_is_an_error_that_repeats_nothing_it_said",
            a_client_that_speaks_no_mcp_is_an_error_that_repeats_nothing_it_said,
        ),
    ];
    for (name, test) in tests {
        test(); // a panic ends the program with a failure
        println!("test {name} ... ok");
    }
    ExitCode::SUCCESS
}
