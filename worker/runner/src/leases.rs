//! What this worker holds, and the task that keeps it held.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gristmill_core::job::{ClaimedJob, JobId, Usage};
use gristmill_rpc::{LeaseStatus, LeaseToExtend};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::Worker;

/// Progress is sent this long after it changed, unless the regular heartbeat comes first.
const PROGRESS_DELAY: Duration = Duration::from_millis(500);

/// How often Postgres is asked about a job that is watched: whoever cancels it waits no longer.
const WATCH_EVERY: Duration = Duration::from_secs(1);

/// A job that is held.
pub(super) struct Lease {
    pub(super) id: JobId,
    pub(super) attempt: u32,
    pub(super) cancelled: CancellationToken,
    progress: AtomicU8,
    reported: Arc<Notify>,
    used: Mutex<Option<Usage>>,
    has_reservation: AtomicBool,
    watchers: AtomicUsize,
}

/// While it exists, the job's lease is extended every second, so that its cancellation is soon known.
pub struct Watch(Arc<Lease>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lease {
    pub(super) fn watch(self: &Arc<Self>) -> Watch {
        self.watchers.fetch_add(1, Ordering::Relaxed);
        self.reported.notify_one();
        Watch(self.clone())
    }

    fn is_watched(&self) -> bool {
        self.watchers.load(Ordering::Relaxed) > 0
    }

    pub(super) fn add_usage(&self, requests: u32, tokens: u64) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let before = used.unwrap_or_default();
        *used = Some(Usage {
            requests: before.requests.saturating_add(requests),
            tokens: before.tokens.saturating_add(tokens),
        });
    }

    pub(super) fn take_reservation(&self) -> bool {
        self.has_reservation.swap(false, Ordering::Relaxed)
    }

    pub(super) fn usage(&self) -> Option<Usage> {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn report(&self, percent: u8) {
        if self.progress.swap(percent.min(100), Ordering::Relaxed) != percent {
            self.reported.notify_one();
        }
    }
}

/// All that are held.
#[derive(Default)]
pub(super) struct Leases {
    held: Mutex<HashMap<JobId, Arc<Lease>>>,
    ended: Notify,
    reported: Arc<Notify>,
}

impl Leases {
    fn held(&self) -> MutexGuard<'_, HashMap<JobId, Arc<Lease>>> {
        // No code that could panic runs under the lock.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn hold(&self, job: &ClaimedJob) -> Arc<Lease> {
        let lease = Arc::new(Lease {
            id: job.id,
            attempt: job.attempt,
            cancelled: CancellationToken::new(),
            progress: AtomicU8::new(0),
            reported: self.reported.clone(),
            used: Mutex::default(),
            has_reservation: AtomicBool::new(true),
            watchers: AtomicUsize::new(0),
        });
        self.held().insert(job.id, lease.clone());
        lease
    }

    pub(super) fn release(&self, id: JobId) {
        self.held().remove(&id);
        self.ended.notify_waiters();
    }

    pub(super) fn count(&self) -> usize {
        self.held().len()
    }

    /// Resolves once nothing is held.
    pub(super) async fn empty(&self) {
        loop {
            let ended = self.ended.notified();
            if self.count() == 0 {
                return;
            }
            ended.await;
        }
    }

    /// Fires every job's token.
    pub(super) fn stop_all(&self) {
        for lease in self.held().values() {
            lease.cancelled.cancel();
        }
    }

    fn to_extend(&self, which: impl Fn(&Lease) -> bool) -> Vec<LeaseToExtend> {
        let held = self.held();
        let leases = held.values().filter(|lease| which(lease));
        let leases = leases.map(|lease| LeaseToExtend {
            id: lease.id,
            attempt: lease.attempt,
            progress: lease.progress.load(Ordering::Relaxed),
        });
        leases.collect()
    }

    fn is_any_watched(&self) -> bool {
        self.held().values().any(|lease| lease.is_watched())
    }

    fn lost(&self, id: JobId) {
        if let Some(lease) = self.held().get(&id) {
            lease.cancelled.cancel();
        }
    }
}

/// Extends leases for as long as the process lives. Work that was lost or cancelled is told to stop.
pub(super) async fn keep(worker: Arc<Worker>, every: Duration) {
    let mut beat = tokio::time::interval(every);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let closely = worker.leases.is_any_watched();
        let leases = tokio::select! {
            _ = beat.tick() => worker.leases.to_extend(|_| true),
            () = worker.leases.reported.notified() => {
                tokio::time::sleep(PROGRESS_DELAY).await;
                worker.leases.to_extend(|_| true)
            }
            () = tokio::time::sleep(WATCH_EVERY), if closely => worker.leases.to_extend(Lease::is_watched),
        };
        if leases.is_empty() {
            continue;
        }
        match worker.rpc.heartbeat_jobs(&worker.name, &leases).await {
            Ok(answers) => {
                for answer in answers
                    .iter()
                    .filter(|answer| answer.status != LeaseStatus::Held)
                {
                    tracing::info!(job = %answer.id, status = ?answer.status, "told to stop");
                    worker.leases.lost(answer.id);
                }
            }
            Err(error) => {
                // The next beat tries again; whoever is late is told so when it settles.
                worker.status.heartbeat_failures.add();
                tracing::warn!(%error, leases = leases.len(), "leases could not be extended");
            }
        }
    }
}
