//! Is the worker alive, is it of use, what has it counted; and a door to wake it by.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use tokio::sync::Notify;

use crate::outcome::Outcome;

#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    pub(super) fn add_many(&self, count: usize) {
        self.0.fetch_add(count as u64, Relaxed);
    }
}

/// Counters of a worker.
#[derive(Debug, Default)]
pub struct Status {
    /// Lanes that rest look again.
    pub(super) woken: Notify,
    pub(super) claimed: Counter,
    pub(super) lost: Counter,
    pub(super) heartbeat_failures: Counter,
    pub(super) claim_failures: Counter,
    completed: Counter,
    failed: Counter,
    snoozed: Counter,
    released: Counter,
    dead: Counter,
    /// Whether the last claim was answered.
    pub(super) is_connected: AtomicBool,
}

impl Status {
    /// Makes the worker look for jobs now.
    pub fn wake(&self) {
        self.woken.notify_waiters();
    }

    /// Whether Postgres has answered the last claim.
    pub fn is_ready(&self) -> bool {
        self.is_connected.load(Relaxed)
    }

    pub(super) fn count(&self, outcome: &Outcome) {
        match outcome.word() {
            "completed" => self.completed.add(),
            "failed" => self.failed.add(),
            "snoozed" => self.snoozed.add(),
            "released" => self.released.add(),
            "lost" => self.lost.add(),
            _ => self.dead.add(),
        }
    }

    /// The counters as Prometheus reads them.
    pub fn metrics(&self) -> String {
        let mut text = String::new();
        let outcomes = [
            ("completed", &self.completed),
            ("failed", &self.failed),
            ("snoozed", &self.snoozed),
            ("released", &self.released),
            ("dead", &self.dead),
            ("lost", &self.lost),
        ];
        // Writing to a String cannot fail.
        let _ = writeln!(text, "# TYPE gristmill_worker_jobs_total counter");
        for (outcome, count) in outcomes {
            let _ = writeln!(
                text,
                "gristmill_worker_jobs_total{{outcome=\"{outcome}\"}} {}",
                count.0.load(Relaxed)
            );
        }
        for (name, count) in [
            ("claimed", &self.claimed),
            ("claim_failures", &self.claim_failures),
            ("heartbeat_failures", &self.heartbeat_failures),
        ] {
            let _ = writeln!(text, "# TYPE gristmill_worker_{name}_total counter");
            let _ = writeln!(
                text,
                "gristmill_worker_{name}_total {}",
                count.0.load(Relaxed)
            );
        }
        text
    }
}
