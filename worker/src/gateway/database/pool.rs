//! A bounded pool with a bounded queue. A connection comes back only by [`Lease::keep`]; dropped in
//! any other way it is closed, so doubt never reaches the next request.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::Config;

use super::connection::Connection;
use crate::gateway::metrics::{Metrics, PoolGauge};
use crate::gateway::refusal::Refusal;
use crate::gateway::settings::Settings;

/// Longest wait for a connection, as PostgREST's default.
const WAIT: Duration = Duration::from_secs(10);

pub(crate) struct Pool {
    config: Config,
    size: usize,
    queue: usize,
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// Last in, first out: the warmest connection serves next.
    idle: Mutex<Vec<Connection>>,
    metrics: Arc<Metrics>,
}

impl Pool {
    pub(crate) fn new(config: Config, settings: &Settings, metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self {
            config,
            size: settings.pool,
            queue: settings.queue,
            permits: Arc::new(Semaphore::new(settings.pool)),
            waiting: AtomicUsize::new(0),
            idle: Mutex::new(Vec::with_capacity(settings.pool)),
            metrics,
        })
    }

    /// A connection, or the refusal to send. Dropping the future leaves the queue.
    pub(super) async fn acquire(self: &Arc<Self>) -> Result<Lease, Refusal> {
        let permit = match self.permits.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait_for_permit().await?,
        };
        let connection = match self.warm() {
            Some(connection) => connection,
            None => self.open().await?,
        };
        Ok(Lease {
            connection: Some(connection),
            pool: self.clone(),
            _permit: permit,
        })
    }

    pub(crate) fn gauge(&self) -> PoolGauge {
        PoolGauge {
            size: self.size,
            busy: self.size - self.permits.available_permits(),
            waiting: self.waiting.load(Relaxed),
        }
    }

    async fn wait_for_permit(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let place = Place::take(&self.waiting);
        if place.number > self.queue {
            self.metrics.shed.fetch_add(1, Relaxed);
            return Err(Refusal::QueueFull);
        }
        match tokio::time::timeout(WAIT, self.permits.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            // The semaphore is never closed, so an error here is a timeout too.
            Ok(Err(_)) | Err(_) => Err(Refusal::PoolTimeout),
        }
    }

    /// An idle connection whose server is still there.
    fn warm(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(mut connection) = idle.pop() {
            if connection.is_fit() {
                return Some(connection);
            }
            self.metrics.connections_discarded.fetch_add(1, Relaxed);
        }
        None
    }

    async fn open(&self) -> Result<Connection, Refusal> {
        match Connection::open(&self.config).await {
            Ok(connection) => {
                self.metrics.connections_opened.fetch_add(1, Relaxed);
                Ok(connection)
            }
            Err(error) => {
                self.metrics.connection_failures.fetch_add(1, Relaxed);
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
}

impl Lease {
    /// The connection; present until [`Self::keep`] takes the lease apart.
    pub(super) fn connection(&mut self) -> Result<&mut Connection, Refusal> {
        self.connection.as_mut().ok_or(Refusal::ConnectionLost)
    }

    pub(super) fn count_cancelled(&self) {
        self.pool.metrics.cancelled.fetch_add(1, Relaxed);
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
            let discarded = &self.pool.metrics.connections_discarded;
            discarded.fetch_add(1, Relaxed);
        }
    }
}
