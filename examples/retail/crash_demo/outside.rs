//! The world outside of the program: a bank and two carriers, each a file with a line for all that it did. It is there
//! that effects are counted, whatever the program believes.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(Debug)]
pub(super) struct Outside {
    folder: PathBuf,
    /// Whether this process is to be killed when it has had its effects.
    is_killed: bool,
}

impl Outside {
    pub(super) fn new(folder: impl Into<PathBuf>, is_killed: bool) -> Self {
        Self { folder: folder.into(), is_killed }
    }

    /// All that somebody out there did, a line each.
    pub(super) fn done(&self, who: &str) -> Vec<String> {
        let text = fs::read_to_string(self.file(who)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Has an effect, which is there when this answers: on the disk, and not to be taken back. In the process that is to be
    /// killed it never answers, so that whoever asked learns nothing of it.
    pub(super) async fn effect(&self, who: &str, what: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(self.file(who))?;
        file.write_all(format!("{what}\n").as_bytes())?;
        file.sync_all()?;
        if self.is_killed {
            writeln!(io::stdout(), "{who}: done")?;
            return std::future::pending().await;
        }
        Ok(())
    }

    fn file(&self, who: &str) -> PathBuf {
        self.folder.join(who)
    }
}
