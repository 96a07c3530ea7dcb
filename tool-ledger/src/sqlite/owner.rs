//! Who holds leases, and whether he is alive: each opened ledger keeps a lock on a file of its own for as long as it lives.
//!
//! The kernel releases the lock with the process, however that ends, so that a death is known at once and exactly. Only
//! an owner ever takes its lock alone. Who asks after it, or clears away what the dead have left, takes it shared, so
//! that two who ask never mistake each other for the owner.

use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::OpenError;

/// How often a new owner chooses another name, because somebody who clears away came between: not to loop for ever.
const NAMES: usize = 100;

/// An owner of leases: alive until it is dropped.
pub(super) struct Owner {
    id: Arc<str>,
    directory: PathBuf,
    /// Holds the lock.
    _file: File,
}

impl Owner {
    /// A new owner of leases in the ledger at `ledger`, which is a path without symbolic links: all must look in one place.
    pub(super) fn register(ledger: &Path) -> Result<Self, OpenError> {
        let directory = beside(ledger, ".owners");
        let doing = "make a lock file of the ledger's owners";
        create_private_directory(&directory).map_err(OpenError::io(&directory, doing))?;
        clear_away_the_dead(&directory);
        for _ in 0..NAMES {
            let id: Arc<str> = random_id().into();
            match lock_new(&directory.join(&*id)) {
                Ok(Some(file)) => return Ok(Self { id, directory, _file: file }),
                Ok(None) => {}
                Err(error) => return Err(OpenError::io(&directory, doing)(error)),
            }
        }
        let why = io::Error::other("others remove the lock files as soon as they are made");
        Err(OpenError::io(&directory, doing)(why))
    }

    pub(super) fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// Whether an owner may still be alive. An id that is not of our making says nothing, so that its leases end by time.
    pub(super) fn may_be_alive(&self, other: &str) -> bool {
        if *other == *self.id || !is_id(other) {
            return true;
        }
        match File::open(self.directory.join(other)) {
            Ok(file) => !is_left(&file),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // While the lock is still held, so that nobody can have taken the file for another's.
        let _ = fs::remove_file(self.directory.join(&*self.id));
    }
}

/// A file beside the ledger's, of its name and an ending.
pub(super) fn beside(ledger: &Path, ending: &str) -> PathBuf {
    let mut name = ledger.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Makes the directory, where it is not there yet, for its owner alone: who can open a lock file can lock it.
fn create_private_directory(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Creates the file and locks it; `None` where somebody who clears away was faster.
fn lock_new(path: &Path) -> io::Result<Option<File>> {
    let file = File::create_new(path)?;
    match file.try_lock() {
        // Between the two it may have been removed, and a lock on what has no name tells nobody anything.
        Ok(()) => Ok(path.exists().then_some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether nobody holds the file's lock alone.
fn is_left(file: &File) -> bool {
    file.try_lock_shared().is_ok()
}

/// Removes the files of owners that died.
fn clear_away_the_dead(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let is_owner = entry.file_name().to_str().is_some_and(is_id);
        if !is_owner {
            continue;
        }
        // The lock is held until the file is gone. What cannot be removed may stay: it says "dead" as well.
        if let Ok(file) = File::open(entry.path())
            && is_left(&file)
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process, for people who look; then 128 bits from the random keys that the standard library gives each map.
pub(super) fn random_id() -> String {
    let bits = || RandomState::new().build_hasher().finish();
    format!("{}-{:016x}{:016x}", std::process::id(), bits(), bits())
}

/// Whether a text is an id of our making, which may be a file's name.
fn is_id(text: &str) -> bool {
    text.split_once('-').is_some_and(|(process, bits)| {
        !process.is_empty()
            && process.bytes().all(|byte| byte.is_ascii_digit())
            && bits.len() == 32
            && bits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_lives_until_it_is_dropped_and_leaves_nothing() {
        let directory = std::env::temp_dir().join(format!("tool-ledger-owner-{}", random_id()));
        fs::create_dir(&directory).unwrap();
        let ledger = directory.join("a.ledger");
        let (one, other) = (Owner::register(&ledger).unwrap(), Owner::register(&ledger).unwrap());
        let id = other.id().to_owned();
        assert!(one.may_be_alive(&id) && other.may_be_alive(one.id()));
        drop(other);
        assert!(!one.may_be_alive(&id));

        // What a crash leaves is a file without a lock: dead, and cleared away by the next who opens the ledger.
        let left = random_id();
        File::create(beside(&ledger, ".owners").join(&left)).unwrap();
        assert!(!one.may_be_alive(&left));
        let third = Owner::register(&ledger).unwrap();
        assert!(!beside(&ledger, ".owners").join(&left).exists());
        assert!(third.may_be_alive(one.id()), "what is locked stays");

        for foreign in ["memory", "../a.ledger", "", "1-2"] {
            assert!(one.may_be_alive(foreign), "nothing is known of {foreign:?}");
        }
        drop((one, third));
        assert_eq!(fs::read_dir(beside(&ledger, ".owners")).unwrap().count(), 0);
        fs::remove_dir_all(directory).unwrap();
    }
}
