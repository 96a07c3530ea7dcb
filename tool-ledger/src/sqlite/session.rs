//! Records and states as rows, within one transaction.

use rusqlite::{Connection, ErrorCode, OptionalExtension, Params, Row, params, params_from_iter};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use tool_core::{
    LedgerError, OperationFilter, OperationIntent, OperationRecord, RunScope, Stage, StateAction, StateCommand,
    StateEntries,
};

use super::owner::Owner;
use super::running::{Running, Written};
use super::schema::INDEXED_STAGES;

/// One transaction, as requests see it.
pub(super) struct Session<'a> {
    connection: &'a Connection,
    owner: &'a Owner,
    running: &'a Running,
    /// Who was found alive or dead: asked once in a transaction.
    alive: RefCell<HashMap<String, bool>>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The ledger's answer is no. Nothing has been written for this request.
    Refused(LedgerError),
    /// The store failed: the transaction is void.
    Store(LedgerError),
}

impl Fault {
    /// The same fault, after something was written for the request: the transaction must not stand.
    fn void(self) -> Self {
        let (Self::Refused(error) | Self::Store(error)) = self;
        Self::Store(error)
    }
}

impl From<LedgerError> for Fault {
    fn from(error: LedgerError) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(store_error(&error))
    }
}

/// What an error of SQLite's means to who uses the ledger.
pub(super) fn store_error(error: &rusqlite::Error) -> LedgerError {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    let is_unreadable = match error {
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..) => true,
        _ => matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::TypeMismatch | ErrorCode::Unknown)
        ),
    };
    let text = error.to_string();
    if is_unreadable { LedgerError::Unreadable(text) } else { LedgerError::Unavailable(text) }
}

/// A record, and the row that holds it.
pub(super) struct Held {
    row: i64,
    pub(super) record: OperationRecord,
}

impl<'a> Session<'a> {
    pub(super) fn new(connection: &'a Connection, owner: &'a Owner, running: &'a Running) -> Self {
        Self { connection, owner, running, alive: RefCell::default() }
    }

    pub(super) fn owner(&self) -> &Arc<str> {
        self.owner.id()
    }

    /// Whether an owner may still be alive.
    pub(super) fn may_be_alive(&self, owner: &str) -> bool {
        let mut alive = self.alive.borrow_mut();
        if let Some(known) = alive.get(owner) {
            return *known;
        }
        let answer = self.owner.may_be_alive(owner);
        alive.insert(owner.to_owned(), answer);
        answer
    }

    pub(super) fn find(&self, ledger_id: &str) -> Result<Option<Held>, Fault> {
        self.first("SELECT seq, ledger_id, record FROM operations WHERE ledger_id = ?1", [ledger_id])
    }

    /// The record of an operation that must be there.
    pub(super) fn get(&self, ledger_id: &str) -> Result<Held, Fault> {
        self.find(ledger_id)?.ok_or(Fault::Refused(LedgerError::NotFound))
    }

    /// What an intent is about: the operation that its idempotency key stands for, or else its own.
    pub(super) fn known_of(&self, intent: &OperationIntent) -> Result<Option<Held>, Fault> {
        if let Some(key) = &intent.idempotency_key {
            let by_key = self.first(
                "SELECT seq, ledger_id, record FROM operations
                 WHERE workspace = ?1 AND tool = ?2 AND idempotency_key = ?3",
                params![intent.operation.workspace_id().as_str(), &*intent.call.tool_id, key],
            )?;
            if by_key.is_some() {
                return Ok(by_key);
            }
        }
        self.find(&intent.operation.ledger_id())
    }

    fn first(&self, sql: &str, parameters: impl Params) -> Result<Option<Held>, Fault> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let row = statement.query_row(parameters, stored).optional()?;
        row.map(Stored::read).transpose()
    }

    /// The records that a filter takes, in the order in which they were begun.
    pub(super) fn list(&self, filter: &OperationFilter) -> Result<Vec<Held>, Fault> {
        let mut conditions = vec!["1".to_owned()];
        let mut parameters = Vec::new();
        if let Some(run) = &filter.run {
            let prefix = run.ledger_prefix();
            // Beyond every digit.
            parameters.extend([format!("{prefix}~"), prefix]);
            conditions.push("ledger_id < ?1 AND ledger_id > ?2".to_owned());
        }
        if let Some(workspace) = &filter.workspace {
            parameters.push(workspace.as_str().to_owned());
            conditions.push(format!("workspace = ?{}", parameters.len()));
        }
        if let Some(stage) = filter.stage {
            conditions.push(format!("stage = '{stage}'"));
            if !matches!(stage, Stage::Running | Stage::Completed) {
                conditions.push(INDEXED_STAGES.to_owned());
            }
        }
        let conditions = conditions.join(" AND ");
        let sql = format!("SELECT seq, ledger_id, record FROM operations WHERE {conditions} ORDER BY seq");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(parameters))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let held = stored(row)?.read()?;
            // The columns are only the way to the record.
            if filter.takes(&held.record) {
                found.push(held);
            }
        }
        Ok(found)
    }

    /// Writes a new record; `false` where its operation has one.
    pub(super) fn insert(&self, record: OperationRecord) -> Result<bool, Fault> {
        let (ledger_id, text) = (record.ledger_id(), json(&record)?);
        let rows = self.execute(
            "INSERT INTO operations (ledger_id, workspace, stage, tool, idempotency_key, record)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (ledger_id) DO NOTHING",
            params![
                ledger_id,
                record.operation.workspace_id().as_str(),
                record.state.stage().as_str(),
                &*record.tool_id,
                record.idempotency_key,
                text,
            ],
        )?;
        if rows > 0 && record.state.stage() == Stage::Running {
            let row = self.connection.last_insert_rowid();
            self.running.remember(ledger_id, Written { row, record, text });
        }
        Ok(rows > 0)
    }

    /// Changes the record of an operation that must be there, and the state of its run with it.
    pub(super) fn change<T>(
        &self,
        ledger_id: &str,
        commands: &[StateCommand],
        change: impl Fn(&mut OperationRecord) -> Result<T, LedgerError>,
    ) -> Result<T, Fault> {
        let (answer, record) = match self.change_running(ledger_id, &change)? {
            Some(changed) => changed,
            None => {
                let mut held = self.get(ledger_id)?;
                let answer = change(&mut held.record)?;
                self.update(&held)?;
                (answer, held.record)
            }
        };
        if !commands.is_empty() {
            self.apply(&record.operation.scope(), commands)?;
        }
        Ok(answer)
    }

    /// [`change`](Self::change) of what this ledger has begun, if it is as it was written. A refusal is not believed either.
    fn change_running<T>(
        &self,
        ledger_id: &str,
        change: impl Fn(&mut OperationRecord) -> Result<T, LedgerError>,
    ) -> Result<Option<(T, OperationRecord)>, Fault> {
        let Some(Written { row, mut record, text: before }) = self.running.take(ledger_id) else { return Ok(None) };
        let Ok(answer) = change(&mut record) else { return Ok(None) };
        let (stage, text) = (record.state.stage().as_str(), json(&record)?);
        let replaced = self.execute(
            "UPDATE operations SET stage = ?3, record = ?4 WHERE seq = ?1 AND record = ?2",
            params![row, before, stage, text],
        )?;
        if replaced == 0 {
            return Ok(None);
        }
        if record.state.stage() == Stage::Running {
            self.running.remember(ledger_id.to_owned(), Written { row, record: record.clone(), text });
        }
        Ok(Some((answer, record)))
    }

    pub(super) fn update(&self, held: &Held) -> Result<(), Fault> {
        let stage = held.record.state.stage().as_str();
        let record = json(&held.record)?;
        self.execute("UPDATE operations SET stage = ?2, record = ?3 WHERE seq = ?1", params![held.row, stage, record])?;
        Ok(())
    }

    pub(super) fn delete(&self, held: &Held) -> Result<(), Fault> {
        self.execute("DELETE FROM operations WHERE seq = ?1", [held.row])?;
        Ok(())
    }

    pub(super) fn state(&self, run: &RunScope) -> Result<StateEntries, Fault> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT key, value FROM state WHERE workspace = ?1 AND thread = ?2 AND run = ?3")?;
        let mut rows = statement.query(scope(run))?;
        let mut entries = StateEntries::new();
        while let Some(row) = rows.next()? {
            let key: String = row.get(0)?;
            let value = entry_of(&key, &row.get::<_, String>(1)?)?;
            entries.insert(key, value);
        }
        Ok(entries)
    }

    fn entry(&self, run: &RunScope, key: &str) -> Result<Option<Value>, Fault> {
        let at = scope(run);
        let mut statement = self
            .connection
            .prepare_cached("SELECT value FROM state WHERE workspace = ?1 AND thread = ?2 AND run = ?3 AND key = ?4")?;
        let text: Option<String> = statement.query_row([at[0], at[1], at[2], key], |row| row.get(0)).optional()?;
        text.map(|text| entry_of(key, &text)).transpose()
    }

    fn set_entry(&self, run: &RunScope, key: &str, value: &Value) -> Result<(), Fault> {
        let at = scope(run);
        self.execute(
            "INSERT INTO state (workspace, thread, run, key, value) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO UPDATE SET value = excluded.value",
            [at[0], at[1], at[2], key, &json(value)?],
        )?;
        Ok(())
    }

    /// Applies the commands that were staged with what this transaction records.
    pub(super) fn apply(&self, run: &RunScope, commands: &[StateCommand]) -> Result<(), Fault> {
        let at = scope(run);
        for command in commands {
            let StateCommand { key, action } = command;
            match action {
                StateAction::Set(value) => self.set_entry(run, key, value)?,
                StateAction::Append(_) => {
                    let entry = self.entry(run, key).map_err(Fault::void)?.map(|value| (key.clone(), value));
                    let mut entries: StateEntries = entry.into_iter().collect();
                    command.apply(&mut entries);
                    self.set_entry(run, key, &entries.remove(key).unwrap_or_default())?;
                }
                StateAction::Remove => {
                    self.execute(
                        "DELETE FROM state WHERE workspace = ?1 AND thread = ?2 AND run = ?3 AND key = ?4",
                        [at[0], at[1], at[2], key],
                    )?;
                }
                // The record is written by now: the transaction must not stand.
                other => {
                    let why = format!("this ledger does not know how to apply {other:?}");
                    return Err(Fault::Store(LedgerError::Unavailable(why)));
                }
            }
        }
        Ok(())
    }

    pub(super) fn drop_state(&self, run: &RunScope) -> Result<(), Fault> {
        self.execute("DELETE FROM state WHERE workspace = ?1 AND thread = ?2 AND run = ?3", scope(run))?;
        Ok(())
    }

    /// Executes a statement, and says how many rows it changed.
    fn execute(&self, sql: &str, parameters: impl Params) -> Result<usize, Fault> {
        Ok(self.connection.prepare_cached(sql)?.execute(parameters)?)
    }
}

fn scope(run: &RunScope) -> [&str; 3] {
    [run.workspace.as_str(), run.thread.as_str(), run.run.as_str()]
}

/// A row as it is stored.
struct Stored {
    row: i64,
    ledger_id: String,
    json: String,
}

fn stored(row: &Row<'_>) -> Result<Stored, rusqlite::Error> {
    Ok(Stored { row: row.get(0)?, ledger_id: row.get(1)?, json: row.get(2)? })
}

impl Stored {
    fn read(self) -> Result<Held, Fault> {
        let Self { row, ledger_id, json } = self;
        let record: OperationRecord =
            serde_json::from_str(&json).map_err(|error| unreadable(&format!("the operation {ledger_id}"), &error))?;
        if record.ledger_id() == ledger_id {
            return Ok(Held { row, record });
        }
        let other = record.ledger_id();
        Err(Fault::Refused(LedgerError::Unreadable(format!("the record of {ledger_id} is that of {other}"))))
    }
}

fn entry_of(key: &str, text: &str) -> Result<Value, Fault> {
    serde_json::from_str(text).map_err(|error| unreadable(&format!("the state {key:?}"), &error))
}

fn unreadable(what: &str, error: &serde_json::Error) -> Fault {
    // Without serde's text, which may repeat what is stored.
    let (line, column) = (error.line(), error.column());
    let why = format!("{what} is no record of this release's form (line {line}, column {column})");
    Fault::Refused(LedgerError::Unreadable(why))
}

/// Fails, before anything is written of it, for an instant before 1970 and for what could not be read again.
fn json<T: serde::Serialize>(value: &T) -> Result<String, Fault> {
    let text = serde_json::to_string(value)
        .map_err(|error| Fault::Store(LedgerError::Unavailable(format!("it cannot be written as JSON: {error}"))))?;
    if depth(&text) > DEEPEST {
        let why = format!("with the record around it, it is nested more than {DEEPEST} deep");
        return Err(Fault::Store(LedgerError::Unrecordable(why)));
    }
    Ok(text)
}

/// How deep a text may be that `serde_json` reads.
const DEEPEST: usize = 127;

/// How deep arrays and objects stand in each other, of a text that is JSON.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
