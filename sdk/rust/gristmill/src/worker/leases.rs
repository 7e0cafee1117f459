//! What this worker holds, and the task that keeps it held.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::Shared;
use crate::client::{LeaseStatus, LeaseToExtend};
use crate::cx::Live;
use crate::job::{ClaimedJob, JobId};

/// Progress is sent this long after it changed, unless the regular heartbeat comes first.
const PROGRESS_DELAY: Duration = Duration::from_millis(500);

/// How often Postgres is asked about a job that is watched: whoever cancels it waits no longer.
const WATCH_EVERY: Duration = Duration::from_secs(1);

/// What a lease lasts when the answer had no date to count from: three heartbeats.
const USUAL: Duration = Duration::from_secs(90);

/// A job that is held.
pub(super) struct Lease {
    id: JobId,
    attempt: u32,
    pub(super) live: Arc<Live>,
    /// How long it lasts from the beginning of the call that made or extended it.
    length: Duration,
    until: Mutex<Instant>,
    is_lost: AtomicBool,
}

impl Lease {
    /// Whether another worker may run the job, or the job has ended: nothing is settled then.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    fn lose(&self) {
        self.is_lost.store(true, Ordering::Relaxed);
        self.live.cancellation.cancel();
    }

    fn until(&self) -> MutexGuard<'_, Instant> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When a claim was made: by our clock, and by that of the answering side.
#[derive(Clone, Copy)]
pub(super) struct Claimed {
    pub(super) began: Instant,
    pub(super) at: Option<DateTime<Utc>>,
}

impl Claimed {
    /// How long a lease lasts. Our own clock may be wrong, so that only differences of one clock are taken.
    fn length(&self, job: &ClaimedJob) -> Duration {
        let seconds = self.at.map(|at| (job.lease_until - at).to_std());
        // A date has whole seconds and is up to one second too early.
        match seconds {
            Some(Ok(length)) => length
                .saturating_sub(Duration::from_secs(1))
                .max(length / 2),
            Some(Err(_)) => Duration::ZERO,
            None => USUAL,
        }
    }
}

/// All that are held.
#[derive(Default)]
pub(super) struct Leases {
    held: Mutex<HashMap<JobId, Arc<Lease>>>,
    /// A job has reported something, or must be looked after more closely.
    reported: Arc<Notify>,
    /// A lease is shorter than those before.
    shortened: Notify,
}

impl Leases {
    fn held(&self) -> MutexGuard<'_, HashMap<JobId, Arc<Lease>>> {
        // No code that could panic runs under the lock.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn hold(&self, job: &ClaimedJob, claimed: Claimed) -> Arc<Lease> {
        let reported = self.reported.clone();
        let length = claimed.length(job);
        let lease = Arc::new(Lease {
            id: job.id,
            attempt: job.attempt,
            live: Live::new(Some(Box::new(move || reported.notify_one()))),
            length,
            until: Mutex::new(claimed.began + length),
            is_lost: AtomicBool::new(false),
        });
        let is_shorter = self.shortest().is_none_or(|shortest| length < shortest);
        self.held().insert(job.id, lease.clone());
        if is_shorter {
            self.shortened.notify_one();
        }
        lease
    }

    pub(super) fn release(&self, id: JobId) {
        self.held().remove(&id);
    }

    pub(super) fn count(&self) -> usize {
        self.held().len()
    }

    /// Fires every job's signal.
    pub(super) fn stop_all(&self) {
        for lease in self.held().values() {
            lease.live.cancellation.cancel();
        }
    }

    fn shortest(&self) -> Option<Duration> {
        self.held().values().map(|lease| lease.length).min()
    }

    fn all(&self, which: impl Fn(&Lease) -> bool) -> Vec<Arc<Lease>> {
        let held = self.held();
        let leases = held.values().filter(|lease| which(lease)).cloned();
        leases.collect()
    }

    fn is_any_watched(&self) -> bool {
        self.held().values().any(|lease| lease.live.is_watched())
    }
}

/// Extends leases for as long as the process lives. Work that was lost or cancelled is told to stop.
pub(super) async fn keep(shared: Arc<Shared>, every: Duration) {
    let leases = &shared.leases;
    let mut last = Instant::now();
    loop {
        let third = leases.shortest().map(|shortest| shortest / 3);
        let pause = third.map_or(every, |third| third.min(every));
        let closely = leases.is_any_watched();
        let extended = tokio::select! {
            () = tokio::time::sleep_until(last + pause) => leases.all(|_| true),
            () = leases.reported.notified() => {
                tokio::time::sleep(PROGRESS_DELAY.min(pause)).await;
                leases.all(|_| true)
            }
            () = tokio::time::sleep(WATCH_EVERY), if closely => leases.all(|lease| lease.live.is_watched()),
            () = leases.shortened.notified() => continue,
        };
        let is_all = extended.len() == leases.count();
        if is_all {
            last = Instant::now();
        }
        if !extended.is_empty() {
            beat(&shared, &extended).await;
        }
    }
}

async fn beat(shared: &Shared, leases: &[Arc<Lease>]) {
    let began = Instant::now();
    let to_extend: Vec<_> = leases
        .iter()
        .map(|lease| LeaseToExtend {
            id: lease.id,
            attempt: lease.attempt,
            progress: lease.live.progress(),
            logs: lease.live.take_logs(false),
        })
        .collect();
    match shared.client.heartbeat_jobs(&shared.name, &to_extend).await {
        Ok(answers) => {
            let by_id: HashMap<JobId, &Arc<Lease>> =
                leases.iter().map(|lease| (lease.id, lease)).collect();
            for answer in answers {
                let Some(lease) = by_id.get(&answer.id) else {
                    continue;
                };
                if answer.status == LeaseStatus::Held {
                    *lease.until() = began + lease.length;
                } else {
                    tracing::info!(job = %answer.id, status = ?answer.status, "told to stop");
                    lease.lose();
                }
            }
        }
        Err(error) => {
            shared.status.heartbeat_failures.add();
            tracing::warn!(%error, leases = leases.len(), "leases could not be extended");
            for (lease, sent) in leases.iter().zip(to_extend) {
                lease.live.put_back(sent.logs);
                if Instant::now() >= *lease.until() {
                    tracing::warn!(job = %lease.id, "the lease has run out");
                    lease.lose();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(lease_until: &str) -> ClaimedJob {
        let text = format!(
            r#"{{"id":"0190a0a0-0000-7000-8000-000000000001","kind":"k","payload":{{}},"attempt":1,"lease_until":"{lease_until}"}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[tokio::test]
    async fn the_length_of_a_lease_is_counted_by_one_clock() {
        let at = DateTime::parse_from_rfc2822("Wed, 18 Nov 2026 16:00:00 GMT").unwrap();
        let claimed = |at| Claimed {
            began: Instant::now(),
            at,
        };
        let dated = claimed(Some(at.into()));
        let length = |until| dated.length(&job(until));
        assert_eq!(length("2026-11-18T16:01:00Z"), Duration::from_secs(59));
        assert_eq!(length("2026-11-18T16:00:01Z"), Duration::from_millis(500));
        assert_eq!(length("2026-11-18T15:00:00Z"), Duration::ZERO);
        assert_eq!(claimed(None).length(&job("2026-11-18T16:01:00Z")), USUAL);
    }
}
