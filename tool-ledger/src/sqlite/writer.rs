//! The thread that owns the connection: it takes all requests that wait, answers them in one transaction, and commits once.

use rusqlite::Connection;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use tokio::sync::oneshot;
use tool_core::LedgerError;

use super::file::{self, PATIENCE};
use super::opened::Opened;
use super::owner::Owner;
use super::running::Running;
use super::schema;
use super::session::{Fault, Session, store_error};

/// How many requests share a transaction at most, so that other processes come to their turn.
const GROUP: usize = 256;

/// What is sent to the thread.
pub(super) enum Message {
    /// A request.
    Ask(Box<dyn Job>),
    /// To end, and to say so.
    Close(oneshot::Sender<()>),
}

/// A request, which may be tried more than once and is settled once.
pub(super) trait Job: Send {
    /// Whether it may write.
    fn writes(&self) -> bool;
    /// Does it, and keeps the answer. An error voids the transaction.
    fn run(&mut self, session: &Session<'_>) -> Result<(), LedgerError>;
    /// Sends the answer, now that it is durable; or what came of it instead.
    fn settle(self: Box<Self>, failure: Option<LedgerError>);
}

/// A request for a `T`.
pub(super) struct Request<T, W> {
    pub(super) writes: bool,
    pub(super) work: W,
    pub(super) answer: Option<Result<T, LedgerError>>,
    pub(super) reply: oneshot::Sender<Result<T, LedgerError>>,
}

impl<T, W> Job for Request<T, W>
where
    T: Send,
    W: FnMut(&Session<'_>) -> Result<T, Fault> + Send,
{
    fn writes(&self) -> bool {
        self.writes
    }

    fn run(&mut self, session: &Session<'_>) -> Result<(), LedgerError> {
        self.answer = match (self.work)(session) {
            Ok(answer) => Some(Ok(answer)),
            Err(Fault::Refused(error)) => Some(Err(error)),
            Err(Fault::Store(error)) => return Err(error),
        };
        Ok(())
    }

    fn settle(self: Box<Self>, failure: Option<LedgerError>) {
        let unanswered = || Err(LedgerError::Unavailable("the request was not answered".to_owned()));
        let Self { answer, reply, .. } = *self;
        let answer = failure.map_or_else(|| answer.unwrap_or_else(unanswered), Err);
        // Who asked may have gone; what was done stays done.
        let _ = reply.send(answer);
    }
}

/// Why a transaction came to nothing.
enum Void {
    /// It did not begin: the next one would fare no better.
    NotBegun(LedgerError),
    /// Something in it failed.
    Failed(LedgerError),
}

impl Void {
    fn error(self) -> LedgerError {
        match self {
            Self::NotBegun(error) | Self::Failed(error) => error,
        }
    }
}

/// What the thread owns. Dropped in this order: nobody is taken for dead who may still write.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) opened: Opened,
    pub(super) commits: Arc<AtomicU64>,
    pub(super) running: Running,
    pub(super) owner: Owner,
}

impl Writer {
    /// Serves until the ledger is closed or its last handle is dropped; what was asked before is done first.
    pub(super) fn serve(self, queue: Receiver<Message>) {
        let mut closed = None;
        while closed.is_none() {
            let Ok(first) = queue.recv() else { break };
            let mut group = Vec::new();
            let mut next = Ok(first);
            loop {
                match next {
                    Ok(Message::Ask(job)) => group.push(job),
                    Ok(Message::Close(reply)) => closed = Some(reply),
                    Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
                }
                if group.len() == GROUP || closed.is_some() {
                    break;
                }
                next = queue.try_recv();
            }
            let (writes, reads): (Vec<_>, Vec<_>) = group.into_iter().partition(|job| job.writes());
            self.answer(writes, "BEGIN IMMEDIATE");
            self.answer(reads, "BEGIN");
        }
        drop(queue);
        let Self { connection, opened, owner, .. } = self;
        file::close(connection, opened.is_at_its_path());
        drop(opened);
        drop(owner);
        if let Some(reply) = closed {
            let _ = reply.send(());
        }
    }

    fn answer(&self, mut jobs: Vec<Box<dyn Job>>, begin: &str) {
        if jobs.is_empty() {
            return;
        }
        match self.transact(&mut jobs, begin) {
            Ok(()) => settle_all(jobs, None),
            Err(Void::Failed(_)) if jobs.len() > 1 => self.answer_each(jobs, begin),
            Err(void) => settle_all(jobs, Some(&void.error())),
        }
    }

    /// Each by itself, so that one which fails takes no other with it.
    fn answer_each(&self, jobs: Vec<Box<dyn Job>>, begin: &str) {
        let mut stopped = None;
        for job in jobs {
            let mut alone = [job];
            let failure = match &stopped {
                Some(error) => Some(LedgerError::clone(error)),
                None => match self.transact(&mut alone, begin) {
                    Ok(()) => None,
                    Err(Void::Failed(error)) => Some(error),
                    Err(Void::NotBegun(error)) => Some(stopped.insert(error).clone()),
                },
            };
            let [job] = alone;
            job.settle(failure);
        }
    }

    fn transact(&self, jobs: &mut [Box<dyn Job>], begin: &str) -> Result<(), Void> {
        self.begin(begin).map_err(Void::NotBegun)?;
        let before = self.connection.total_changes();
        let session = Session::new(&self.connection, &self.owner, &self.running);
        let done = jobs.iter_mut().try_for_each(|job| run(&mut **job, &session));
        let wrote = self.connection.total_changes() != before;
        match done.and_then(|()| self.execute("COMMIT")) {
            Ok(()) => {
                self.commits.fetch_add(u64::from(wrote), Ordering::Relaxed);
                Ok(())
            }
            Err(error) => {
                self.roll_back();
                Err(Void::Failed(error))
            }
        }
    }

    fn begin(&self, begin: &str) -> Result<(), LedgerError> {
        // What could not be rolled back before.
        self.roll_back();
        self.execute(begin)?;
        let sound = self.check();
        if sound.is_err() {
            self.roll_back();
        }
        sound
    }

    /// What another process may have done to the file since it was opened.
    fn check(&self) -> Result<(), LedgerError> {
        let version = schema::version(&self.connection).map_err(|error| store_error(&error))?;
        if version != schema::newest() {
            return Err(LedgerError::Unreadable(format!(
                "another process has brought it to version {version}, and this release reads version {}",
                schema::newest()
            )));
        }
        if !self.opened.is_at_its_path() {
            // What is recorded in it nobody would find again.
            let path = self.opened.path().display();
            return Err(LedgerError::Unavailable(format!("its file was moved or removed from {path}; open it again")));
        }
        Ok(())
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit() {
            let _ = self.execute("ROLLBACK");
        }
    }

    fn execute(&self, sql: &str) -> Result<(), LedgerError> {
        let executed = self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
        executed.map(drop).map_err(|error| match store_error(&error) {
            LedgerError::Unavailable(why) if is_busy(&error) => {
                LedgerError::Unavailable(format!("another process held it for {} s ({why})", PATIENCE.as_secs()))
            }
            other => other,
        })
    }
}

fn settle_all(jobs: Vec<Box<dyn Job>>, failure: Option<&LedgerError>) {
    for job in jobs {
        job.settle(failure.cloned());
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
}

/// A panic (of a clock, say) is the request's own: the thread, and with it the owner, lives on.
fn run(job: &mut dyn Job, session: &Session<'_>) -> Result<(), LedgerError> {
    let panicked = |_: Box<dyn Any + Send>| LedgerError::Unavailable("the request panicked".to_owned());
    catch_unwind(AssertUnwindSafe(|| job.run(session))).map_err(panicked)?
}
