//! What this ledger has begun and not ended: its rows as they were written, so that the end of a call need not read and decode
//! what the ledger knows already.
//!
//! None of it is believed. Another process may have changed a row since, or its transaction came to nothing: a row is
//! replaced only where it still has the whole text that was written, and else read anew.

use std::cell::RefCell;
use std::collections::HashMap;
use tool_core::OperationRecord;

/// How many rows are remembered at most; more are read like those of others.
const MOST: usize = 1024;

/// A row as it was written.
pub(super) struct Written {
    pub(super) row: i64,
    pub(super) record: OperationRecord,
    /// The record as the row has it.
    pub(super) text: String,
}

/// The rows of operations that are being executed, by their ids.
#[derive(Default)]
pub(super) struct Running(RefCell<HashMap<String, Written>>);

impl Running {
    pub(super) fn remember(&self, ledger_id: String, written: Written) {
        let mut rows = self.0.borrow_mut();
        if rows.len() >= MOST {
            rows.clear(); // the calls behind most of them were given up
        }
        rows.insert(ledger_id, written);
    }

    pub(super) fn take(&self, ledger_id: &str) -> Option<Written> {
        self.0.borrow_mut().remove(ledger_id)
    }
}
