//! Prometheus text. Everything is a gauge: the numbers are what Postgres says now, and nothing is kept here.

use std::fmt::Write;

use gristmill_rpc::{MetricsReport, QueueStats};

/// The exposition format that is written here.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// All metrics.
pub(crate) fn text(report: &MetricsReport) -> String {
    let mut out = Page(String::new());
    out.of_queues("queue_depth", "Due jobs, counted to 100,000", report, |q| {
        q.pending as f64
    });
    out.of_queues("queue_processing", "Leased jobs", report, |q| {
        q.processing as f64
    });
    out.of_queues(
        "queue_oldest_due_seconds",
        "How long the oldest due job has waited",
        report,
        |q| q.oldest_due_seconds.unwrap_or(0.0),
    );
    out.of_queues(
        "queue_dead_letters",
        "Dead letters, counted to 100,000",
        report,
        |q| q.dead as f64,
    );
    out.of_queues(
        "queue_paused",
        "1 while an operator has paused it",
        report,
        |q| f64::from(u8::from(q.paused)),
    );
    out.of_queues(
        "queue_backlog_seconds",
        "Work that waits, in seconds of one worker",
        report,
        |q| q.backlog_seconds,
    );
    out.of_queues(
        "queue_workers_wanted",
        "Workers that would clear the backlog within the queue's target",
        report,
        |q| q.workers_wanted as f64,
    );

    out.head(
        "queue_attempts_last_minute",
        "Attempts that ended in the last whole minute",
    );
    for queue in &report.queues {
        for (outcome, jobs) in &queue.last_minute {
            out.value(
                "queue_attempts_last_minute",
                &[("queue", &queue.queue), ("outcome", outcome)],
                *jobs as f64,
            );
        }
    }
    out.head(
        "queue_attempt_seconds",
        "Durations of the last quarter of an hour, as upper bounds of buckets",
    );
    for queue in &report.queues {
        for (quantile, ms) in [
            ("0.5", queue.p50_ms),
            ("0.95", queue.p95_ms),
            ("0.99", queue.p99_ms),
        ] {
            if let Some(ms) = ms {
                out.value(
                    "queue_attempt_seconds",
                    &[("queue", &queue.queue), ("quantile", quantile)],
                    ms as f64 / 1000.0,
                );
            }
        }
    }

    out.head("breaker_open", "1 while a target is not invoked");
    for (target, state) in &report.breakers {
        out.value(
            "breaker_open",
            &[("target", target)],
            f64::from(u8::from(state == "open")),
        );
    }
    out.head("schedule_age_seconds", "Since a schedule last ran");
    for schedule in &report.schedules {
        out.value(
            "schedule_age_seconds",
            &[("schedule", &schedule.name)],
            schedule.age_seconds,
        );
    }
    out.head(
        "schedule_late",
        "1 when that is past its interval and slack",
    );
    for schedule in &report.schedules {
        out.value(
            "schedule_late",
            &[("schedule", &schedule.name)],
            f64::from(u8::from(schedule.late)),
        );
    }
    out.head("alerts_firing", "Subjects of a rule that fire");
    for rule in &report.alerts {
        out.value(
            "alerts_firing",
            &[("rule", &rule.rule), ("severity", &rule.severity)],
            rule.firing as f64,
        );
    }
    out.head(
        "rule_threshold",
        "The value from which on an alert rule fires",
    );
    for rule in &report.alerts {
        if let Some(threshold) = rule.threshold {
            out.value(
                "rule_threshold",
                &[("rule", &rule.rule), ("severity", &rule.severity)],
                threshold,
            );
        }
    }
    out.head("rule_value", "What an alert rule measures now");
    for measured in &report.rule_values {
        out.value(
            "rule_value",
            &[("rule", &measured.rule), ("subject", &measured.subject)],
            measured.value,
        );
    }
    for gauge in &report.gauges {
        out.head(&gauge.name, &gauge.help);
        for measured in &gauge.values {
            let label = [(gauge.label.as_str(), measured.subject.as_str())];
            out.value(&gauge.name, &label, measured.value);
        }
    }
    out.head("workers_seen", "Container workers seen lately");
    out.value("workers_seen", &[], report.workers as f64);
    out.0
}

struct Page(String);

impl Page {
    fn head(&mut self, name: &str, help: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            self.0,
            "# HELP gristmill_{name} {help}\n# TYPE gristmill_{name} gauge"
        );
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<_> = labels
            .iter()
            .map(|(label, value)| format!("{label}=\"{}\"", escaped(value)))
            .collect();
        let labels = if labels.is_empty() {
            String::new()
        } else {
            format!("{{{}}}", labels.join(","))
        };
        let _ = writeln!(self.0, "gristmill_{name}{labels} {value}");
    }

    fn of_queues(
        &mut self,
        name: &str,
        help: &str,
        report: &MetricsReport,
        value: fn(&QueueStats) -> f64,
    ) {
        self.head(name, help);
        for queue in &report.queues {
            self.value(name, &[("queue", &queue.queue)], value(queue));
        }
    }
}

fn escaped(label: &str) -> String {
    label
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_a_label_and_its_numbers_are_gauges() {
        let report = r#"{"queues": [{"queue": "a\"b", "paused": false, "pending": 3, "processing": 1, "dead": 0,
            "oldest_due_seconds": 1.5, "last_minute": {"completed": 7}, "p50_ms": 50, "p95_ms": null, "p99_ms": null,
            "backlog_seconds": 12.5, "workers_wanted": 2}],
            "breakers": {"processor": "open"}, "alerts": [{"rule": "r", "severity": "P1", "firing": 1, "threshold": 0.1}], "workers": 4,
            "rule_values": [{"rule": "r", "subject": "s", "value": 0.05}],
            "gauges": [{"name": "refresh_bytes_last_hour", "help": "Bytes", "label": "data_type", "values": [{"subject": "quote", "value": 7}]}],
            "schedules": [{"name": "cleanup", "age_seconds": 61.5, "late": false}]}"#;
        let text = text(&serde_json::from_str(report).unwrap());
        for line in [
            "# TYPE gristmill_queue_depth gauge",
            r#"gristmill_queue_depth{queue="a\"b"} 3"#,
            r#"gristmill_queue_attempts_last_minute{queue="a\"b",outcome="completed"} 7"#,
            r#"gristmill_queue_attempt_seconds{queue="a\"b",quantile="0.5"} 0.05"#,
            r#"gristmill_queue_workers_wanted{queue="a\"b"} 2"#,
            r#"gristmill_breaker_open{target="processor"} 1"#,
            r#"gristmill_schedule_age_seconds{schedule="cleanup"} 61.5"#,
            r#"gristmill_alerts_firing{rule="r",severity="P1"} 1"#,
            r#"gristmill_rule_threshold{rule="r",severity="P1"} 0.1"#,
            r#"gristmill_rule_value{rule="r",subject="s"} 0.05"#,
            "# HELP gristmill_refresh_bytes_last_hour Bytes",
            r#"gristmill_refresh_bytes_last_hour{data_type="quote"} 7"#,
            "gristmill_workers_seen 4",
        ] {
            assert!(text.lines().any(|known| known == line), "{line} in {text}");
        }
        assert!(!text.contains("0.95"));
    }

    #[test]
    fn a_schema_older_than_the_function_has_no_values_of_rules() {
        let report = r#"{"queues": [], "breakers": {}, "schedules": [], "workers": 0,
            "alerts": [{"rule": "r", "severity": "P1", "firing": 0}]}"#;
        let text = text(&serde_json::from_str(report).unwrap());
        assert!(text.contains(r#"gristmill_alerts_firing{rule="r",severity="P1"} 0"#));
        assert!(!text.contains("gristmill_rule_value{"));
        assert!(!text.contains("gristmill_rule_threshold{"));
    }
}
