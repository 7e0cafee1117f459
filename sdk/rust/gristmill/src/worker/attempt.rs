//! Runs one attempt: a panic ends the job and not the worker, and a job that does not hear the signal is dropped.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tracing::Instrument;

use super::Shared;
use super::leases::Lease;
use crate::cx::Cx;
use crate::handler::{Handler, unknown_kind};
use crate::job::{ClaimedJob, JobId};
use crate::outcome::{Failure, Outcome, Settlement};
use crate::steps::until_put_off;
use crate::worker::Failed;

/// How long a cancelled job may take to notice before it is dropped.
const GRACE: Duration = Duration::from_secs(3);

/// What a lane is told when an attempt is over.
pub(super) struct Ended {
    pub(super) id: JobId,
    /// Nothing is settled for a lost lease, nor for a job that has ended together with its rows.
    pub(super) settlement: Option<Settlement>,
}

pub(super) fn start(
    shared: &Arc<Shared>,
    handler: Option<Arc<dyn Handler>>,
    job: ClaimedJob,
    lease: Arc<Lease>,
    ended: mpsc::UnboundedSender<Ended>,
) {
    let cx = Cx::new(
        &job,
        &shared.name,
        &shared.client,
        &shared.states,
        lease.live.clone(),
    );
    let span = cx.span();
    // One span per attempt, with the ids that docs/protocol.md gives it: an exporter of traces reads these fields.
    let span = tracing::info_span!(
        "attempt", job = %job.id, kind = job.kind, attempt = job.attempt, queue = job.queue,
        trace_id = span.trace_id, span_id = span.span_id, parent_span_id = span.parent_span_id, link_span_id = span.link_span_id,
        sampled = span.parent_span_id.as_ref().map(|_| span.traceparent().is_sampled),
        outcome = tracing::field::Empty, error_type = tracing::field::Empty,
    );
    let shared = shared.clone();
    tokio::spawn(
        async move {
            let outcome = run(handler, &job, &cx).await;
            let settlement = close(&shared, &job, &lease, outcome);
            // The lane lives as long as jobs run; at the very end of the process it may be gone.
            let _ = ended.send(Ended {
                id: job.id,
                settlement,
            });
        }
        .instrument(span),
    );
}

async fn run(handler: Option<Arc<dyn Handler>>, job: &ClaimedJob, cx: &Cx) -> Outcome {
    let Some(handler) = handler else {
        tracing::warn!(
            kind = job.kind,
            "there is no handler for this kind: released"
        );
        return unknown_kind(&job.kind);
    };
    let started = std::time::Instant::now();
    let running = AssertUnwindSafe(until_put_off(handler.run(job, cx), &cx.live)).catch_unwind();
    let grace = async {
        cx.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    let outcome = tokio::select! {
        ended = running => ended.unwrap_or_else(|panic| {
            let message = message_of(&*panic);
            tracing::error!(panic = message, "a job panicked");
            Failure::retryable("panic", format!("the job's code failed: {message}")).into()
        }),
        () = grace => Outcome::Released,
    };
    // Stopping: the job is given back. One that has ended together with its rows is lost to the next heartbeat, and stays completed.
    let is_done = outcome.is_settled() || matches!(outcome, Outcome::Completed { .. });
    let outcome = match cx.is_cancelled() && !is_done {
        true => Outcome::Released,
        false => outcome,
    };
    let ms = started.elapsed().as_millis();
    tracing::info!(job = %job.id, kind = job.kind, attempt = job.attempt, outcome = outcome.word(), ms, "job ended");
    outcome
}

/// What `panic!` was given: a text, unless the code has thrown a value of its own.
fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message")
}

fn close(shared: &Shared, job: &ClaimedJob, lease: &Lease, outcome: Outcome) -> Option<Settlement> {
    let span = tracing::Span::current();
    span.record("outcome", outcome.word());
    if let Outcome::Failed { error } | Outcome::Snoozed { error, .. } | Outcome::Dead { error } =
        &outcome
    {
        span.record("error_type", error.r#type);
    }
    if outcome.is_settled() {
        shared.status.count(&outcome);
        return None;
    }
    if lease.is_lost() {
        shared.status.lost.add();
        return None;
    }
    tell(shared, job, &outcome);
    Some(Settlement {
        id: job.id,
        attempt: job.attempt,
        outcome,
        usage: lease.live.usage(),
        logs: lease.live.take_logs(true),
    })
}

fn tell(shared: &Shared, job: &ClaimedJob, outcome: &Outcome) {
    let (error, is_over) = match outcome {
        Outcome::Failed { error } => (error, !error.retryable),
        Outcome::Dead { error } => (error, true),
        _ => return,
    };
    let failed = Failed {
        job,
        error,
        is_dead: is_over || job.attempt >= job.max_attempts,
    };
    match &shared.on_failure {
        Some(hook) => hook(&failed),
        None => failed.print(),
    }
}
