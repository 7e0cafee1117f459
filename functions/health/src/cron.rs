//! Whether the schedules run, in the words of `health-check`.

use gristmill_rpc::CronJob;
use schemars::JsonSchema;
use serde::Serialize;

/// Every critical schedule ran on time.
#[derive(Debug, Serialize, PartialEq, Eq, JsonSchema)]
pub(crate) struct Healthy {
    /// Always healthy.
    status: &'static str,
    jobs: Vec<Job>,
}

#[derive(Debug, Serialize, PartialEq, Eq, JsonSchema)]
struct Job {
    jobname: String,
    /// Null for a schedule that was just installed.
    last_run: Option<String>,
}

/// Some critical schedules did not run on time.
#[derive(Debug, Serialize, PartialEq, Eq, JsonSchema)]
pub(crate) struct Stale {
    /// Always the same sentence.
    error: &'static str,
    stale_jobs: Vec<StaleJob>,
}

#[derive(Debug, Serialize, PartialEq, Eq, JsonSchema)]
struct StaleJob {
    name: String,
    /// Null for a schedule that never ran.
    last_run: Option<String>,
}

pub(crate) fn judge(jobs: Vec<CronJob>) -> Result<Healthy, Stale> {
    let (late, on_time): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| job.is_late);
    if late.is_empty() {
        let jobs = on_time.into_iter().map(|job| Job {
            jobname: job.name,
            last_run: job.last_run,
        });
        return Ok(Healthy {
            status: "healthy",
            jobs: jobs.collect(),
        });
    }
    let stale_jobs = late.into_iter().map(|job| StaleJob {
        name: job.name,
        last_run: job.last_run,
    });
    Err(Stale {
        error: "Cron jobs are stale",
        stale_jobs: stale_jobs.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(name: &str, is_late: bool) -> CronJob {
        CronJob {
            name: name.into(),
            last_run: Some("2030-01-01T00:00:00Z".into()),
            is_late,
        }
    }

    #[test]
    fn one_late_schedule_is_named_and_makes_the_whole_stale() {
        let stale = judge(vec![job("a", false), job("b", true)]).unwrap_err();
        assert_eq!(
            serde_json::to_string(&stale).unwrap(),
            r#"{"error":"Cron jobs are stale","stale_jobs":[{"name":"b","last_run":"2030-01-01T00:00:00Z"}]}"#
        );
        let healthy = judge(vec![job("a", false)]).unwrap();
        assert_eq!(
            serde_json::to_string(&healthy).unwrap(),
            r#"{"status":"healthy","jobs":[{"jobname":"a","last_run":"2030-01-01T00:00:00Z"}]}"#
        );
    }
}
