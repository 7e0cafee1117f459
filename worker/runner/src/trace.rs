//! The span of an attempt, by the ids of docs/protocol.md. `gristmill_native::telemetry` exports it.

use gristmill_core::job::ClaimedJob;
use gristmill_core::trace::{Traceparent, hex, span_of_attempt};
use tracing::Span;
use tracing::field::Empty;

pub(super) fn span(job: &ClaimedJob) -> Span {
    let parent = job.traceparent.as_deref();
    let parent = parent.and_then(|text| text.parse::<Traceparent>().ok());
    let trace_id = match &parent {
        Some(parent) => hex(&parent.trace),
        None => job.id.to_string().replace('-', ""),
    };
    let before = (job.attempt > 1).then(|| hex(&span_of_attempt(&job.id, job.attempt - 1)));
    tracing::info_span!(
        "attempt",
        trace_id,
        span_id = hex(&span_of_attempt(&job.id, job.attempt)),
        parent_span_id = parent.map(|parent| hex(&parent.span)),
        link_span_id = before,
        sampled = parent.map(|parent| parent.is_sampled()),
        job = %job.id,
        kind = job.kind,
        queue = job.queue,
        attempt = job.attempt,
        outcome = Empty,
        error_type = Empty,
    )
}
