//! The file: how it comes into being, what it is looked at for before SQLite may touch it, and how it is opened.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::owner::{beside, random_id};
use super::schema::{self, APPLICATION_ID, MIGRATIONS};
use crate::error::OpenError;

/// What SQLite may keep beside the file: without the file each is left over.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Statements of this crate, and some more.
const STATEMENTS: usize = 48;

/// What is fixed for each file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    /// How large the file may become, in pages.
    pub(super) pages: Option<u32>,
}

/// The path of an existing ledger without symbolic links, so that every process looks for its companions in one place.
pub(super) fn find(path: &Path) -> Result<PathBuf, OpenError> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match remains_of(path) {
            Some(path) => Err(OpenError::Remains { path }),
            None => Err(OpenError::Missing { path: path.to_owned() }),
        },
        Err(error) => Err(OpenError::io(path, "look for the ledger")(error)),
    }
}

/// Makes a new ledger at a path where there is nothing.
///
/// It is built under another name and then linked to the path, which fails where something is there by now: at no time is
/// there a file at the path that is not a whole ledger, and so an empty file never is one.
pub(super) fn create(path: &Path) -> Result<(), OpenError> {
    if path.symlink_metadata().is_ok() {
        return Err(OpenError::Exists { path: path.to_owned() });
    }
    // SQLite would take an old log for the new file's, and write it in.
    if let Some(path) = remains_of(path) {
        return Err(OpenError::Remains { path });
    }
    let draft = beside(path, &format!(".{}.new", random_id()));
    let made = build(&draft).and_then(|()| publish(&draft, path));
    let _ = fs::remove_file(&draft);
    made
}

/// What is left of a ledger whose file is not there.
fn remains_of(path: &Path) -> Option<PathBuf> {
    let left = COMPANIONS.iter().map(|ending| beside(path, ending)).find(|companion| companion.exists());
    // Another process may have made the ledger between two looks.
    left.filter(|_| path.symlink_metadata().is_err())
}

fn build(draft: &Path) -> Result<(), OpenError> {
    let doing = "create the ledger";
    let file = create_private(draft).map_err(OpenError::io(draft, doing))?;
    let connection = connect(draft)?;
    let failed = |error| sqlite_error(draft, &error);
    connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    schema::migrate(&connection, MIGRATIONS).map_err(failed)?;
    keep_a_log(&connection, draft)?;
    connection.close().map_err(|(_, error)| sqlite_error(draft, &error))?;
    file.sync_all().map_err(OpenError::io(draft, doing))
}

/// A new file that only its owner can read and write: arguments and results are in it. SQLite gives the log the same mode.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn publish(draft: &Path, path: &Path) -> Result<(), OpenError> {
    match fs::hard_link(draft, path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(OpenError::Exists { path: path.to_owned() });
        }
        Err(error) => return Err(OpenError::io(path, "create the ledger")(error)),
    }
    sync_directory_of(path).map_err(OpenError::io(path, "make the ledger's name durable"))
}

/// A new name survives a power cut only with its directory.
fn sync_directory_of(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(()); // elsewhere a directory cannot be opened, and its journal keeps names by itself
    }
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

/// Opens an existing ledger, at a path without symbolic links, which has been [inspected](inspect).
pub(super) fn open(path: &Path, limits: Limits) -> Result<Connection, OpenError> {
    let connection = connect(path)?;
    let failed = |error| sqlite_error(path, &error);
    let found = schema::version(&connection).map_err(failed)?;
    if found > schema::newest() {
        return Err(OpenError::Newer { path: path.to_owned(), found, known: schema::newest() });
    }
    if found < 1 {
        return Err(damaged(path, format!("no release has written version {found} of its form")));
    }
    keep_a_log(&connection, path)?;
    schema::migrate(&connection, MIGRATIONS).map_err(failed)?;
    let missing = schema::missing_objects(&connection).map_err(failed)?;
    if !missing.is_empty() {
        return Err(damaged(path, format!("it lacks {}", missing.join(", "))));
    }
    if let Some(pages) = limits.pages {
        connection.pragma_update(None, "max_page_count", pages).map_err(failed)?;
    }
    Ok(connection)
}

/// Looks at the bytes, so that SQLite touches nothing that is not ours, and what it would take for empty is refused.
pub(super) fn inspect(path: &Path) -> Result<(), OpenError> {
    let doing = "read the ledger";
    let mut file = File::open(path).map_err(OpenError::io(path, doing))?;
    let metadata = file.metadata().map_err(OpenError::io(path, doing))?;
    if !metadata.is_file() {
        return Err(not_a_ledger(path, "it is no file"));
    }
    if metadata.len() == 0 {
        return Err(not_a_ledger(path, "it is empty, which a ledger never is"));
    }
    let mut header = [0; 100];
    if file.read_exact(&mut header).is_err() || !header.starts_with(b"SQLite format 3\0") {
        return Err(not_a_ledger(path, "it is no SQLite file"));
    }
    if number_at(&header, 68) != APPLICATION_ID {
        return Err(not_a_ledger(path, "it is another program's SQLite file"));
    }
    inspect_log(path, &beside(path, "-wal"))?;
    // Seen twice: another process may be writing its log into the file at this moment.
    if too_short(path)?.is_some() {
        std::thread::sleep(Duration::from_millis(50));
        if let Some((has, says)) = too_short(path)? {
            return Err(damaged(path, format!("it has {has} bytes of {says}")));
        }
    }
    Ok(())
}

/// How many bytes a file has, and how many it says that it has, where it has fewer. With a log it may be behind that, and
/// SQLite compares the two.
fn too_short(path: &Path) -> Result<Option<(u64, u64)>, OpenError> {
    let doing = "read the ledger";
    let mut file = File::open(path).map_err(OpenError::io(path, doing))?;
    let mut header = [0; 100];
    file.read_exact(&mut header).map_err(OpenError::io(path, doing))?;
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    let says = u64::from(number_at(&header, 28)) * page;
    let has = file.metadata().map_err(OpenError::io(path, doing))?.len();
    Ok((says > has && !beside(path, "-wal").exists()).then_some((has, says)))
}

/// SQLite takes a log that it cannot read for an empty one. After a power cut it may be all zeros; anything else is
/// somebody's doing.
fn inspect_log(path: &Path, log: &Path) -> Result<(), OpenError> {
    let Ok(mut file) = File::open(log) else { return Ok(()) };
    let mut header = [0; 32];
    if file.read_exact(&mut header).is_err() || header == [0; 32] {
        return Ok(());
    }
    if number_at(&header, 0) & !1 == 0x377f_0682 {
        return Ok(());
    }
    Err(damaged(path, format!("{} is no write-ahead log", log.display())))
}

fn number_at(header: &[u8], at: usize) -> u32 {
    header[at..at + 4].iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn connect(path: &Path) -> Result<Connection, OpenError> {
    let failed = |error| sqlite_error(path, &error);
    // One thread uses the connection. Never created here: a missing file must not become an empty one.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[allow(unused_mut)] // older releases of rusqlite take it shared below
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    // SQLite opens to read what may not be written.
    if connection.is_readonly("main").map_err(failed)? {
        return Err(OpenError::ReadOnly { path: path.to_owned() });
    }
    connection.busy_handler(Some(wait as fn(i32) -> bool)).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // fullfsync: on macOS alone, where fsync leaves what it writes in the disk's own memory.
    connection
        .execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
             PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;",
        )
        .map_err(failed)?;
    Ok(connection)
}

fn keep_a_log(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let instead: String = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))
        .map_err(|error| sqlite_error(path, &error))?;
    if instead == "wal" { Ok(()) } else { Err(OpenError::NoWriteAheadLog { path: path.to_owned(), instead }) }
}

/// How long another process may hold the ledger before a request fails.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Waits for another process: SQLite's own way waits up to 100 ms, in which others come and go many times.
fn wait(count: i32) -> bool {
    let pause = Duration::from_micros(250 << count.clamp(0, 4));
    std::thread::sleep(pause);
    Duration::from_millis(4) * u32::try_from(count).unwrap_or_default() < PATIENCE
}

/// Lets go of waiting: what is done at the end may as well be left to the next who opens the file.
///
/// SQLite finds the log by its name. Where the path leads to another file by now, the log is that one's, and stays as it is.
pub(super) fn close(mut connection: Connection, is_at_its_path: bool) {
    let _ = connection.busy_handler(None::<fn(i32) -> bool>);
    if is_at_its_path {
        let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
    } else {
        let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }
    let _ = connection.close();
}

fn not_a_ledger(path: &Path, why: &str) -> OpenError {
    OpenError::NotALedger { path: path.to_owned(), why: why.to_owned() }
}

fn damaged(path: &Path, why: String) -> OpenError {
    OpenError::Damaged { path: path.to_owned(), why }
}

fn sqlite_error(path: &Path, error: &rusqlite::Error) -> OpenError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            OpenError::Damaged { path, why: error.to_string() }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => OpenError::Busy { path },
        Some(ErrorCode::ReadOnly) => OpenError::ReadOnly { path },
        _ => OpenError::Sqlite { path, why: error.to_string() },
    }
}

/// Which file a path leads to, to notice when it is another one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity(u64, u64);

impl FileIdentity {
    /// `None` where there is no file, or no way to tell.
    pub(super) fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            fs::metadata(path).ok().map(|metadata| Self(metadata.dev(), metadata.ino()))
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            None // an open file can be neither moved nor removed
        }
    }
}
