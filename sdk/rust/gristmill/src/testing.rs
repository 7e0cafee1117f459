//! Tests of handlers: alone ([`run`]), or against a database ([`Mill`]).
//!
//! ```
//! use gristmill::{Cx, Failure, Job, jobs, testing};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Job, Serialize, Deserialize, JsonSchema)]
//! #[job(kind = "thumbnail")]
//! struct Thumbnail {
//!     object: String,
//! }
//!
//! async fn thumbnail(job: Thumbnail, cx: &Cx) -> Result<String, Failure> {
//!     cx.log().info("reading");
//!     cx.progress(50);
//!     Ok(format!("small/{}", job.object))
//! }
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let ran = testing::run(jobs![thumbnail], &Thumbnail { object: "cat.png".into() }).await;
//! assert_eq!(ran.result::<String>().as_deref(), Some("small/cat.png"));
//! assert_eq!(ran.logs[0].message, "reading");
//! assert_eq!(ran.progress, Some(50));
//! # });
//! ```

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::Job;
use crate::client::{CallError, Claim, Client};
use crate::cx::{Cx, Live};
use crate::handler::{Jobs, unknown_kind};
use crate::invocation::Report;
use crate::job::{ClaimedJob, JobId};
use crate::outcome::{Failure, LogLine, Outcome, Settlement, Usage};
use crate::steps::until_put_off;

/// What an attempt came to.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub outcome: Outcome,
    /// What it logged.
    pub logs: Vec<LogLine>,
    /// How far it said that it was.
    pub progress: Option<u8>,
    /// What it said that it used of a provider's limit.
    pub usage: Option<Usage>,
}

impl Ran {
    /// What it completed with, if it completed and the result has this form.
    pub fn result<R: DeserializeOwned>(&self) -> Option<R> {
        match &self.outcome {
            Outcome::Completed { result } => serde_json::from_str(result.get()).ok(),
            _ => None,
        }
    }

    /// Why it did not complete.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.outcome {
            Outcome::Failed { error }
            | Outcome::Dead { error }
            | Outcome::Snoozed { error, .. }
            | Outcome::ReleasedFor { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Runs one attempt of a job, without a database: calls of [`Cx::client`] fail.
pub async fn run<J: Job>(jobs: Jobs, payload: &J) -> Ran {
    run_attempt(jobs, payload, 1).await
}

/// The same for a later attempt.
pub async fn run_attempt<J: Job>(jobs: Jobs, payload: &J, attempt: u32) -> Ran {
    let client = Client::new("http://127.0.0.1:9", "no key");
    let job = json!({
        "id": Uuid::now_v7(), "queue": J::OPTIONS.queue.unwrap_or("default"), "kind": J::KIND, "payload": payload,
        "attempt": attempt, "max_attempts": J::OPTIONS.max_attempts.unwrap_or(5).max(attempt), "lease_until": "2100-01-01T00:00:00Z",
    });
    match serde_json::from_str::<ClaimedJob>(&job.to_string()) {
        Ok(job) => run_claimed(&jobs, &job, "testing", &client).await,
        Err(error) => Ran {
            outcome: Failure::permanent("payload", error.to_string()).into(),
            logs: Vec::new(),
            progress: None,
            usage: None,
        },
    }
}

async fn run_claimed(jobs: &Jobs, job: &ClaimedJob, worker: &str, client: &Client) -> Ran {
    let live = Live::new(None);
    let cx = Cx::new(job, worker, client, &jobs.states(), live.clone());
    let outcome = match jobs.handler(&job.kind) {
        Some(handler) => until_put_off(handler.run(job, &cx), &live).await,
        None => unknown_kind(&job.kind),
    };
    Ran {
        outcome,
        logs: live.take_logs(true),
        progress: live.progress(),
        usage: live.usage(),
    }
}

/// A database with Gristmill, behind its URL: a stack that was started for tests.
///
/// ```no_run
/// # use gristmill::{Cx, Failure, Job, jobs, testing::Mill};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Job, Serialize, Deserialize, JsonSchema)]
/// # #[job(kind = "thumbnail", queue = "pictures")]
/// # struct Thumbnail { object: String }
/// # async fn thumbnail(job: Thumbnail, _: &Cx) -> Result<String, Failure> { Ok(job.object) }
/// # async fn test() -> Result<(), gristmill::CallError> {
/// let mill = Mill::new("http://127.0.0.1:54321", "the service key", jobs![thumbnail]).await?;
/// let id = mill.client().enqueue(&Thumbnail { object: "cat.png".into() }).await?.id.unwrap();
/// mill.drain().await?;
/// assert_eq!(mill.job(id).await?["state"], "completed");
/// # Ok(())
/// # }
/// ```
pub struct Mill {
    client: Client,
    jobs: Jobs,
    worker: String,
}

impl Mill {
    /// Registers the kinds.
    pub async fn new(url: &str, key: &str, jobs: Jobs) -> Result<Self, CallError> {
        let client = Client::new(url, key);
        client.register(&jobs.definition()).await?;
        Ok(Self {
            client,
            jobs,
            worker: format!("testing-{}", Uuid::now_v7()),
        })
    }

    /// Enqueues, and calls of your own.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Runs the jobs that are due, one after another, and those that they enqueue, until none is due. A retry that is not due stays.
    pub async fn drain(&self) -> Result<Report, CallError> {
        let mut report = Report::default();
        let queues = self.jobs.definition().queue_names();
        let kinds: Vec<String> = self.jobs.kinds().into_iter().map(str::to_owned).collect();
        let claim = Claim {
            queues: &queues,
            max: 50,
            kinds: Some(&kinds),
            leave_external: false,
        };
        loop {
            let claimed = self.client.claim_jobs(&self.worker, claim, None).await?;
            if claimed.is_empty() {
                return Ok(report);
            }
            for job in claimed {
                report.claimed += 1;
                let ran = run_claimed(&self.jobs, &job, &self.worker, &self.client).await;
                if ran.outcome.is_settled() {
                    report.accepted += 1;
                    continue;
                }
                let settlement = Settlement {
                    id: job.id,
                    attempt: job.attempt,
                    outcome: ran.outcome,
                    usage: ran.usage,
                    logs: ran.logs,
                };
                let one = [settlement];
                let settled = self.client.settle_jobs(&self.worker, &one, None).await?;
                let one = Report::of(0, &settled);
                report.accepted += one.accepted;
                report.lost += one.lost;
            }
        }
    }

    /// A job as Postgres has it: `state`, `result`, `error`, `attempt` and more. Null when there is none.
    pub async fn job(&self, id: JobId) -> Result<Value, CallError> {
        self.client.call("get_job", &json!({ "p_id": id })).await
    }
}
