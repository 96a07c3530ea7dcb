//! The program `retail` as its user meets it: output, exit status, and one line for each mistake.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const DELIVERED: &str = "#W6743211";

fn retail<S: AsRef<str>>(arguments: &[S]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retail"));
    // Any folder will do: the sample shop is part of the program.
    command.current_dir(env!("CARGO_TARGET_TMPDIR"));
    command.args(arguments.iter().map(AsRef::as_ref));
    command.output().expect("the program starts")
}

fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).expect("UTF-8")
}

#[track_caller]
fn assert_done(output: &Output, status: i32) {
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    assert_eq!(stderr(output), "");
}

/// Status 2, nothing on standard output, and one line on standard error that says `what`.
#[track_caller]
fn assert_bad_input(output: &Output, what: &str) {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(stdout(output), "");
    let line = stderr(output);
    assert!(line.starts_with("retail: ") && line.ends_with('\n'), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.contains(what), "{line}");
}

/// An empty folder of that name.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder can be removed");
    }
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn sample(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
    serde_json::from_str(&fs::read_to_string(path).expect("the sample is there")).expect("the sample is JSON")
}

fn as_argument(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn without_a_command_it_tells_a_story() {
    let output = retail::<&str>(&[]);
    assert_done(&output, 0);
    let text = stdout(&output);
    assert!(text.contains("16 tools"), "{text}");
    for moment in ["call", "answer", "rejected", "refusal"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("   {moment} "))), "no {moment} in {text}");
    }
    assert!(text.contains("status: \"exchange requested\""), "{text}");
    assert!(text.contains("Error: non-delivered order cannot be exchanged"), "{text}");
}

#[test]
fn a_shop_with_nothing_to_tell_has_no_story() {
    let folder = folder("empty-shop");
    for file in ["orders.json", "users.json", "products.json"] {
        fs::write(folder.join(file), "{}").expect("written");
    }
    let output = retail(&["--data", &as_argument(&folder)]);
    assert_done(&output, 0);
    assert!(stdout(&output).contains("no story to tell"));
}

#[test]
fn list_names_the_sixteen_tools() {
    let output = retail(&["list"]);
    assert_done(&output, 0);
    let signatures = stdout(&output).lines().filter(|line| !line.starts_with(' '));
    assert_eq!(signatures.clone().count(), 16);
    assert!(signatures.into_iter().any(|line| line.starts_with("cancel_pending_order(")));

    let output = retail(&["list", "--json"]);
    assert_done(&output, 0);
    let tools: Vec<Value> = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!(tools.len(), 16);
    for tool in &tools {
        assert_eq!(tool["input_schema"]["type"], "object", "{tool}");
        assert!(tool["description"].as_str().is_some_and(|text| !text.is_empty()), "{tool}");
    }
}

#[test]
fn the_reasons_for_a_cancellation_are_an_enum_in_the_schema() {
    let tools: Vec<Value> = serde_json::from_str(stdout(&retail(&["list", "--json"]))).expect("JSON");
    let cancel = tools.iter().find(|tool| tool["id"] == "cancel_pending_order").expect("the tool is there");
    let reason = &cancel["input_schema"]["properties"]["reason"];
    assert_eq!(reason["type"], "string", "{reason}");
    assert_eq!(reason["enum"], json!(["no longer needed", "ordered by mistake"]), "{reason}");
}

#[test]
fn call_prints_what_the_model_is_told() {
    let output = retail(&["call", "calculate", r#"{"expression": "3 * (19.99 + 4.5)"}"#]);
    assert_done(&output, 0);
    assert_eq!(stdout(&output), "73.47\n");

    let output = retail(&["call", "think", r#"{"thought": "hm"}"#]);
    assert_done(&output, 0);
    assert_eq!(stdout(&output), "\n");

    let output = retail(&["call", "list_all_product_types"]);
    assert_done(&output, 0);
    assert!(stdout(&output).starts_with(r#"{"Chess Set":"#));
}

#[test]
fn a_refusal_and_rejected_arguments_are_told_with_status_1() {
    let output = retail(&["call", "get_order_details", r##"{"order_id": "#W0000000"}"##]);
    assert_done(&output, 1);
    assert_eq!(stdout(&output), "Error: order not found\n");

    for arguments in [r#"{"order": "x"}"#, "{}", "[]", "-1", r##"{"order_id": "#W8482047", "reason": "a whim"}"##] {
        let output = retail(&["call", "cancel_pending_order", arguments]);
        assert_done(&output, 1);
        assert_ne!(stdout(&output).trim(), "");
    }
}

#[test]
fn slips_on_the_command_line_are_bad_input() {
    assert_bad_input(&retail(&["call", "fly", "{}"]), "no tool `fly`");
    assert_bad_input(&retail(&["call", "think", r#"{"thought": "#]), "not JSON");
    assert_bad_input(&retail(&["--data", "no/such/folder", "list"]), "no/such/folder");
    assert_bad_input(&retail(&["list", "--data", "no/such/folder"]), "no/such/folder");
    assert_bad_input(&retail(&["replay", "no-such-file.jsonl"]), "no-such-file.jsonl");
}

#[test]
fn a_broken_shop_is_bad_input() {
    let folder = folder("broken-shop");
    for (users, what) in [
        ("{", "users.json"),
        (r#"{"a": {"name": {"first_name": "A"}}}"#, "last_name"),
        ("[]", "users.json"),
        ("\u{1}", "users.json"),
    ] {
        fs::write(folder.join("orders.json"), "{}").expect("written");
        fs::write(folder.join("products.json"), "{}").expect("written");
        fs::write(folder.join("users.json"), users).expect("written");
        assert_bad_input(&retail(&["list", "--data", &as_argument(&folder)]), what);
    }
    fs::write(folder.join("users.json"), b"\xff{}").expect("written");
    assert_bad_input(&retail(&["list", "--data", &as_argument(&folder)]), "users.json");
}

#[test]
fn a_record_keeps_what_the_program_does_not_know() {
    let folder = folder("another-shop");
    let mut orders = sample("orders.json");
    let order = &mut orders[DELIVERED];
    order["gift_wrap"] = json!({"paper": "blue", "bows": 2});
    order["items"][0]["weight"] = json!(1.5);
    order["payment_history"][0]["bank"] = json!(null);
    order["address"]["floor"] = json!(3);
    order["status"] = json!("on its way");
    let mut users = sample("users.json");
    users["ines_falkner_5626"]["since"] = json!(2019);
    fs::write(folder.join("orders.json"), orders.to_string()).expect("written");
    fs::write(folder.join("users.json"), users.to_string()).expect("written");
    fs::write(folder.join("products.json"), sample("products.json").to_string()).expect("written");

    let look_up = |tool: &str, key: &str, id: &str| -> Value {
        let output = retail(&["--data", &as_argument(&folder), "call", tool, &json!({key: id}).to_string()]);
        assert_done(&output, 0);
        serde_json::from_str(stdout(&output)).expect("JSON")
    };
    assert_eq!(look_up("get_order_details", "order_id", DELIVERED), orders[DELIVERED]);
    assert_eq!(look_up("get_user_details", "user_id", "ines_falkner_5626"), users["ines_falkner_5626"]);
    let (product, record) =
        sample("products.json").as_object().and_then(|all| all.clone().into_iter().next()).expect("one");
    assert_eq!(look_up("get_product_details", "product_id", &product), record);
}

/// Yuki pays for a teapot with the card that holds too little, and then cancels it.
fn task() -> Value {
    let order_id = "#W4784804";
    let mut order = sample("orders.json")[order_id].clone();
    let mut refund = order["payment_history"][0].clone();
    refund["transaction_type"] = json!("refund");
    order["payment_history"].as_array_mut().expect("a list").push(refund);
    order["status"] = json!("cancelled");
    order["cancel_reason"] = json!("ordered by mistake");
    json!({
        "task": 7,
        "steps": [
            {
                "tool": "modify_pending_order_payment",
                "arguments": {"order_id": order_id, "payment_method_id": "gift_card_9274255"},
                "observation": "Error: insufficient gift card balance to pay for the order",
            },
            {
                "tool": "cancel_pending_order",
                "arguments": {"order_id": order_id, "reason": "ordered by mistake"},
                "observation": order.to_string(),
            },
        ],
        "changed": {"orders": {order_id: order}},
    })
}

fn replay(name: &str, tasks: &[&Value]) -> Output {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let lines: Vec<String> = tasks.iter().map(|task| format!("{task}\n")).collect();
    fs::write(&file, lines.concat()).expect("written");
    retail(&["replay", &as_argument(&file)])
}

/// The last line, without the seconds.
fn tally(output: &Output) -> &str {
    let last = stdout(output).lines().last().expect("a line");
    let (tally, seconds) = last.split_once(" seconds=").expect("the seconds are last");
    assert!(seconds.parse::<f64>().is_ok(), "{last}");
    tally
}

#[test]
fn replay_starts_each_task_from_the_untouched_shop() {
    let output = replay("twice.jsonl", &[&task(), &task()]);
    assert_done(&output, 0);
    assert_eq!(tally(&output), "tasks=2 calls=4 mismatches=0");
    assert_eq!(stdout(&output).lines().count(), 1);
}

#[test]
fn replay_finds_a_different_answer() {
    let mut wrong = task();
    wrong["steps"][0]["observation"] = json!("Error: no");
    let output = replay("answer.jsonl", &[&wrong]);
    assert_done(&output, 1);
    assert_eq!(tally(&output), "tasks=1 calls=2 mismatches=1");
    let text = stdout(&output);
    assert!(text.starts_with("mismatch: task 7, step 1 (modify_pending_order_payment)\n"), "{text}");
    assert!(text.contains("\n  expected   Error: no\n"), "{text}");
    assert!(text.contains("\n  got        Error: insufficient"), "{text}");
}

#[test]
fn replay_finds_a_different_record() {
    let mut wrong = task();
    wrong["changed"]["orders"]["#W4784804"]["payment_history"][1]["amount"] = json!(36.94);
    let output = replay("record.jsonl", &[&wrong]);
    assert_done(&output, 1);
    assert_eq!(tally(&output), "tasks=1 calls=2 mismatches=1");
    let text = stdout(&output);
    assert!(text.contains("task 7, after the last step: order #W4784804\n"), "{text}");
    assert!(text.contains("differs at payment_history[1].amount"), "{text}");
}

#[test]
fn replay_finds_what_should_or_should_not_have_changed() {
    let mut wrong = task();
    wrong["changed"] = json!({"users": {"nobody": {}}, "orders": {}});
    let output = replay("changes.jsonl", &[&wrong]);
    assert_done(&output, 1);
    assert_eq!(tally(&output), "tasks=1 calls=2 mismatches=2");
    let text = stdout(&output);
    assert!(text.contains("order #W4784804") && text.contains("user nobody"), "{text}");
}

#[test]
fn replay_says_where_the_argument_boundary_came_first() {
    let step = |observation: &str| {
        json!({"task": 1, "changed": {}, "steps": [{
            "tool": "cancel_pending_order",
            "arguments": {"order_id": "#W4784804", "reason": "a whim"},
            "observation": observation,
        }]})
    };
    let output = replay("boundary.jsonl", &[&step("Error: invalid reason")]);
    assert_done(&output, 0);
    assert!(stdout(&output).starts_with("note: task 1, step 1 (cancel_pending_order)"));
    assert_eq!(tally(&output), "tasks=1 calls=1 mismatches=0");

    let output = replay("no-boundary.jsonl", &[&step("{}")]);
    assert_done(&output, 1);
}

#[test]
fn a_task_file_that_is_none_is_bad_input() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken.jsonl");
    fs::write(&file, format!("{}\n\n{{\"task\": 8}}\n", task())).expect("written");
    assert_bad_input(&retail(&["replay", &as_argument(&file)]), "line 3, is not a task");
}

#[test]
fn a_reader_that_has_had_enough_is_no_mistake() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_retail"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_done(&output, 0);
}

/// The recordings are not part of this project. Where they lie beside it, all of them must come out as recorded.
#[test]
fn the_recorded_tasks_of_the_benchmark_come_out_alike() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/tau-retail");
    if !recorded.is_dir() {
        eprintln!("SKIPPED: there are no recordings at {}", recorded.display());
        return;
    }
    let path = |name: &str| as_argument(&recorded.join(name));
    let output = retail(&["replay", "--data", &path("data"), &path("tasks-dev.jsonl"), &path("tasks-train-100.jsonl")]);
    assert_done(&output, 0);
    assert_eq!(tally(&output), "tasks=120 calls=179 mismatches=0");
}
