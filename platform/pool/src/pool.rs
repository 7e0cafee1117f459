//! A bounded pool with a bounded queue, a part of it reserved for trusted roles. A connection comes back
//! only by [`Lease::keep`]; dropped in any other way it is closed, so doubt never reaches the next request.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use gristmill_dialect::refusal::Refusal;
use gristmill_native::database::Config;

use super::connection::Connection;
use super::vital::Vital;
use crate::limits::Budget;

/// Longest wait for a turn and a connection, as PostgREST's default.
pub(super) const WAIT: Duration = Duration::from_secs(10);

pub struct Pool {
    config: Config,
    pub(super) shared: bool,
    size: usize,
    queue: usize,
    permits: Arc<Semaphore>,
    /// What users can have of them.
    for_users: usize,
    users: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// Last in, first out: the warmest connection serves next.
    idle: Mutex<Vec<Connection>>,
    /// All open connections, idle or not.
    vitals: Mutex<Vec<Weak<Vital>>>,
    counts: Counts,
    pub(super) max_answer: usize,
    pub(super) deadline_grace: Duration,
    pub(super) answers: Arc<Budget>,
}

/// How large a pool is, and the bounds of one answer.
pub struct Settings {
    /// A pooler in transaction mode stands in between: each transaction may have another session.
    pub shared: bool,
    /// Connections.
    pub size: usize,
    /// Requests that may wait for one.
    pub queue: usize,
    /// Connections that users can have.
    pub for_users: usize,
    /// The largest answer, in bytes.
    pub max_answer: usize,
    /// What a request gets beyond the time of its statement.
    pub deadline_grace: Duration,
    /// The memory of answers.
    pub answers: Arc<Budget>,
}

/// What has been counted since the start.
#[derive(Default)]
pub struct Counts {
    pub shed: AtomicU64,
    pub cancelled: AtomicU64,
    pub connections_opened: AtomicU64,
    pub connections_discarded: AtomicU64,
    pub connection_failures: AtomicU64,
}

/// The pool's state at the moment of asking.
pub struct PoolGauge {
    pub size: usize,
    pub busy: usize,
    pub waiting: usize,
    /// Connections that users can have, and have.
    pub for_users: usize,
    pub busy_for_users: usize,
}

impl Pool {
    pub fn new(config: Config, settings: Settings) -> Arc<Self> {
        Arc::new(Self {
            config,
            shared: settings.shared,
            size: settings.size,
            queue: settings.queue,
            permits: Arc::new(Semaphore::new(settings.size)),
            for_users: settings.for_users,
            users: Arc::new(Semaphore::new(settings.for_users)),
            waiting: AtomicUsize::new(0),
            idle: Mutex::new(Vec::with_capacity(settings.size)),
            vitals: Mutex::default(),
            counts: Counts::default(),
            max_answer: settings.max_answer,
            deadline_grace: settings.deadline_grace,
            answers: settings.answers,
        })
    }

    /// A connection, or the refusal to send. Dropping the future leaves the queue.
    pub(super) async fn acquire(
        self: &Arc<Self>,
        trusted: bool,
        until: Instant,
    ) -> Result<Lease, Refusal> {
        // Users queue for their part first: whoever waits there holds nothing.
        let of_users = match trusted {
            true => None,
            false => Some(self.permit(&self.users, until).await?),
        };
        let permit = self.permit(&self.permits, until).await?;
        let connection = match self.warm().await {
            Some(connection) => connection,
            None => self.open().await?,
        };
        Ok(Lease {
            connection: Some(connection),
            pool: self.clone(),
            _permit: permit,
            _of_users: of_users,
        })
    }

    /// What has been counted since the start.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    pub fn gauge(&self) -> PoolGauge {
        PoolGauge {
            size: self.size,
            busy: self.size - self.permits.available_permits(),
            waiting: self.waiting.load(Relaxed),
            for_users: self.for_users,
            busy_for_users: self.for_users - self.users.available_permits(),
        }
    }

    /// Closes what lies idle, after one connection has turned out to be dead: the others most likely are too.
    pub(super) fn clear(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let count = u64::try_from(idle.len()).unwrap_or(u64::MAX);
        let discarded = &self.counts.connections_discarded;
        discarded.fetch_add(count, Relaxed);
        idle.clear();
    }

    /// What is known of every open connection.
    pub(super) fn vitals(&self) -> Vec<Weak<Vital>> {
        let mut vitals = self.vitals.lock().unwrap_or_else(PoisonError::into_inner);
        vitals.retain(|vital| vital.strong_count() > 0);
        vitals.clone()
    }

    async fn permit(
        &self,
        permits: &Arc<Semaphore>,
        until: Instant,
    ) -> Result<OwnedSemaphorePermit, Refusal> {
        if let Ok(permit) = permits.clone().try_acquire_owned() {
            return Ok(permit);
        }
        let place = Place::take(&self.waiting);
        if place.number > self.queue {
            self.counts.shed.fetch_add(1, Relaxed);
            return Err(Refusal::QueueFull);
        }
        match tokio::time::timeout_at(until, permits.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            // The semaphore is never closed, so an error here is a timeout too.
            Ok(Err(_)) | Err(_) => Err(Refusal::PoolTimeout),
        }
    }

    /// An idle connection whose server is still there.
    async fn warm(&self) -> Option<Connection> {
        while let Some(mut connection) = self.pop() {
            if !connection.is_fit() {
                self.counts.connections_discarded.fetch_add(1, Relaxed);
                continue;
            }
            if !connection.is_stale() || connection.answers().await {
                return Some(connection);
            }
            self.counts.connections_discarded.fetch_add(1, Relaxed);
            self.clear();
        }
        None
    }

    fn pop(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop()
    }

    async fn open(&self) -> Result<Connection, Refusal> {
        match Connection::open(&self.config, self.shared).await {
            Ok(connection) => {
                self.counts.connections_opened.fetch_add(1, Relaxed);
                let mut vitals = self.vitals.lock().unwrap_or_else(PoisonError::into_inner);
                vitals.retain(|vital| vital.strong_count() > 0);
                // Behind a pooler a session has another process of Postgres in each transaction.
                if !self.shared {
                    vitals.push(Arc::downgrade(connection.vital()));
                }
                drop(vitals);
                Ok(connection)
            }
            Err(error) => {
                self.counts.connection_failures.fetch_add(1, Relaxed);
                tracing::debug!(%error, "no connection for a request");
                Err(Refusal::NotConnected)
            }
        }
    }
}

/// A place in the queue, given up however the wait ends.
struct Place<'a> {
    waiting: &'a AtomicUsize,
    number: usize,
}

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Self {
        let number = waiting.fetch_add(1, Relaxed) + 1;
        Self { waiting, number }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(1, Relaxed);
    }
}

/// A connection on loan to one request.
pub(super) struct Lease {
    connection: Option<Connection>,
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
    _of_users: Option<OwnedSemaphorePermit>,
}

impl Lease {
    /// The connection; present until [`Self::keep`] takes the lease apart.
    pub(super) fn connection(&mut self) -> Result<&mut Connection, Refusal> {
        self.connection.as_mut().ok_or(Refusal::ConnectionLost)
    }

    /// The connection is dead: it is closed, and with it what lies idle.
    pub(super) fn give_up(self) {
        self.pool.clear();
    }

    pub(super) fn count_cancelled(&self) {
        self.pool.counts.cancelled.fetch_add(1, Relaxed);
    }

    /// Gives the connection back if the server has said that its transaction has ended.
    pub(super) fn keep_if_settled(self) {
        let connection = self.connection.as_ref();
        if connection.is_some_and(Connection::is_settled) {
            self.keep();
        }
    }

    /// Gives the connection back: its transaction is known to have ended.
    pub(super) fn keep(mut self) {
        if let Some(connection) = self.connection.take() {
            let mut idle = self
                .pool
                .idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            idle.push(connection);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.connection.is_some() {
            let discarded = &self.pool.counts.connections_discarded;
            discarded.fetch_add(1, Relaxed);
        }
    }
}
