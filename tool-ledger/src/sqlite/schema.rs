//! The form of the file: its versions, and how an older one becomes the newest.

use rusqlite::{Connection, Error};

/// `tool` in ASCII: SQLite's place for whose file it is.
pub(super) const APPLICATION_ID: u32 = 0x746f_6f6c;

/// What each version adds to the one before it. The number of a version is its place here, from 1.
///
/// A released entry never changes. Whatever an older release would misread or lose on writing back needs a new version,
/// also where only the JSON of `record` changes: every transaction of an older release checks the version first.
pub(super) const MIGRATIONS: &[&str] = &[
    // 1. Rows in the order in which they were begun. Records are too large for WITHOUT ROWID, entries of a state mostly
    //    are not. Each index that a call changes costs it a page in each commit. So that of the ids serves for runs too,
    //    whose ids stand together, and what runs or is over is found by reading the rows.
    "CREATE TABLE operations (
        seq INTEGER PRIMARY KEY,
        ledger_id TEXT NOT NULL UNIQUE,
        workspace TEXT NOT NULL,
        stage TEXT NOT NULL,
        tool TEXT NOT NULL,
        idempotency_key TEXT,
        record TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX operations_by_key ON operations (workspace, tool, idempotency_key)
        WHERE idempotency_key IS NOT NULL;
    CREATE INDEX operations_by_stage ON operations (stage) WHERE stage NOT IN ('running', 'completed');
    CREATE TABLE state (
        workspace TEXT NOT NULL,
        thread TEXT NOT NULL,
        run TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (workspace, thread, run, key)
    ) STRICT, WITHOUT ROWID;",
];

/// Which stages `operations_by_stage` has: a query that says the same can use it.
pub(super) const INDEXED_STAGES: &str = "stage NOT IN ('running', 'completed')";

/// What the newest version consists of: a file without any of these is damaged.
pub(super) const OBJECTS: &[&str] = &["operations", "operations_by_key", "operations_by_stage", "state"];

/// The newest version.
pub(super) fn newest() -> i64 {
    number(MIGRATIONS.len())
}

/// The version of a file.
pub(super) fn version(connection: &Connection) -> Result<i64, Error> {
    connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))
}

/// Brings a file to the newest of `migrations`, in one transaction: all of it or nothing. Several processes may do this at
/// once, and a file of a newer version stays as it is.
pub(super) fn migrate(connection: &Connection, migrations: &[&str]) -> Result<(), Error> {
    if version(connection)? >= number(migrations.len()) {
        return Ok(());
    }
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    let migrated = migrate_within(connection, migrations);
    let ended = connection.execute_batch(if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" });
    migrated.and(ended)
}

fn migrate_within(connection: &Connection, migrations: &[&str]) -> Result<(), Error> {
    // Another process may have been faster.
    let from = usize::try_from(version(connection)?).unwrap_or_default();
    for migration in migrations.iter().skip(from) {
        connection.execute_batch(migration)?;
    }
    if from < migrations.len() {
        connection.pragma_update(None, "user_version", number(migrations.len()))?;
    }
    Ok(())
}

fn number(version: usize) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}

/// Those of [`OBJECTS`] that a file does not have.
pub(super) fn missing_objects(connection: &Connection) -> Result<Vec<&'static str>, Error> {
    let mut statement = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?1")?;
    let mut missing = Vec::new();
    for object in OBJECTS {
        if !statement.exists([object])? {
            missing.push(*object);
        }
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: [&str; 3] =
        ["CREATE TABLE a (x)", "INSERT INTO a VALUES (1)", "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x"];

    #[test]
    fn an_older_version_goes_through_what_it_lacks_and_no_more() {
        let connection = Connection::open_in_memory().unwrap();
        for length in 1..=3 {
            migrate(&connection, &THREE[..length]).unwrap();
            assert_eq!(version(&connection).unwrap(), number(length));
        }
        migrate(&connection, &THREE).unwrap();
        migrate(&connection, &THREE[..1]).unwrap();
        assert_eq!(version(&connection).unwrap(), 3, "an older list changes nothing");
        let rows: i64 = connection.query_row("SELECT sum(y) FROM a", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 1, "each step ran once");
    }

    #[test]
    fn a_step_that_fails_leaves_the_version_before_all_of_them() {
        let connection = Connection::open_in_memory().unwrap();
        migrate(&connection, &THREE[..1]).unwrap();
        migrate(&connection, &[THREE[0], THREE[1], "no SQL"]).unwrap_err();
        assert_eq!(version(&connection).unwrap(), 1);
        let rows: i64 = connection.query_row("SELECT count(*) FROM a", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 0);
        migrate(&connection, &THREE).unwrap();
    }

    #[test]
    fn what_the_index_of_stages_has_is_what_a_query_says_of_it() {
        let connection = Connection::open_in_memory().unwrap();
        migrate(&connection, MIGRATIONS).unwrap();
        let sql =
            format!("EXPLAIN QUERY PLAN SELECT record FROM operations WHERE stage = 'in_doubt' AND {INDEXED_STAGES}");
        let plan: String = connection.query_row(&sql, [], |row| row.get(3)).unwrap();
        assert_eq!(plan, "SEARCH operations USING INDEX operations_by_stage (stage=?)");
    }

    #[test]
    fn the_list_of_objects_is_what_the_migrations_make() {
        let connection = Connection::open_in_memory().unwrap();
        assert_eq!(missing_objects(&connection).unwrap(), OBJECTS);
        migrate(&connection, MIGRATIONS).unwrap();
        assert!(missing_objects(&connection).unwrap().is_empty());
        let made: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'", [], |row| row.get(0))
            .unwrap();
        assert_eq!(made, number(OBJECTS.len()));
    }
}
