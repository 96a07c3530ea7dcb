//! What every ledger promises, of the one in memory and the one in a file alike.

#[path = "contract/cases.rs"]
mod cases;
mod support;

use support::{Dead, Directory, StoppedClock};
use tool_core::{MemoryLedger, OperationLedger};
use tool_ledger::SqliteLedger;

/// Two owners of one ledger, and its clock.
struct Shared {
    one: Box<dyn OperationLedger>,
    other: Box<dyn OperationLedger>,
    clock: StoppedClock,
    _directory: Option<Directory>,
}

fn in_memory() -> Shared {
    let clock = StoppedClock::default();
    let ledger = MemoryLedger::new().with_clock(clock.reader());
    Shared { other: Box::new(ledger.as_owner("other")), one: Box::new(ledger), clock, _directory: None }
}

fn in_a_file() -> Shared {
    let clock = StoppedClock::default();
    let directory = Directory::new();
    let one = SqliteLedger::create(directory.ledger()).unwrap().with_clock(clock.reader());
    // Truly another, with a thread and a connection of its own.
    let other = SqliteLedger::open(directory.ledger()).unwrap().with_clock(clock.reader());
    Shared { one: Box::new(one), other: Box::new(other), clock, _directory: Some(directory) }
}

/// Where no owner has a lock: the leases of made-up owners end by their time, as in memory.
fn with_made_up_owners() -> Shared {
    let clock = StoppedClock::default();
    let directory = Directory::fast();
    let ledger = SqliteLedger::create(directory.ledger()).unwrap().with_clock(clock.reader());
    let [one, other] = ["one", "other"].map(|owner| ledger.as_owner(owner, Dead::default().liveness()));
    Shared { one: Box::new(one), other: Box::new(other), clock, _directory: Some(directory) }
}

macro_rules! promised {
    ($($case:ident)*) => {
        mod memory {
            $(#[tokio::test] async fn $case() { super::cases::$case(&super::in_memory()).await; })*
        }
        mod sqlite {
            $(#[tokio::test] async fn $case() { super::cases::$case(&super::in_a_file()).await; })*
        }
        mod sqlite_of_made_up_owners {
            $(#[tokio::test] async fn $case() { super::cases::$case(&super::with_made_up_owners()).await; })*
        }
    };
}

promised! {
    one_executes_and_the_others_find_it_busy
    a_result_answers_whoever_asks_again
    something_else_under_the_same_operation_is_a_conflict
    approval_comes_before_everything
    a_refusal_is_the_result
    an_answer_reaches_the_next_attempt_and_counts_once
    an_instant_comes_by_itself
    an_instant_that_is_long_past_has_come
    what_was_not_dispatched_begins_again_until_the_budget_ends
    an_attempt_without_outcome_is_never_called_nothing
    what_was_done_before_a_wait_is_never_called_nothing
    a_doubt_is_settled_by_a_person_alone
    another_attempt_where_the_policy_allows_it
    a_late_owner_changes_nothing
    a_renewed_lease_holds
    state_is_committed_with_the_result_or_not_at_all
    state_that_belongs_to_no_call_is_committed_too
    a_reaction_is_committed_once
    a_key_holds_across_runs_of_one_workspace_and_tool
    a_conflict_takes_no_key
    a_listing_is_in_the_order_of_beginning
    what_is_over_can_be_forgotten
    a_late_owner_records_nothing_in_a_run_of_the_same_name
    an_owner_ends_the_doubt_that_its_lease_has_left
    what_stands_still_can_be_given_up_and_nothing_else
    lists_grow_by_what_is_appended
    odd_texts_stay_what_they_are
}
