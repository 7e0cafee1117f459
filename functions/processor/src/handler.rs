//! One invocation: verify, claim, run, settle. Two round trips to Postgres.

use std::time::Duration;

use futures_util::future::join_all;
use gristmill_core::job::{
    ClaimedJob, Failure, InvocationId, Outcome, SettleStatus, Settled, Settlement,
};
use gristmill_core::{Problem, json, within};
use gristmill_edge::{Call, Config, Reply};
use gristmill_rpc::RpcError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use worker::Delay;

use crate::{jobs, refresh};

/// An invocation is small; whatever is larger was not sent by our Postgres.
const MAX_INVOCATION: usize = 64 * 1024;

/// The end of an invocation's time, kept for settling: a job that still runs then has failed.
const TIME_TO_SETTLE: Duration = Duration::from_secs(5);

/// What Postgres asks for. Fields that are not known here are left alone: Postgres says more with each release (docs/protocol.md), and
/// the function may be the older of the two.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Invocation {
    pub(crate) invocation: InvocationId,
    pub(crate) queue: String,
    pub(crate) batch: u32,
    /// How long the invocation may take; after that Postgres takes its jobs back.
    pub(crate) seconds: u32,
}

impl Invocation {
    /// How long one job may run.
    fn longest_job(&self) -> Duration {
        let whole = Duration::from_secs(self.seconds.into());
        whole.saturating_sub(TIME_TO_SETTLE).max(whole / 2)
    }
}

/// What became of one batch.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Report {
    claimed: usize,
    accepted: usize,
    lost: usize,
}

pub(crate) async fn invoked(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let body = call.signed_body(config, MAX_INVOCATION).await?;
    let asked: Invocation = json::parse(&body)?;
    let rpc = config.service_rpc()?;
    let worker = format!("edge-{}", asked.invocation);
    if refresh::serves(&asked.queue) {
        let report = refresh::batch(&rpc, config, &worker, &asked).await?;
        return Reply::json(200, &report);
    }

    let claimed = rpc
        .claim_jobs(&worker, &asked.queue, asked.batch, Some(asked.invocation))
        .await?;
    if claimed.is_empty() {
        return Reply::json(200, &Report::default());
    }
    let longest = asked.longest_job();
    let settlements = join_all(claimed.into_iter().map(|job| attempt(job, config, longest))).await;
    let settled = insist(async || {
        rpc.settle_jobs(&worker, &settlements, Some(asked.invocation))
            .await
    })
    .await?;
    Reply::json(200, &Report::of(settlements.len(), &settled))
}

async fn attempt(job: ClaimedJob, config: &Config, longest: Duration) -> Settlement {
    let outcome = within(longest, jobs::run(&job, config))
        .await
        .unwrap_or_else(|_| Outcome::Failed {
            error: Failure::retryable("timeout", format!("not done after {} s", longest.as_secs())),
        });
    Settlement {
        id: job.id,
        attempt: job.attempt,
        outcome,
        usage: None,
    }
}

/// Work is done and only its record is missing: worth a few tries. Settling twice changes nothing.
pub(crate) async fn insist<T>(
    settle: impl AsyncFn() -> Result<T, RpcError>,
) -> Result<T, RpcError> {
    for pause in [100, 400, 1600] {
        match settle().await {
            Err(error) if error.is_passing() => Delay::from(Duration::from_millis(pause)).await,
            ended => return ended,
        }
    }
    settle().await
}

impl Report {
    pub(crate) fn of(claimed: usize, settled: &[Settled]) -> Self {
        let lost = settled
            .iter()
            .filter(|job| job.status == SettleStatus::Lost)
            .count();
        Self {
            claimed,
            accepted: settled.len() - lost,
            lost,
        }
    }
}

/// What a cron trigger stands for. A failure is logged: the next trigger tries again.
pub(crate) async fn scheduled(config: &Config, schedule: &str) {
    let ran = match config.service_rpc() {
        Ok(rpc) => rpc
            .run_schedules("processor", schedule)
            .await
            .map_err(Problem::from),
        Err(problem) => Err(problem),
    };
    match ran {
        Ok(ran) => worker::console_log!(
            "{}",
            serde_json::json!({ "function": "processor", "schedule": schedule, "ran": ran })
        ),
        Err(problem) => worker::console_error!(
            "{}",
            serde_json::json!({ "function": "processor", "schedule": schedule,
                "code": problem.code.as_str(), "cause": problem.cause })
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_ends_in_time_to_be_settled_within_its_invocation() {
        // As Postgres writes it (sql/engine/invoke/invoke.sql).
        let asked = |seconds: u32| -> Invocation {
            serde_json::from_value(serde_json::json!({
                "invocation": "01a1e273-88a8-7a97-9476-25074e8fc71c", "queue": "default", "batch": 50, "seconds": seconds,
                "kinds": ["echo"],
            }))
            .unwrap()
        };
        assert_eq!(asked(30).longest_job(), Duration::from_secs(25));
        assert_eq!(asked(900).longest_job(), Duration::from_secs(895));
        // A short time is halved: some of it is left for the job.
        assert_eq!(asked(4).longest_job(), Duration::from_secs(2));
    }
}
