//! What `retail` does as runs of a runtime: approvals, a ledger, and a crash.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CANCEL: &str = r##"{"order_id": "#W8482047", "reason": "no longer needed"}"##;
const WAITS: &str =
    "The call waits for a person's approval: It pays back $107.80, and above $100.00 a person decides.\n";

fn retail(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retail"));
    command.current_dir(env!("CARGO_TARGET_TMPDIR"));
    command.args(arguments).output().expect("the program starts")
}

fn cancel(more: &[&str]) -> Output {
    retail(&[&["call", "cancel_pending_order", CANCEL, "--ask-above", "100"], more].concat())
}

/// The exit status, what stands on standard output, and what on standard error.
fn told(output: &Output) -> (Option<i32>, &str, &str) {
    let text = |bytes| str::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The name of a ledger that is not there yet.
fn ledger(name: &str) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for suffix in ["", "-wal", "-shm"] {
        let mut left = file.clone().into_os_string();
        left.push(suffix);
        let _ = fs::remove_file(PathBuf::from(left)); // it need not be there
    }
    file.to_str().expect("UTF-8").to_owned()
}

#[test]
fn without_the_rule_nobody_is_asked_and_below_the_amount_neither() {
    let allowed = retail(&["call", "cancel_pending_order", CANCEL]);
    let below = retail(&["call", "cancel_pending_order", CANCEL, "--ask-above", "107.80"]);
    for output in [allowed, below] {
        let (status, answer, _) = told(&output);
        assert_eq!(status, Some(0));
        assert!(answer.contains(r#""status":"cancelled""#), "{answer}");
    }
}

#[test]
fn a_call_waits_for_approval_and_goes_on_with_it() {
    assert_eq!(told(&cancel(&[])), (Some(1), WAITS, ""));
    let approved = cancel(&["--approve", "yes"]);
    let (status, answer, _) = told(&approved);
    assert_eq!(status, Some(0));
    assert!(answer.contains(r#""status":"cancelled""#), "{answer}");
}

#[test]
fn a_call_that_is_not_approved_is_refused() {
    let refused = "Nothing was done: a person did not approve of this call.\n";
    assert_eq!(told(&cancel(&["--approve", "no"])), (Some(1), refused, ""));
}

/// Three processes: one asks, one is answered, and one hears what was answered.
#[test]
fn a_wait_and_its_answer_outlive_the_process() {
    let ledger = ledger("approvals.ledger");
    let with_ledger = |more: &[&str]| cancel(&[&["--ledger", &ledger], more].concat());
    assert_eq!(told(&with_ledger(&[])), (Some(1), WAITS, ""));
    let approved = with_ledger(&["--approve", "yes"]);
    let (status, answer, note) = told(&approved);
    assert_eq!((status, note), (Some(0), ""));
    assert!(answer.contains(r#""status":"cancelled""#), "{answer}");
    // A second answer changes nothing any more.
    let replayed = "retail: answered from the ledger, and not executed again\n";
    assert_eq!(told(&with_ledger(&["--approve", "no"])), (Some(0), answer, replayed));
}

#[test]
fn the_same_call_over_a_ledger_is_answered_from_it_and_another_is_not() {
    let ledger = ledger("twice.ledger");
    let sum = |expression: &str| {
        let arguments = serde_json::json!({ "expression": expression }).to_string();
        let output = retail(&["call", "calculate", &arguments, "--ledger", &ledger]);
        let (status, answer, note) = told(&output);
        (status, answer.to_owned(), !note.is_empty())
    };
    assert_eq!(sum("1 + 2"), (Some(0), "3.0\n".to_owned(), false));
    assert_eq!(sum("1 + 2"), (Some(0), "3.0\n".to_owned(), true));
    assert_eq!(sum("1 + 3"), (Some(0), "4.0\n".to_owned(), false));
}

#[test]
fn an_amount_and_an_answer_are_read_or_refused() {
    for more in
        [&["--ask-above", "much"][..], &["--ask-above", "NaN"], &["--ask-above", "-1"], &["--approve", "perhaps"]]
    {
        let output = retail(&[&["call", "cancel_pending_order", CANCEL], more].concat());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{more:?}");
    }
}

#[test]
fn the_demonstration_shows_an_approval_and_a_refusal_by_a_person() {
    let output = retail(&[]);
    let (status, text, _) = told(&output);
    assert_eq!(status, Some(0));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "waits The call waits for a person's approval: It pays back $107.80, and above $100.00 a person decides. person \
         {\"approve\":true} (here, this program answers in a person's place) answer status: \"cancelled\"",
        "refusal Nothing was done: a person did not approve of this call. Ask the customer for a photo first.",
    ] {
        assert!(words.contains(part), "no {part:?} in {text}");
    }
}

/// All of it: whoever reads it is to believe each line. `UPDATE_GOLDEN=1` writes it.
#[test]
fn after_a_crash_in_a_refund_there_is_one_refund() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crash-demo.txt");
    let output = retail(&["crash-demo"]);
    let (status, text, errors) = told(&output);
    assert_eq!((status, errors), (Some(0), ""), "{text}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, text).expect("the golden file can be written");
    }
    assert!(text.lines().count() < 40, "{text}");
    assert_eq!(text, fs::read_to_string(golden).expect("there is a golden file"));
}
