//! What a part of the system implements to have its kinds of jobs run here.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gristmill_core::job::{ClaimedJob, Ending, Holder, Outcome, Usage};
use gristmill_files::Objects;
use gristmill_rpc::{Rpc, RpcError};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::children::Children;
use crate::leases::{Lease, Watch};

/// How often a call that ends a job is made while Postgres cannot be reached. The pauses add up to six seconds; each call has its own timeout of ten.
const TRIES: u32 = 6;

/// Runs jobs of some kinds.
#[async_trait]
pub trait Handler: Send + Sync {
    /// The kinds that it runs; rows of `mill.kind`.
    fn kinds(&self) -> &'static [&'static str];

    /// Whether its jobs mostly compute or mostly wait; they are claimed apart.
    fn lane(&self) -> Lane {
        Lane::Waiting
    }

    /// While this is in the future no job of the kind is claimed: what it needs has no room. The jobs stay pending.
    fn closed_until(&self, _kind: &str) -> Option<tokio::time::Instant> {
        None
    }

    /// Runs one attempt. It may be dropped at any await once [`Context::cancelled`] has fired, and the whole
    /// process may die at any point: what it wrote must be safe to write again.
    async fn run(&self, job: &ClaimedJob, context: &Context) -> Outcome;
}

/// What a job mostly does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Computes: as many at once as there are processors, and one waiting behind each.
    Computing,
    /// Waits for others: up to WORKER_CONCURRENCY at once.
    Waiting,
}

/// What a running job can reach.
pub struct Context {
    /// The fencing token of what the job writes.
    pub holder: Holder,
    /// The queue that the job was claimed from.
    pub queue: String,
    /// What the job says that a call of a model will use.
    pub estimated_tokens: u64,
    /// Postgres with the rights of the service, over HTTP.
    pub rpc: Arc<Rpc>,
    /// Objects, with the rights of the service.
    pub storage: Arc<Objects>,
    /// Programs that parse files, under limits.
    pub children: Arc<Children>,
    pub(super) lease: Arc<Lease>,
}

impl Context {
    /// Shown to whoever asks about the job; sent with the next heartbeat, which follows within a second.
    pub fn progress(&self, percent: u8, message: &str) {
        tracing::debug!(job = %self.lease.id, percent, message, "progress");
        self.lease.report(percent);
    }

    /// Adds calls of the provider whose limit the job's queue draws on, and their tokens; nought of each gives back
    /// what was reserved at the claim. A job that never says is taken to have used its estimate.
    pub fn used(&self, requests: u32, tokens: u64) {
        self.lease.add_usage(requests, tokens);
    }

    /// True once: the claim has reserved one call of the limit that the job's queue draws on.
    pub fn take_reservation(&self) -> bool {
        self.lease.take_reservation()
    }

    /// For a call that ends the job together with its rows: what the job leaves behind beside those rows.
    pub fn ending<'a, Kept: Serialize>(&self, result: &'a Kept) -> Ending<'a, Kept> {
        Ending {
            result,
            usage: self.lease.usage(),
        }
    }

    /// What the job's calls really used of the provider's limit, where they said so.
    pub fn usage(&self) -> Option<Usage> {
        self.lease.usage()
    }

    /// Makes the call that ends the job together with its rows, and makes it again while Postgres cannot be reached: the work is
    /// done and only its record is missing. Such a call must answer a repeat as it answered the first time.
    pub async fn until_answered<Call>(&self, call: impl Fn() -> Call) -> Result<bool, RpcError>
    where
        Call: Future<Output = Result<bool, RpcError>>,
    {
        let mut pause = Duration::from_millis(200);
        for _ in 1..TRIES {
            match call().await {
                Err(error) if error.is_passing() => {
                    tracing::warn!(job = %self.holder.job, %error, "a job could not be ended yet");
                }
                answer => return answer,
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => pause *= 2,
                () = self.cancelled().cancelled() => break,
            }
        }
        call().await
    }

    /// Until the answer is dropped, a cancellation of the job is known within a second or so instead of at the next heartbeat.
    /// For what takes long and can be stopped at once, such as a child.
    #[must_use = "the job is watched only until this is dropped"]
    pub fn watch(&self) -> Watch {
        self.lease.watch()
    }

    /// Fires when the lease was lost, the job cancelled, or the worker has to stop: whatever is said afterwards
    /// changes nothing.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.lease.cancelled
    }
}
