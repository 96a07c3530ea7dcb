//! Why a ledger could not be opened.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a ledger could not be opened or created. Its text says what to do.
///
/// A file that cannot be read is never taken for an empty ledger, and nothing is written into a file that is not a
/// ledger.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no file at the path.
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// There is a file at the path already.
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// The ledger itself is gone, but not the log that belongs to it.
    Remains {
        /// The file that is left.
        path: PathBuf,
    },
    /// The file is something else.
    NotALedger {
        /// Which file.
        path: PathBuf,
        /// How that is seen.
        why: String,
    },
    /// It is a ledger that cannot be read.
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It was put in the place of another, which this program still has open: the two would share one log.
    Replaced {
        /// Which file.
        path: PathBuf,
    },
    /// A newer release of this crate has written it.
    Newer {
        /// Which file.
        path: PathBuf,
        /// The version of its form.
        found: i64,
        /// The newest version that this release reads.
        known: i64,
    },
    /// It may be read and not written.
    ReadOnly {
        /// Which file.
        path: PathBuf,
    },
    /// SQLite cannot keep its write-ahead log here, which it needs for several processes at once.
    NoWriteAheadLog {
        /// Which file.
        path: PathBuf,
        /// The journal that SQLite keeps instead.
        instead: String,
    },
    /// Another process does not let go of it.
    Busy {
        /// Which file.
        path: PathBuf,
    },
    /// The file system refused.
    Io {
        /// Which file or directory.
        path: PathBuf,
        /// What was tried: `create the ledger`.
        doing: &'static str,
        /// What it said.
        source: io::Error,
    },
    /// SQLite refused.
    Sqlite {
        /// Which file.
        path: PathBuf,
        /// What it said.
        why: String,
    },
}

impl OpenError {
    pub(crate) fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, doing, source }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { path } => write!(
                f,
                "there is no ledger at {}; check the path, or make a new ledger with `create`",
                path.display()
            ),
            Self::Exists { path } => {
                write!(f, "there is something at {} already; open it, or choose another path", path.display())
            }
            Self::Remains { path } => write!(
                f,
                "{} is left of a ledger whose file is gone, and may hold operations; put the ledger's file back beside \
                 it, or move this file away if the ledger was given up",
                path.display()
            ),
            Self::NotALedger { path, why } => {
                write!(f, "{} is not a ledger: {why}; nothing was changed; check the path", path.display())
            }
            Self::Damaged { path, why } => write!(
                f,
                "the ledger {} cannot be read: {why}; nothing was changed; keep a copy of the file and of its -wal, \
                 then repair it with sqlite3's .recover, or close all that have it open, remove its -wal and -shm, and restore \
                 a backup",
                path.display()
            ),
            Self::Replaced { path } => write!(
                f,
                "the ledger {} was put in the place of another file, which this program still has open; close that first, \
                 since both would write into one log",
                path.display()
            ),
            Self::Newer { path, found, known } => write!(
                f,
                "the ledger {} has version {found}, and this release reads up to version {known}; use the release of \
                 tool-ledger that wrote it, or a newer one",
                path.display()
            ),
            Self::ReadOnly { path } => write!(
                f,
                "the ledger {} may not be written by this user; give it write permission to the file and its directory",
                path.display()
            ),
            Self::NoWriteAheadLog { path, instead } => write!(
                f,
                "SQLite keeps no write-ahead log for {} (it says {instead:?}); a ledger has to be on a local disk, not \
                 on a network file system",
                path.display()
            ),
            Self::Busy { path } => write!(
                f,
                "another process does not let go of the ledger {}; find out which (lsof), and try again",
                path.display()
            ),
            Self::Io { path, doing, source } => write!(f, "could not {doing} ({}): {source}", path.display()),
            Self::Sqlite { path, why } => write!(f, "SQLite could not open the ledger {}: {why}", path.display()),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
