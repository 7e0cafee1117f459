//! One look at the queues, as text.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

/// A queue as `queue_stats` tells of it.
#[derive(Debug, Deserialize)]
pub(super) struct Queue {
    queue: String,
    paused: bool,
    pending: u64,
    processing: u64,
    dead: u64,
    oldest_due_seconds: Option<f64>,
    last_minute: BTreeMap<String, u64>,
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
    workers_wanted: Option<u64>,
}

/// All that is shown at once.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) queues: Vec<Queue>,
    pub(super) at: String,
    pub(super) breakers: Vec<String>,
}

impl Queue {
    fn done_last_minute(&self) -> u64 {
        self.last_minute.get("completed").copied().unwrap_or(0)
    }

    fn failed_last_minute(&self) -> u64 {
        ["failed", "dead", "lost"]
            .iter()
            .filter_map(|outcome| self.last_minute.get(*outcome))
            .sum()
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = |of: fn(&Queue) -> u64| self.queues.iter().map(of).sum::<u64>();
        writeln!(
            out,
            "gristmill  {}  {} pending  {} processing  {} dead  {} done and {} failed in the last minute",
            self.at,
            total(|queue| queue.pending),
            total(|queue| queue.processing),
            total(|queue| queue.dead),
            total(Queue::done_last_minute),
            total(Queue::failed_last_minute),
        )?;
        for breaker in &self.breakers {
            writeln!(out, "breaker    {breaker}")?;
        }
        writeln!(
            out,
            "\n{:<24} {:>9} {:>10} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>7}",
            "queue",
            "pending",
            "processing",
            "dead",
            "oldest",
            "done/min",
            "fail/min",
            "p50",
            "p99",
            "workers"
        )?;
        for queue in &self.queues {
            let name = if queue.paused {
                format!("{} (paused)", queue.queue)
            } else {
                queue.queue.clone()
            };
            writeln!(
                out,
                "{name:<24} {:>9} {:>10} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>7}",
                queue.pending,
                queue.processing,
                queue.dead,
                duration(queue.oldest_due_seconds.map(|seconds| seconds * 1000.0)),
                queue.done_last_minute(),
                queue.failed_last_minute(),
                duration(queue.p50_ms),
                duration(queue.p99_ms),
                queue.workers_wanted.unwrap_or(0),
            )?;
        }
        Ok(())
    }
}

fn duration(ms: Option<f64>) -> String {
    match ms {
        None => "-".to_owned(),
        Some(ms) if ms < 1000.0 => format!("{ms:.0} ms"),
        Some(ms) if ms < 120_000.0 => format!("{:.1} s", ms / 1000.0),
        Some(ms) if ms < 7_200_000.0 => format!("{:.0} min", ms / 60_000.0),
        Some(ms) => format!("{:.0} h", ms / 3_600_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        let queues = serde_json::json!([{
            "queue": "exports", "paused": true, "pending": 3, "processing": 1, "dead": 2, "oldest_due_seconds": 0.25,
            "last_minute": {"completed": 40, "failed": 2, "lost": 1, "snoozed": 9}, "p50_ms": 12, "p99_ms": 1500,
            "workers_wanted": 1, "a_field_of_a_later_version": true
        }]);
        Frame {
            queues: serde_json::from_value(queues).unwrap(),
            at: "10:00:00 UTC".into(),
            breakers: vec!["processor is open: 9 of 10 failed".into()],
        }
    }

    #[test]
    fn a_frame_sums_the_queues_and_names_open_breakers() {
        let text = frame().to_string();
        assert!(text.starts_with("gristmill  10:00:00 UTC  3 pending  1 processing  2 dead  40 done and 3 failed in the last minute\n"));
        assert!(text.contains("processor is open: 9 of 10 failed"));
    }

    #[test]
    fn a_paused_queue_says_so_and_snoozing_is_no_failure() {
        let text = frame().to_string();
        let row: Vec<_> = text.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(
            row,
            [
                "exports", "(paused)", "3", "1", "2", "250", "ms", "40", "3", "12", "ms", "1.5",
                "s", "1"
            ]
        );
    }

    #[test]
    fn a_duration_is_given_in_the_unit_a_person_would_use() {
        let units = [
            None,
            Some(999.0),
            Some(1500.0),
            Some(600_000.0),
            Some(86_400_000.0),
        ];
        assert_eq!(
            units.map(duration),
            ["-", "999 ms", "1.5 s", "10 min", "24 h"]
        );
    }
}
