//! Secrets among the arguments: what is not quoted, and where a path ends.

use super::{Path, Walker, Way};
use crate::args::describe;
use crate::args::quote::{Quote, Standing};
use crate::secrets::{Followed, Secrets};

/// A path, seen from the secrets.
struct Place<'a> {
    standing: Standing,
    followed: Followed,
    /// As much of the path as may be written.
    written: &'a Path<'a>,
}

impl<'p> Walker<'p> {
    /// What may be quoted of the value at `path`.
    pub(super) fn quote(&self, path: &Path<'_>) -> Quote<'p> {
        match (self.secrets, self.way) {
            (Some(secrets), Way::Careful(_)) => Quote::at(secrets, self.place(secrets, path).standing),
            _ => Quote::EVERYTHING,
        }
    }

    /// The path as a message shows it: without keys that are part of a secret.
    pub(super) fn written(&self, path: &Path<'_>) -> String {
        match self.secrets {
            Some(secrets) => describe::path(self.place(secrets, path).written),
            None => describe::path(path),
        }
    }

    fn place<'a>(&self, secrets: &Secrets, path: &'a Path<'a>) -> Place<'a> {
        match *path {
            Path::Root => Place { standing: Standing::Near, followed: secrets.start(), written: path },
            Path::Index(parent, _) => {
                let place = self.place(secrets, parent);
                if place.standing == Standing::Within { place } else { Place { written: path, ..place } }
            }
            Path::Key(parent, key) => {
                let place = self.place(secrets, parent);
                match place.standing {
                    Standing::Within => place,
                    // Of a secret that is an object, the schema's own names help to correct it.
                    Standing::Secret if self.plan.names(key) => Place { written: path, ..place },
                    Standing::Secret => Place { standing: Standing::Within, ..place },
                    Standing::Apart | Standing::Near => match secrets.enter(&place.followed, &key.decoded()) {
                        None => Place { standing: Standing::Secret, followed: place.followed, written: path },
                        Some(followed) => {
                            let standing = if followed.is_near() { Standing::Near } else { Standing::Apart };
                            Place { standing, followed, written: path }
                        }
                    },
                }
            }
        }
    }
}
