//! Where a request's time went, for the message that pg_net gives when it runs out.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

tokio::task_local! {
    /// The request that the current task sends. The pool calls resolver and connector in that task.
    static CURRENT: Arc<Timing>;
}

/// Time spent looking names up and connecting, over all redirects of one request.
#[derive(Debug, Default)]
pub(super) struct Timing {
    spent: Mutex<Spent>,
}

#[derive(Debug, Default)]
struct Spent {
    lookup: Duration,
    looking_since: Option<Instant>,
    connect: Duration,
    connecting_since: Option<Instant>,
}

/// A step of a request that has a line of its own in the message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Looking the host's name up; a part of connecting.
    Lookup,
    /// From no connection to one that HTTP can be spoken on, TLS included.
    Connect,
}

impl Timing {
    /// Runs a request under this record.
    pub(super) async fn watch<F: Future>(self: Arc<Self>, request: F) -> F::Output {
        CURRENT.scope(self, request).await
    }

    /// The record of the current task's request, to be taken before a step moves to another task.
    pub(super) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// Times one step of the request, if the step belongs to one.
    pub(super) async fn measure<F: Future>(
        record: Option<Arc<Self>>,
        step: Step,
        work: F,
    ) -> F::Output {
        let note = |done: bool| {
            if let Some(record) = &record {
                record.note(step, done);
            }
        };
        note(false);
        let outcome = work.await;
        note(true);
        outcome
    }

    fn note(&self, step: Step, done: bool) {
        // A poisoned lock means a panic elsewhere; a timing is not worth a second one.
        let Ok(mut spent) = self.spent.lock() else {
            return;
        };
        let spent = &mut *spent;
        let (total, since) = match step {
            Step::Lookup => (&mut spent.lookup, &mut spent.looking_since),
            Step::Connect => (&mut spent.connect, &mut spent.connecting_since),
        };
        if !done {
            *since = Some(Instant::now());
        } else if let Some(begun) = since.take() {
            *total += begun.elapsed();
        }
    }

    /// pg_net's sentence for a request that took too long; the three parts add up to the total.
    pub(super) fn timeout_message(&self, limit_milliseconds: i32, total: Duration) -> String {
        let (lookup, connect) = self.spent.lock().map_or_else(
            |_| (Duration::ZERO, Duration::ZERO),
            |spent| {
                let open = |since: Option<Instant>| since.map_or(Duration::ZERO, |at| at.elapsed());
                (
                    spent.lookup + open(spent.looking_since),
                    spent.connect + open(spent.connecting_since),
                )
            },
        );
        let handshake = connect.saturating_sub(lookup);
        let http = total.saturating_sub(connect);
        let milliseconds = |span: Duration| span.as_secs_f64() * 1000.0;
        format!(
            "Timeout of {limit_milliseconds} ms reached. Total time: {:.6} ms (DNS time: {:.6} ms, \
             TCP/SSL handshake time: {:.6} ms, HTTP Request/Response time: {:.6} ms)",
            milliseconds(total),
            milliseconds(lookup),
            milliseconds(handshake),
            milliseconds(http),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_reads_as_pg_nets() {
        let message = Timing::default().timeout_message(800, Duration::from_micros(801_159));
        assert_eq!(
            message,
            "Timeout of 800 ms reached. Total time: 801.159000 ms (DNS time: 0.000000 ms, TCP/SSL \
             handshake time: 0.000000 ms, HTTP Request/Response time: 801.159000 ms)"
        );
    }
}
