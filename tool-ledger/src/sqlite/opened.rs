//! Which ledgers this process has open.
//!
//! On Unix, a process that closes a file gives up the locks that it has on it by any other handle. SQLite minds that for its
//! own handles; a ledger that is opened a second time must not be opened and closed beside it, only to be looked at.

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::file::{self, FileIdentity, Limits};
use crate::error::OpenError;

/// One entry for each connection; held while one is being opened.
static OPEN: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

/// Which file, and under which name: SQLite finds its log by that.
#[derive(Clone, PartialEq, Eq)]
struct Entry {
    path: PathBuf,
    identity: Option<FileIdentity>,
}

/// That a connection of this process has a file open: to be dropped after it.
pub(super) struct Opened(Entry);

/// Opens an existing ledger, at a path without symbolic links, after a look at its bytes.
pub(super) fn open(path: &Path, limits: Limits) -> Result<(Connection, Opened), OpenError> {
    let mut open = entries();
    let entry = Entry { path: path.to_owned(), identity: FileIdentity::of(path) };
    if open.iter().any(|other| other.path == entry.path && other.identity != entry.identity) {
        return Err(OpenError::Replaced { path: entry.path });
    }
    if entry.identity.is_none() || !open.iter().any(|other| other.identity == entry.identity) {
        file::inspect(path)?;
    }
    let connection = file::open(path, limits)?;
    open.push(entry.clone());
    Ok((connection, Opened(entry)))
}

impl Opened {
    pub(super) fn path(&self) -> &Path {
        &self.0.path
    }

    /// Whether the path still leads to the file that was opened.
    pub(super) fn is_at_its_path(&self) -> bool {
        self.0.identity == FileIdentity::of(self.path())
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let mut open = entries();
        if let Some(at) = open.iter().position(|other| *other == self.0) {
            open.swap_remove(at);
        }
    }
}

fn entries() -> MutexGuard<'static, Vec<Entry>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}
