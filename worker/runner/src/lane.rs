//! Claims jobs of one lane, as many as it has room for, and runs them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use gristmill_core::job::{ClaimedJob, Failure, Holder, Outcome, Settlement};
use gristmill_rpc::RpcError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::Instrument;

use super::handler::{Context, Handler, Lane};
use super::{Args, Worker, trace};

/// How long a cancelled job may take to notice before it is dropped.
const GRACE: Duration = Duration::from_secs(3);

/// Whoever calls tells of one job; what others enqueue in the same tenth of a second they do not call for
/// (sql/engine/invoke/call_worker.sql), so a lane that was woken looks again after this, and then ever later.
const AFTER_A_CALL: Duration = Duration::from_millis(100);

/// How often queues are looked up again: adding one is an INSERT.
const QUEUES_FOR: Duration = Duration::from_secs(60);

struct Claiming {
    worker: Arc<Worker>,
    handlers: HashMap<&'static str, Arc<dyn Handler>>,
    slots: Arc<Semaphore>,
    queues: Vec<String>,
    fixed: bool,
    poll: Duration,
    poll_max: Duration,
}

/// Starts a lane for each sort of handler that there is.
pub(super) fn start(
    worker: &Arc<Worker>,
    args: &Args,
    handlers: Vec<Arc<dyn Handler>>,
    cpus: usize,
) -> Vec<JoinHandle<()>> {
    let mut by_lane: HashMap<Lane, HashMap<&'static str, Arc<dyn Handler>>> = HashMap::new();
    for handler in handlers {
        let lane = by_lane.entry(handler.lane()).or_default();
        lane.extend(handler.kinds().iter().map(|kind| (*kind, handler.clone())));
    }
    let lanes = by_lane.into_iter().map(|(lane, handlers)| {
        let room = match lane {
            Lane::Computing => cpus * 2,
            Lane::Waiting => args.concurrency as usize,
        };
        let claiming = Claiming {
            worker: worker.clone(),
            handlers,
            slots: Arc::new(Semaphore::new(room)),
            queues: args.queues.clone(),
            fixed: !args.queues.is_empty(),
            poll: Duration::from_secs_f64(args.poll.max(0.01)),
            poll_max: Duration::from_secs_f64(args.poll_max.max(args.poll)),
        };
        tokio::spawn(claiming.run())
    });
    lanes.collect()
}

impl Claiming {
    async fn run(mut self) {
        let mut rest = self.poll;
        let mut looked_up: Option<Instant> = None;
        while !self.worker.stop.is_cancelled() {
            if !self.fixed && looked_up.is_none_or(|at| at.elapsed() > QUEUES_FOR) {
                match self.worker.rpc.worker_queues().await {
                    Ok(queues) => {
                        self.queues = queues;
                        looked_up = Some(Instant::now());
                    }
                    Err(error) => self.failed(&error),
                }
            }
            // Registered before the claim: what is woken during it is not missed.
            let woken = self.worker.status.woken.notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            let free = self.slots.available_permits();
            let claimed = if free > 0 && !self.queues.is_empty() {
                self.claim(free).await
            } else {
                0
            };
            if claimed > 0 {
                rest = rest.min(self.poll);
            }
            if claimed == free && free > 0 {
                continue;
            }
            // With work under way the end of each job wakes this lane; the timer finds what others enqueue.
            // What was not claimed for want of room is looked for when there may be room again.
            let open = self
                .opening()
                .map_or(rest, |at| at.duration_since(Instant::now()).min(rest));
            tokio::select! {
                () = woken => rest = AFTER_A_CALL.min(self.poll),
                () = tokio::time::sleep(open) => rest = (rest * 2).min(self.poll_max),
                () = self.worker.stop.cancelled() => {}
            }
        }
    }

    /// When the first handler that has no room may have some.
    fn opening(&self) -> Option<Instant> {
        let all = self.handlers.iter();
        all.filter_map(|(kind, handler)| handler.closed_until(kind))
            .min()
    }

    async fn claim(&self, free: usize) -> usize {
        let max = u32::try_from(free).unwrap_or(u32::MAX);
        let open = self.handlers.iter();
        let open = open.filter(|(kind, handler)| handler.closed_until(kind).is_none());
        let kinds: Vec<_> = open.map(|(kind, _)| *kind).collect();
        if kinds.is_empty() {
            return 0;
        }
        let claimed = self
            .worker
            .rpc
            .claim_kinds(&self.worker.name, &self.queues, max, &kinds)
            .await;
        match claimed {
            Ok(jobs) => {
                self.worker.status.connected.store(true, Relaxed);
                self.worker.status.claimed.add_many(jobs.len());
                let count = jobs.len();
                for job in jobs {
                    self.start(job);
                }
                count
            }
            Err(error) => {
                self.failed(&error);
                0
            }
        }
    }

    fn failed(&self, error: &RpcError) {
        self.worker.status.connected.store(false, Relaxed);
        self.worker.status.claim_failures.add();
        tracing::warn!(%error, "nothing could be claimed");
    }

    fn start(&self, job: ClaimedJob) {
        let Some(handler) = self.handlers.get(job.kind.as_str()).cloned() else {
            // Postgres gave a kind that was not asked for; its lease runs out.
            tracing::error!(kind = job.kind, "claimed a kind that nobody here runs");
            return;
        };
        // There is room: this lane alone takes permits, and it claimed no more than were free.
        let slot = self.slots.clone().try_acquire_owned().ok();
        let context = Context {
            holder: Holder {
                job: job.id,
                worker: self.worker.name.clone(),
                attempt: job.attempt,
            },
            queue: job.queue.clone(),
            estimated_tokens: estimated_tokens(&job),
            rpc: self.worker.rpc.clone(),
            storage: self.worker.storage.clone(),
            children: self.worker.children.clone(),
            lease: self.worker.leases.hold(&job),
        };
        let worker = self.worker.clone();
        tokio::spawn(attempt(worker, handler, job, context, slot));
    }
}

// As a claim under a limit weighs it.
fn estimated_tokens(job: &ClaimedJob) -> u64 {
    #[derive(serde::Deserialize)]
    struct Estimated {
        estimated_tokens: Option<u64>,
    }
    let estimated = serde_json::from_str::<Estimated>(job.payload.get());
    estimated
        .ok()
        .and_then(|estimated| estimated.estimated_tokens)
        .unwrap_or(1000)
}

async fn attempt(
    worker: Arc<Worker>,
    handler: Arc<dyn Handler>,
    job: ClaimedJob,
    context: Context,
    slot: Option<OwnedSemaphorePermit>,
) {
    let span = trace::span(&job);
    let (id, attempt, kind) = (job.id, job.attempt, job.kind.clone());
    let lease = context.lease.clone();
    let cancelled = lease.cancelled.clone();
    let started = std::time::Instant::now();
    // A task of its own, so that a panic ends the job and not the worker.
    let mut running =
        tokio::spawn(async move { handler.run(&job, &context).await }.instrument(span.clone()));
    let grace = async {
        cancelled.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    let outcome = tokio::select! {
        ended = &mut running => ended.unwrap_or_else(|error| {
            tracing::error!(job = %id, kind, %error, "a job panicked");
            Outcome::Failed { error: Failure::retryable("panic", "the job's code failed") }
        }),
        () = grace => {
            running.abort();
            Outcome::Released
        }
    };
    // Lost, cancelled or stopping: released is then either refused as lost, or exactly right. A job that has ended together with its
    // rows is lost to the next heartbeat, and stays completed.
    let is_done = matches!(
        outcome,
        Outcome::Completed { .. } | Outcome::Settled | Outcome::Noted { .. }
    );
    let outcome = if cancelled.is_cancelled() && !is_done {
        Outcome::Released
    } else {
        outcome
    };
    tracing::info!(job = %id, kind, attempt, outcome = outcome.word(), ms = started.elapsed().as_millis(), "job ended");
    span.record("outcome", outcome.word());
    if let Outcome::Failed { error } | Outcome::Snoozed { error, .. } | Outcome::Dead { error } =
        &outcome
    {
        span.record("error_type", error.r#type);
    }
    drop((slot, span));
    if worker
        .settler
        .send(Settlement {
            id,
            attempt,
            outcome,
            usage: lease.usage(),
        })
        .await
        .is_err()
    {
        worker.leases.release(id);
    }
}
