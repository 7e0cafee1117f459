//! Counters the admin address shows in Prometheus' text format.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use gristmill_dialect::refusal::Reason;
use gristmill_pool::{Counts, PoolGauge};

/// Upper bounds of the latency buckets, in microseconds.
const BUCKETS: [u64; 10] = [
    1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 250_000, 1_000_000, 5_000_000, 30_000_000,
];

/// What has been counted since the start.
#[derive(Default)]
pub(crate) struct Metrics {
    /// Answers by first digit of their status, 1xx to 5xx.
    answers: [AtomicU64; 5],
    /// Refusals by reason, in the order of [`Reason::ALL`].
    refusals: [AtomicU64; Reason::ALL.len()],
    buckets: [AtomicU64; BUCKETS.len()],
    duration_micros: AtomicU64,
    pub(crate) in_flight: AtomicU64,
    pub(crate) tokens_refused: AtomicU64,
    pub(crate) schema_loads: AtomicU64,
    pub(crate) schema_load_failures: AtomicU64,
    pub(crate) proxied: AtomicU64,
    pub(crate) proxy_failures: AtomicU64,
}

/// Memory held at the moment of asking, in bytes.
pub(crate) struct MemoryGauge {
    pub(crate) bodies: usize,
    pub(crate) answers: usize,
}

impl Metrics {
    pub(crate) fn answered(&self, status: u16, took: Duration) {
        let class = usize::from(status / 100).clamp(1, 5) - 1;
        self.answers[class].fetch_add(1, Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.duration_micros.fetch_add(micros, Relaxed);
        if let Some(bucket) = BUCKETS.iter().position(|bound| micros <= *bound) {
            self.buckets[bucket].fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn refused(&self, reason: Reason) {
        let count = Reason::ALL.iter().position(|known| *known == reason);
        if let Some(count) = count.and_then(|at| self.refusals.get(at)) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// The whole page.
    pub(crate) fn render(
        &self,
        counts: &Counts,
        pool: &PoolGauge,
        memory: &MemoryGauge,
        ready: bool,
    ) -> String {
        let mut page = String::new();
        let mut one = |kind: &str, name: &str, help: &str, value: u64| {
            // Writing to a String cannot fail.
            let _ = writeln!(
                page,
                "# HELP gristmill_gateway_{name} {help}\n# TYPE gristmill_gateway_{name} {kind}\n\
                 gristmill_gateway_{name} {value}"
            );
        };
        let gauge = "gauge";
        let counter = "counter";
        one(
            gauge,
            "ready",
            "1 once the schema is read and Postgres answers",
            u64::from(ready),
        );
        one(
            gauge,
            "requests_in_flight",
            "Requests being answered",
            self.in_flight.load(Relaxed),
        );
        one(
            gauge,
            "pool_size",
            "Connections the pool may hold",
            pool.size as u64,
        );
        one(gauge, "pool_busy", "Connections in use", pool.busy as u64);
        one(
            gauge,
            "pool_waiting",
            "Requests waiting for a connection",
            pool.waiting as u64,
        );
        one(
            gauge,
            "pool_users_size",
            "Connections that users can have",
            pool.for_users as u64,
        );
        one(
            gauge,
            "pool_users_busy",
            "Connections that users have",
            pool.busy_for_users as u64,
        );
        one(
            gauge,
            "body_bytes",
            "Memory held by request bodies",
            memory.bodies as u64,
        );
        one(
            gauge,
            "answer_bytes",
            "Memory held by answers",
            memory.answers as u64,
        );
        for (name, help, value) in [
            (
                "tokens_refused_total",
                "Requests refused for their token",
                &self.tokens_refused,
            ),
            (
                "shed_total",
                "Requests refused because the queue was full",
                &counts.shed,
            ),
            (
                "cancelled_total",
                "Queries cancelled because the client left",
                &counts.cancelled,
            ),
            (
                "connections_opened_total",
                "Connections opened",
                &counts.connections_opened,
            ),
            (
                "connections_discarded_total",
                "Connections closed on doubt",
                &counts.connections_discarded,
            ),
            (
                "connection_failures_total",
                "Connections that could not be opened",
                &counts.connection_failures,
            ),
            (
                "schema_loads_total",
                "Times the schema was read",
                &self.schema_loads,
            ),
            (
                "schema_load_failures_total",
                "Times reading the schema failed",
                &self.schema_load_failures,
            ),
            ("proxied_total", "Requests forwarded", &self.proxied),
            (
                "proxy_failures_total",
                "Requests whose target could not be reached",
                &self.proxy_failures,
            ),
        ] {
            one(counter, name, help, value.load(Relaxed));
        }
        if let Some((exported, dropped)) = gristmill_native::telemetry::counts() {
            one(
                counter,
                "spans_exported_total",
                "Spans that the collector has taken",
                exported,
            );
            one(
                counter,
                "spans_dropped_total",
                "Spans dropped because the collector was too slow, down or refused them",
                dropped,
            );
        }
        self.render_refusals(&mut page);
        self.render_answers(&mut page);
        page
    }

    fn render_refusals(&self, page: &mut String) {
        page.push_str(
            "# HELP gristmill_gateway_refusals_total Requests that were refused to protect others, or \
             for a fault behind the gateway\n# TYPE gristmill_gateway_refusals_total counter\n",
        );
        for (reason, count) in Reason::ALL.iter().zip(&self.refusals) {
            let (reason, count) = (reason.name(), count.load(Relaxed));
            let _ = writeln!(
                page,
                "gristmill_gateway_refusals_total{{reason=\"{reason}\"}} {count}"
            );
        }
    }

    fn render_answers(&self, page: &mut String) {
        let total: u64 = self.answers.iter().map(|count| count.load(Relaxed)).sum();
        page.push_str("# TYPE gristmill_gateway_requests_total counter\n");
        for (class, count) in (1..).zip(&self.answers) {
            let count = count.load(Relaxed);
            let _ = writeln!(
                page,
                "gristmill_gateway_requests_total{{status=\"{class}xx\"}} {count}"
            );
        }
        page.push_str("# TYPE gristmill_gateway_request_duration_seconds histogram\n");
        let name = "gristmill_gateway_request_duration_seconds";
        let mut below = 0;
        for (bound, count) in BUCKETS.iter().zip(&self.buckets) {
            below += count.load(Relaxed);
            let seconds = *bound as f64 / 1e6;
            let _ = writeln!(page, "{name}_bucket{{le=\"{seconds}\"}} {below}");
        }
        let seconds = self.duration_micros.load(Relaxed) as f64 / 1e6;
        let _ = writeln!(page, "{name}_bucket{{le=\"+Inf\"}} {total}");
        let _ = writeln!(page, "{name}_sum {seconds}\n{name}_count {total}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative_and_end_at_the_total() {
        let metrics = Metrics::default();
        metrics.answered(200, Duration::from_micros(900));
        metrics.answered(503, Duration::from_millis(4));
        metrics.answered(200, Duration::from_secs(60));
        let gauge = PoolGauge {
            size: 1,
            busy: 0,
            waiting: 0,
            for_users: 1,
            busy_for_users: 0,
        };
        let memory = MemoryGauge {
            bodies: 0,
            answers: 0,
        };
        metrics.refused(Reason::Deadline);
        let page = metrics.render(&Counts::default(), &gauge, &memory, true);
        assert!(page.contains("refusals_total{reason=\"deadline\"} 1\n"));
        assert!(page.contains("refusals_total{reason=\"caller_busy\"} 0\n"));
        assert!(page.contains("bucket{le=\"0.001\"} 1\n"));
        assert!(page.contains("bucket{le=\"0.005\"} 2\n"));
        assert!(page.contains("bucket{le=\"+Inf\"} 3\n"));
        assert!(page.contains("requests_total{status=\"5xx\"} 1\n"));
    }
}
