//! Which ledgers this process has open.
//!
//! On Unix, a process that closes a file gives up the locks that it has on it by any other handle. SQLite minds that for its
//! own handles; a ledger that is opened a second time must not be opened and closed beside it, only to be looked at.

use rusqlite::Connection;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::file::{self, FileIdentity, Limits};
use crate::error::OpenError;

/// One entry for each connection; held while one is being opened.
static OPEN: Mutex<Vec<FileIdentity>> = Mutex::new(Vec::new());

/// That a connection of this process has a file open: to be dropped after it.
pub(super) struct Opened(Option<FileIdentity>);

/// Opens an existing ledger, at a path without symbolic links, after a look at its bytes.
pub(super) fn open(path: &Path, limits: Limits) -> Result<(Connection, Opened), OpenError> {
    let mut open = entries();
    let identity = FileIdentity::of(path);
    if !identity.is_some_and(|identity| open.contains(&identity)) {
        file::inspect(path)?;
    }
    let connection = file::open(path, limits)?;
    open.extend(identity);
    Ok((connection, Opened(identity)))
}

impl Opened {
    /// Whether the path still leads to the file that was opened.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        self.0 == FileIdentity::of(path)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let mut open = entries();
        if let Some(at) = open.iter().position(|other| Some(*other) == self.0) {
            open.swap_remove(at);
        }
    }
}

fn entries() -> MutexGuard<'static, Vec<FileIdentity>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}
