//! One invocation of a function: claim once, run the jobs at the same time, settle them in one call, and end.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Running;
use crate::client::{CallError, Claim, Client, again};
use crate::cx::{Cx, Live, States};
use crate::handler::{Jobs, unknown_kind};
use crate::job::{ClaimedJob, InvocationId};
use crate::outcome::{Failure, Outcome, SettleStatus, Settled, Settlement};
use crate::signature::{Key, Refused};
use crate::steps::{set_longest, until_put_off};
use crate::time::within;

/// An invocation is small; whatever is larger was not sent by Postgres.
pub const MAX_BYTES: usize = 16 * 1024;

/// The end of an invocation's time, kept for settling: a job that still runs then has failed.
const TIME_TO_SETTLE: Duration = Duration::from_secs(5);

/// What Postgres asks a function for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Invocation {
    /// Names it; good for one claim.
    pub invocation: InvocationId,
    /// The queue whose jobs are due.
    pub queue: String,
    /// How many jobs to claim.
    pub batch: u32,
    /// How long the invocation may take; after that Postgres takes its jobs back.
    pub seconds: u32,
    /// The kinds of the queue. An older Postgres does not say.
    #[serde(default)]
    pub kinds: Option<Vec<String>>,
}

/// What became of one batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// How many jobs were claimed.
    pub claimed: usize,
    /// How many outcomes counted.
    pub accepted: usize,
    /// How many came too late.
    pub lost: usize,
}

/// Why a request is no invocation.
#[derive(Debug, thiserror::Error)]
pub enum NotInvoked {
    /// It was not signed by Postgres, or is too old.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// It was signed, and says something else.
    #[error("the body is not that of an invocation")]
    Body(#[source] serde_json::Error),
}

/// Serves whole invocations of some queues, with claims and settlements of its own: the way for an application whose batch is claimed
/// together with the rows that it needs.
pub trait Batch: Send + Sync + 'static {
    /// Whether it serves this queue.
    fn serves(&self, queue: &str) -> bool;

    /// Claims, runs and settles one batch.
    fn serve<'a>(
        &'a self,
        invocation: &'a Invocation,
        worker: &'a str,
    ) -> Running<'a, Result<Report, CallError>>;
}

impl Report {
    /// What settling answered for this many claimed jobs.
    pub fn of(claimed: usize, settled: &[Settled]) -> Self {
        let is_lost = |job: &&Settled| job.status == SettleStatus::Lost;
        let lost = settled.iter().filter(is_lost).count();
        Self {
            claimed,
            accepted: settled.len() - lost,
            lost,
        }
    }
}

impl Invocation {
    /// Accepts a body whose headers carry a fresh signature of it. `header` gives the value of a header by its name in lower case.
    pub fn verify(
        key: &Key,
        header: impl Fn(&str) -> Option<String>,
        body: &[u8],
        now_seconds: i64,
    ) -> Result<Self, NotInvoked> {
        let header = |name| header(name).unwrap_or_default();
        key.verify(
            &header("webhook-id"),
            &header("webhook-timestamp"),
            &header("webhook-signature"),
            body,
            now_seconds,
        )?;
        serde_json::from_slice(body).map_err(NotInvoked::Body)
    }

    /// The name of the worker that an invocation is.
    pub fn worker(&self) -> String {
        format!("edge-{}", self.invocation)
    }

    /// How long one job may run.
    pub fn longest_job(&self) -> Duration {
        let whole = Duration::from_secs(self.seconds.into());
        whole.saturating_sub(TIME_TO_SETTLE).max(whole / 2)
    }

    /// Claims, runs and settles the batch that Postgres asks for.
    pub async fn serve(&self, client: &Client, jobs: &Jobs) -> Result<Report, CallError> {
        let worker = self.worker();
        let end = Utc::now() + Duration::from_secs(self.seconds.into());
        if let Some(batch) = jobs.batch_of(&self.queue) {
            return batch.serve(self, &worker).await;
        }
        let Some(kinds) = self.kinds_to_claim(jobs) else {
            return Ok(Report::default());
        };
        let claim = Claim {
            queues: std::slice::from_ref(&self.queue),
            max: self.batch,
            kinds: kinds.as_deref(),
            leave_external: false,
        };
        // An invocation claims once: a repeat whose first call was heard is answered with nothing, and Postgres takes the jobs back.
        let claimed = again!(
            until end,
            client.claim_jobs(&worker, claim, Some(self.invocation))
        )?;
        if claimed.is_empty() {
            return Ok(Report::default());
        }
        let count = claimed.len();
        let states = jobs.states();
        let longest = self.longest_job();
        let attempts = claimed
            .iter()
            .map(|job| attempt(job, &worker, client, jobs, &states, longest));
        let settlements = join_all(attempts).await;
        let (done, settlements): (Vec<_>, Vec<_>) = settlements
            .into_iter()
            .partition(|settlement| settlement.outcome.is_settled());
        // What was put off has ended its attempt, and not the invocation: settling nothing ends that.
        let is_put_off = |one: &Settlement| {
            matches!(
                one.outcome,
                Outcome::Noted {
                    word: "snoozed" | "lost"
                }
            )
        };
        let settled = match settlements.is_empty() && !done.iter().any(is_put_off) {
            true => Vec::new(),
            false => {
                let settling = Settling {
                    client,
                    worker: &worker,
                    invocation: self.invocation,
                    end,
                };
                settling.settle(settlements).await?
            }
        };
        let report = Report::of(count, &settled);
        Ok(Report {
            accepted: report.accepted + done.len(),
            ..report
        })
    }

    /// `Some(None)`: all kinds. `None`: there is no handler for any of them, so that nothing is claimed.
    fn kinds_to_claim(&self, jobs: &Jobs) -> Option<Option<Vec<String>>> {
        let Some(kinds) = &self.kinds else {
            return Some(None);
        };
        let known = kinds.iter().filter(|kind| jobs.handler(kind).is_some());
        let known: Vec<String> = known.cloned().collect();
        if known.len() == kinds.len() {
            return Some(None);
        }
        (!known.is_empty()).then_some(Some(known))
    }
}

async fn attempt(
    job: &ClaimedJob,
    worker: &str,
    client: &Client,
    jobs: &Jobs,
    states: &Arc<States>,
    longest: Duration,
) -> Settlement {
    let live = Live::new(None);
    let cx = Cx::new(job, worker, client, states, live.clone());
    set_longest(&live, longest);
    let outcome = match jobs.handler(&job.kind) {
        Some(handler) => within(longest, until_put_off(handler.run(job, &cx), &live))
            .await
            .unwrap_or_else(|_| timed_out(longest)),
        None => unknown_kind(&job.kind),
    };
    Settlement {
        id: job.id,
        attempt: job.attempt,
        outcome,
        usage: live.usage(),
        logs: live.take_logs(true),
    }
}

fn timed_out(longest: Duration) -> Outcome {
    let message = format!("not done after {} s", longest.as_secs());
    Failure::retryable("timeout", message).into()
}

/// Work is done and only its record is missing: Postgres is asked until the time of the invocation is over. Settling twice changes nothing.
struct Settling<'a> {
    client: &'a Client,
    worker: &'a str,
    invocation: InvocationId,
    end: DateTime<Utc>,
}

impl Settling<'_> {
    /// All in one call; one by one when the batch is refused, so that one bad outcome does not hold back the others.
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>, CallError> {
        match self.insist(&settlements, true).await {
            Err(error) if !error.is_passing() => {}
            ended => return ended,
        }
        let mut settled = Vec::new();
        let mut left = settlements.len();
        for settlement in settlements {
            left -= 1;
            let one = std::slice::from_ref(&settlement);
            let answer = match self.insist(one, left == 0).await {
                Err(error) if !error.is_passing() => {
                    self.insist(&[settlement.refused(&error)], left == 0).await
                }
                ended => ended,
            };
            settled.extend(answer?);
        }
        Ok(settled)
    }

    /// With the last outcomes the invocation has ended.
    async fn insist(
        &self,
        batch: &[Settlement],
        are_last: bool,
    ) -> Result<Vec<Settled>, CallError> {
        let invocation = are_last.then_some(self.invocation);
        again!(until self.end, self.client.settle_jobs(self.worker, batch, invocation))
    }
}

impl Settlement {
    /// Takes the place of an outcome that Postgres does not take.
    pub(crate) fn refused(&self, error: &CallError) -> Self {
        Self {
            id: self.id,
            attempt: self.attempt,
            outcome: Failure::permanent("outcome_refused", error.to_string()).into(),
            usage: self.usage,
            logs: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(seconds: u32, kinds: Option<&[&str]>) -> Invocation {
        // As Postgres writes it (sql/engine/invoke/invoke.sql).
        serde_json::from_value(json!({
            "invocation": "01a1e273-88a8-7a97-9476-25074e8fc71c", "queue": "default", "batch": 50, "seconds": seconds, "kinds": kinds,
        }))
        .unwrap()
    }

    #[test]
    fn a_job_ends_in_time_to_be_settled_within_its_invocation() {
        assert_eq!(asked(30, None).longest_job(), Duration::from_secs(25));
        assert_eq!(asked(900, None).longest_job(), Duration::from_secs(895));
        // A short time is halved: some of it is left for the job.
        assert_eq!(asked(4, None).longest_job(), Duration::from_secs(2));
    }

    #[test]
    fn kinds_are_named_in_a_claim_only_where_some_have_no_handler() {
        let jobs = crate::jobs![crate::tests::thumbnail];
        let claimed = |kinds: Option<&[&str]>| asked(30, kinds).kinds_to_claim(&jobs);
        assert_eq!(claimed(None), Some(None));
        assert_eq!(claimed(Some(&["thumbnail"])), Some(None));
        assert_eq!(
            claimed(Some(&["thumbnail", "other"])),
            Some(Some(vec!["thumbnail".to_owned()]))
        );
        assert_eq!(claimed(Some(&["other"])), None);
    }

    #[test]
    fn only_a_signed_request_is_an_invocation() {
        let key = Key::parse("whsec_bmV3IGtleQ==").unwrap();
        let body = br#"{"invocation":"01a1e273-88a8-7a97-9476-25074e8fc71c","queue":"q","batch":1,"seconds":30,"later":1}"#;
        let signature = key.sign("id", "1795000000", body).unwrap();
        let verify = |signature: &str, now| {
            let header = |name: &str| {
                Some(
                    match name {
                        "webhook-id" => "id",
                        "webhook-timestamp" => "1795000000",
                        _ => signature,
                    }
                    .to_owned(),
                )
            };
            Invocation::verify(&key, header, body, now)
        };
        assert_eq!(verify(&signature, 1_795_000_000).unwrap().queue, "q");
        assert!(verify("v1,AAAA", 1_795_000_000).is_err());
        assert!(verify(&signature, 1_795_000_301).is_err());
    }
}
