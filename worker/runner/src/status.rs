//! Is the worker alive, is it of use, what has it counted; and a door to wake it by.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use gristmill_core::job::Outcome;
use hyper::body::Incoming;
use hyper::{Method, Request, StatusCode};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use gristmill_native::serve::{self, Answer, text};

#[derive(Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    pub(super) fn add_many(&self, count: usize) {
        self.0.fetch_add(count as u64, Relaxed);
    }
}

#[derive(Default)]
pub(super) struct Status {
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
    pub(super) connected: AtomicBool,
}

impl Status {
    pub(super) fn count(&self, outcome: &Outcome) {
        match outcome {
            Outcome::Completed { .. } | Outcome::Settled => self.completed.add(),
            Outcome::Failed { .. } => self.failed.add(),
            Outcome::Snoozed { .. } => self.snoozed.add(),
            Outcome::Released => self.released.add(),
            Outcome::Dead { .. } => self.dead.add(),
            Outcome::Noted { word: "failed" } => self.failed.add(),
            Outcome::Noted { word: "snoozed" } => self.snoozed.add(),
            Outcome::Noted { .. } => self.dead.add(),
        }
    }

    fn metrics(&self) -> String {
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
        if let Some((exported, dropped)) = gristmill_native::telemetry::counts() {
            for (name, count) in [("exported", exported), ("dropped", dropped)] {
                let _ = writeln!(text, "# TYPE gristmill_worker_spans_{name}_total counter");
                let _ = writeln!(text, "gristmill_worker_spans_{name}_total {count}");
            }
        }
        text
    }

    fn answer(&self, request: &Request<Incoming>) -> Answer {
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/live") => text(StatusCode::OK, "live\n"),
            (&Method::GET, "/ready") if self.connected.load(Relaxed) => {
                text(StatusCode::OK, "ready\n")
            }
            (&Method::GET, "/ready") => text(
                StatusCode::SERVICE_UNAVAILABLE,
                "Postgres has not answered the last claim\n",
            ),
            (&Method::GET, "/metrics") => text(StatusCode::OK, self.metrics()),
            // It only makes lanes look earlier than they would have: nothing to protect.
            (&Method::POST, "/wake") => {
                self.woken.notify_waiters();
                text(StatusCode::ACCEPTED, "woken\n")
            }
            _ => text(
                StatusCode::NOT_FOUND,
                "try /live, /ready, /metrics or POST /wake\n",
            ),
        }
    }
}

pub(super) fn serve(
    listener: TcpListener,
    status: Arc<Status>,
    stop: CancellationToken,
) -> JoinHandle<()> {
    let handle = move |request: Request<Incoming>| {
        let answer = status.answer(&request);
        async move { answer }
    };
    tokio::spawn(async move {
        serve::serve(
            listener,
            handle,
            stop.cancelled_owned(),
            Duration::from_secs(1),
        )
        .await;
    })
}
