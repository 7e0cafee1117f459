//! The calls of health, cleanup and cron triggers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Rpc, RpcError};

/// One health check, as `health_report` gives it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HealthCheck {
    /// Which part.
    pub name: String,
    /// Whether it is well.
    pub ok: bool,
    /// What is not, in words.
    pub details: Vec<String>,
}

/// What the health function judges.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HealthReport {
    /// Every check.
    pub checks: Vec<HealthCheck>,
    /// What is worth knowing although nothing is wrong.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A critical schedule, as `cron_report` gives it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CronJob {
    /// Its name.
    pub name: String,
    /// When it last succeeded.
    pub last_run: Option<String>,
    /// Whether that is too long ago.
    pub is_late: bool,
}

/// One queue's numbers, as `queue_stats` gives them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct QueueStats {
    /// Its name.
    pub queue: String,
    /// No claims and no invocations.
    pub paused: bool,
    /// Due jobs, counted to 100,000.
    pub pending: u64,
    /// Leased jobs.
    pub processing: u64,
    /// How long the oldest due job has waited.
    pub oldest_due_seconds: Option<f64>,
    /// Dead letters, counted to 100,000.
    pub dead: u64,
    /// Attempts of the last whole minute, by outcome.
    pub last_minute: BTreeMap<String, u64>,
    /// Durations of the last quarter of an hour, as upper bounds of histogram buckets.
    pub p50_ms: Option<u64>,
    /// The same.
    pub p95_ms: Option<u64>,
    /// The same.
    pub p99_ms: Option<u64>,
    /// Work that waits, in seconds of one worker.
    pub backlog_seconds: f64,
    /// Workers that would clear it within the queue's target.
    pub workers_wanted: u64,
}

/// A schedule's standing.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ScheduleAge {
    /// Its name.
    pub name: String,
    /// Since its last run.
    pub age_seconds: f64,
    /// Whether that is too long ago.
    pub late: bool,
}

/// How many alerts of a rule fire.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RuleState {
    /// The rule.
    pub rule: String,
    /// P0, P1 or P2.
    pub severity: String,
    /// Subjects that fire.
    pub firing: u64,
    /// The value from which on it fires. None from a schema that is older than this function.
    pub threshold: Option<f64>,
}

/// What a rule measures now.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RuleValue {
    /// The rule.
    pub rule: String,
    /// A queue, a target, a type or a provider.
    pub subject: String,
    /// Above the threshold or below.
    pub value: f64,
}

/// Everything that `/metrics` shows.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct MetricsReport {
    /// Each queue.
    pub queues: Vec<QueueStats>,
    /// The state of each target's breaker.
    pub breakers: BTreeMap<String, String>,
    /// Each schedule.
    pub schedules: Vec<ScheduleAge>,
    /// Each alert rule.
    pub alerts: Vec<RuleState>,
    /// What each rule measures, by subject. Empty from a schema that is older than this function.
    #[serde(default)]
    pub rule_values: Vec<RuleValue>,
    /// What parts add. Empty from a schema that is older than this function.
    #[serde(default)]
    pub gauges: Vec<Gauge>,
    /// Container workers seen lately.
    pub workers: u64,
}

/// A number that a part adds, for each of its subjects.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Gauge {
    /// Its name, without the prefix of ours.
    pub name: String,
    /// What it is.
    pub help: String,
    /// What its subjects are.
    pub label: String,
    /// By subject.
    pub values: Vec<GaugeValue>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct GaugeValue {
    /// Of what.
    pub subject: String,
    /// How much.
    pub value: f64,
}

/// What a piece of a cleanup step answered.
#[derive(Debug, Default, Deserialize)]
pub struct CleanupReport {
    /// SQLSTATE, when it failed.
    pub error: Option<String>,
    /// Objects to remove before the step is confirmed.
    #[serde(default)]
    pub remove: Vec<String>,
    /// Whether there is more to do.
    #[serde(default)]
    pub more: bool,
    /// Numbers that say what was done.
    #[serde(flatten)]
    pub done: BTreeMap<String, serde_json::Value>,
}

#[derive(Serialize)]
struct Step<'a> {
    p_step: &'a str,
}

impl Rpc {
    /// Every health check.
    pub async fn health_report(&self) -> Result<HealthReport, RpcError> {
        self.call("health_report", &serde_json::json!({})).await
    }

    /// Every critical schedule.
    pub async fn cron_report(&self) -> Result<Vec<CronJob>, RpcError> {
        self.call("cron_report", &serde_json::json!({})).await
    }

    /// Numbers for a monitor.
    pub async fn metrics_report(&self) -> Result<MetricsReport, RpcError> {
        self.call("metrics_report", &serde_json::json!({})).await
    }

    /// Runs what a cron trigger of a function stands for; says for each schedule whether it succeeded.
    pub async fn run_schedules(
        &self,
        function: &str,
        schedule: &str,
    ) -> Result<BTreeMap<String, bool>, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_trigger_of: &'a str,
            p_schedule: &'a str,
        }
        let arguments = Arguments {
            p_trigger_of: function,
            p_schedule: schedule,
        };
        self.call("run_schedules", &arguments).await
    }

    /// The steps of the cleanup, in their order.
    pub async fn cleanup_steps(&self) -> Result<Vec<String>, RpcError> {
        self.call("cleanup_steps", &serde_json::json!({})).await
    }

    /// One bounded piece of a step.
    pub async fn run_cleanup_step(&self, step: &str) -> Result<CleanupReport, RpcError> {
        self.call("run_cleanup_step", &Step { p_step: step }).await
    }

    /// The objects that a step named are gone.
    pub async fn confirm_cleanup_step(
        &self,
        step: &str,
        keys: &[String],
    ) -> Result<serde_json::Value, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_step: &'a str,
            p_keys: &'a [String],
        }
        let arguments = Arguments {
            p_step: step,
            p_keys: keys,
        };
        self.call("confirm_cleanup_step", &arguments).await
    }
}
