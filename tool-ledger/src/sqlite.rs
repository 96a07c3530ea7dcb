//! A ledger in a SQLite file.

mod file;
mod opened;
mod owner;
mod running;
mod schema;
mod session;
#[cfg(test)]
mod tests;
mod writer;

use async_trait::async_trait;
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::SystemTime;
use tokio::sync::oneshot;
use tool_core::{
    Begun, HookReaction, Lease, LedgerError, Moment, OperationFilter, OperationIntent, OperationLedger,
    OperationRecord, Resolution, RunScope, StateCommand, StateEntries, Ticket, ToolOperationContext, ToolOutput, Wait,
};

use crate::error::OpenError;
use file::Limits;
use owner::Owner;
use running::Running;
use session::{Fault, Session};
use writer::{Message, Request, Writer};

/// A ledger in one SQLite file, for one process or several on one machine.
///
/// * What a method has answered is on the disk: each answer that changes something waits for a commit, and a commit for
///   the disk (`synchronous=FULL`). Calls at the same time share commits.
/// * Each opened ledger is an *owner* of leases. It holds a lock on a file in the directory `<ledger>.owners`, which the
///   system releases with the process: when an owner dies, its operations can be taken over at once. While it lives, a
///   lease that is not renewed ends by its time.
/// * A thread of its own does the work: no method blocks the thread that awaits it. A request that was sent is done, also
///   where nobody awaits it any more.
///
/// Cloning shares it. Dropping the last handle ends the thread, after everything that was asked; [`close`](Self::close)
/// waits for that.
///
/// # The files
///
/// Beside `<ledger>` stand `<ledger>-wal` and `<ledger>-shm` while it is open or after a crash, and `<ledger>.owners`. A
/// copy needs the `-wal` too, or sqlite3's `.backup`. Where a copy is opened elsewhere, nobody of the original's owners is
/// there, and all count as dead. A program that has a ledger open must not open and close its file by other means, to copy
/// it, say: on Unix that gives up the locks which its own connection holds. Before a backup is put in its place, all that
/// have it open close it, and `-wal` and `-shm` are removed: SQLite takes them for whatever file has the name. A ledger has
/// one name, so that everybody finds the same companions: no hard links. A network file system is not supported: neither
/// locks nor the log are to be trusted there.
///
/// A ledger holds arguments and results as they are. On Unix a new one is its owner's alone (`0600`, and `0700` for
/// `<ledger>.owners`); who shares it between users widens both, and what is there keeps its mode.
#[derive(Clone)]
pub struct SqliteLedger {
    shared: Arc<Shared>,
    clock: Arc<Clock>,
    /// An owner that a test has made up.
    stand_in: Option<Arc<(Arc<str>, Box<Liveness>)>>,
}

type Clock = dyn Fn() -> SystemTime + Send + Sync;
type Liveness = dyn Fn(&str) -> bool + Send + Sync;

struct Shared {
    queue: Sender<Message>,
    path: PathBuf,
    owner: Arc<str>,
    commits: Arc<AtomicU64>,
}

impl SqliteLedger {
    /// Opens the ledger at `path`, which must be there.
    ///
    /// Reads the file, repairs what a crash has left of it and brings an older version up to date: it blocks meanwhile, so
    /// do it where the program starts.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::start(path.as_ref(), Limits::default())
    }

    /// Makes a new ledger at `path`, where there must be nothing.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        file::create(path.as_ref())?;
        Self::open(path)
    }

    /// Opens the ledger at `path`, or makes one where there is nothing. A mistyped path makes a new ledger, which knows
    /// nothing of what has happened: prefer [`open`](Self::open) for a ledger that is known to be there.
    pub fn open_or_create(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        match Self::open(path) {
            Err(OpenError::Missing { .. }) => {}
            other => return other,
        }
        match file::create(path) {
            // Another process was faster.
            Ok(()) | Err(OpenError::Exists { .. }) => Self::open(path),
            Err(error) => Err(error),
        }
    }

    fn start(path: &Path, limits: Limits) -> Result<Self, OpenError> {
        let path = file::find(path)?;
        let (connection, opened) = opened::open(&path, limits)?;
        let owner = Owner::register(&path)?;
        let commits = Arc::<AtomicU64>::default();
        let (queue, requests) = mpsc::channel();
        let shared = Shared { queue, path, owner: Arc::clone(owner.id()), commits: commits.clone() };
        let writer = Writer { connection, opened, commits, running: Running::default(), owner };
        std::thread::Builder::new()
            .name("tool-ledger".to_owned())
            .spawn(move || writer.serve(requests))
            .map_err(OpenError::io(&shared.path, "start the ledger's thread"))?;
        Ok(Self { shared: Arc::new(shared), clock: Arc::new(SystemTime::now), stand_in: None })
    }

    /// The same ledger by another clock: for tests.
    #[must_use]
    pub fn with_clock(self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// The same ledger, as another owner of leases sees it, and `liveness` says of each owner whether it may be alive:
    /// for tests. No lock shows that such an owner lives.
    #[doc(hidden)]
    #[must_use]
    pub fn as_owner(
        &self,
        owner: impl Into<Arc<str>>,
        liveness: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { stand_in: Some(Arc::new((owner.into(), Box::new(liveness)))), ..self.clone() }
    }

    /// Waits until everything that was asked is done and the file is closed. Other handles of this ledger answer
    /// [`LedgerError::Unavailable`] from then on.
    pub async fn close(self) {
        let (reply, closed) = oneshot::channel();
        if self.shared.queue.send(Message::Close(reply)).is_ok() {
            // An error says that it was closed by another handle.
            let _ = closed.await;
        }
    }

    /// Where the file is, without symbolic links.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// As whom this ledger holds its leases.
    pub fn owner(&self) -> &str {
        self.stand_in.as_deref().map_or(&self.shared.owner, |(owner, _)| owner)
    }

    /// How many times this ledger has waited for the disk to keep what it wrote: for metrics.
    pub fn commits(&self) -> u64 {
        self.shared.commits.load(Ordering::Relaxed)
    }

    async fn read<T, W>(&self, work: W) -> Result<T, LedgerError>
    where
        T: Send + 'static,
        W: FnMut(&Session<'_>) -> Result<T, Fault> + Send + 'static,
    {
        self.ask(false, work).await
    }

    async fn write<T, W>(&self, mut work: W) -> Result<T, LedgerError>
    where
        T: Send + 'static,
        W: FnMut(&Session<'_>, SystemTime) -> Result<T, Fault> + Send + 'static,
    {
        let clock = self.clock.clone();
        // The instant of the transaction, not of the request: it may have waited.
        self.ask(true, move |session| work(session, clock())).await
    }

    async fn ask<T, W>(&self, writes: bool, work: W) -> Result<T, LedgerError>
    where
        T: Send + 'static,
        W: FnMut(&Session<'_>) -> Result<T, Fault> + Send + 'static,
    {
        let closed = || LedgerError::Unavailable("it was closed".to_owned());
        let (reply, answer) = oneshot::channel();
        let request = Request { writes, work, answer: None, reply };
        self.shared.queue.send(Message::Ask(Box::new(request))).map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// Changes the record of an operation, and the state of its run with it.
    async fn change<T, C>(&self, ledger_id: String, commands: Vec<StateCommand>, change: C) -> Result<T, LedgerError>
    where
        T: Send + 'static,
        C: Fn(&mut OperationRecord, SystemTime) -> Result<T, LedgerError> + Send + 'static,
    {
        self.write(move |session, now| session.change(&ledger_id, &commands, |record| change(record, now))).await
    }
}

fn begin(session: &Session<'_>, intent: &OperationIntent, at: &Moment<'_>) -> Result<Begun, Fault> {
    // Most operations are new: written at once, they need not be looked for.
    if intent.idempotency_key.is_none() {
        let mut new = None;
        let (begun, _) = OperationRecord::begin(&mut new, intent, at);
        if let Some(record) = new
            && session.insert(record)?
        {
            return Ok(begun);
        }
    }
    match session.known_of(intent)? {
        Some(mut held) => {
            let mut known = Some(held.record);
            let (begun, changed) = OperationRecord::begin(&mut known, intent, at);
            if let Some(record) = known.filter(|_| changed) {
                held.record = record;
                session.update(&held)?;
            }
            Ok(begun)
        }
        None => {
            let mut known = None;
            let (begun, _) = OperationRecord::begin(&mut known, intent, at);
            if let Some(record) = known {
                session.insert(record)?;
            }
            Ok(begun)
        }
    }
}

#[async_trait]
impl OperationLedger for SqliteLedger {
    async fn begin(&self, intent: &OperationIntent) -> Result<Begun, LedgerError> {
        let intent = intent.clone();
        let stand_in = self.stand_in.clone();
        self.write(move |session, now| match stand_in.as_deref() {
            Some((owner, liveness)) => begin(session, &intent, &Moment::new(now, owner, liveness)),
            None => {
                let may_be_alive = |owner: &str| session.may_be_alive(owner);
                begin(session, &intent, &Moment::new(now, session.owner(), &may_be_alive))
            }
        })
        .await
    }

    async fn renew(&self, lease: &Lease) -> Result<(), LedgerError> {
        let lease = lease.clone();
        self.change(lease.operation.ledger_id(), Vec::new(), move |record, now| record.renew(&lease, now)).await
    }

    async fn complete(&self, lease: &Lease, output: &ToolOutput) -> Result<(), LedgerError> {
        let (lease, output, commands) = (lease.clone(), output.clone(), output.state.clone());
        self.change(lease.operation.ledger_id(), commands, move |record, now| record.complete(&lease, &output, now))
            .await
    }

    async fn fail(&self, lease: &Lease, why: &str) -> Result<(), LedgerError> {
        let (lease, why) = (lease.clone(), why.to_owned());
        self.change(lease.operation.ledger_id(), Vec::new(), move |record, now| record.fail(&lease, &why, now)).await
    }

    async fn doubt(&self, lease: &Lease, why: &str) -> Result<(), LedgerError> {
        let (lease, why) = (lease.clone(), why.to_owned());
        self.change(lease.operation.ledger_id(), Vec::new(), move |record, now| record.doubt(&lease, &why, now)).await
    }

    async fn suspend(&self, lease: &Lease, wait: &Wait) -> Result<Ticket, LedgerError> {
        let (lease, wait) = (lease.clone(), wait.clone());
        self.change(lease.operation.ledger_id(), Vec::new(), move |record, now| record.suspend(&lease, &wait, now))
            .await
    }

    async fn answer(&self, ticket: &Ticket, answer: &Value) -> Result<OperationRecord, LedgerError> {
        let ledger_id = ticket.ledger_id().ok_or(LedgerError::NotFound)?.to_owned();
        let (ticket, answer) = (ticket.clone(), answer.clone());
        self.change(ledger_id, Vec::new(), move |record, now| {
            record.answer(&ticket, &answer, now)?;
            Ok(record.clone())
        })
        .await
    }

    async fn resolve(&self, ledger_id: &str, resolution: &Resolution) -> Result<OperationRecord, LedgerError> {
        let (resolution, commands) = (resolution.clone(), resolution.state().to_vec());
        self.change(ledger_id.to_owned(), commands, move |record, now| {
            record.resolve(&resolution, now)?;
            Ok(record.clone())
        })
        .await
    }

    async fn react(
        &self,
        operation: &ToolOperationContext,
        reaction: &HookReaction,
    ) -> Result<HookReaction, LedgerError> {
        let (operation, reaction) = (operation.clone(), reaction.clone());
        self.write(move |session, now| {
            let mut held = session.get(&operation.ledger_id())?;
            if held.record.react(&reaction, now) {
                session.update(&held)?;
                session.apply(&operation.scope(), &reaction.state)?;
            }
            Ok(held.record.reaction.unwrap_or_default())
        })
        .await
    }

    async fn known(&self, intent: &OperationIntent) -> Result<Option<OperationRecord>, LedgerError> {
        let intent = intent.clone();
        self.read(move |session| Ok(session.known_of(&intent)?.map(|held| held.record))).await
    }

    async fn find(&self, ledger_id: &str) -> Result<Option<OperationRecord>, LedgerError> {
        let ledger_id = ledger_id.to_owned();
        self.read(move |session| Ok(session.find(&ledger_id)?.map(|held| held.record))).await
    }

    async fn list(&self, filter: &OperationFilter) -> Result<Vec<OperationRecord>, LedgerError> {
        let filter = filter.clone();
        self.read(move |session| Ok(session.list(&filter)?.into_iter().map(|held| held.record).collect())).await
    }

    async fn state(&self, run: &RunScope) -> Result<StateEntries, LedgerError> {
        let run = run.clone();
        self.read(move |session| session.state(&run)).await
    }

    async fn commit(&self, run: &RunScope, commands: &[StateCommand]) -> Result<(), LedgerError> {
        let (run, commands) = (run.clone(), commands.to_vec());
        self.write(move |session, _| session.apply(&run, &commands)).await
    }

    async fn forget(&self, run: &RunScope) -> Result<usize, LedgerError> {
        let run = run.clone();
        self.write(move |session, _| {
            let of_run = session.list(&OperationFilter::all().of_run(run.clone()))?;
            let over: Vec<_> = of_run.into_iter().filter(|held| held.record.may_be_forgotten()).collect();
            over.iter().try_for_each(|held| session.delete(held))?;
            session.drop_state(&run)?;
            Ok(over.len())
        })
        .await
    }
}

impl fmt::Debug for SqliteLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shared { path, owner, .. } = &*self.shared;
        f.debug_struct("SqliteLedger").field("path", path).field("owner", owner).finish_non_exhaustive()
    }
}
