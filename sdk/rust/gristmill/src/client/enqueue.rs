//! Enqueueing typed jobs.

use std::future::IntoFuture;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{CallError, Client, again};
use crate::Job;
use crate::Running;
use crate::job::JobId;

/// How often a job with a `dedupe_key` is offered while Postgres cannot be reached: repeating it is safe.
const TRIES: u32 = 5;

/// One job on its way. Await it.
#[must_use = "a job is enqueued when this is awaited"]
#[derive(Debug)]
pub struct Enqueue {
    client: Client,
    job: Result<New, CallError>,
}

#[derive(Debug, Default, Serialize)]
struct New {
    kind: &'static str,
    payload: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dedupe_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unique: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
}

/// What became of a job that was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enqueued {
    /// The new job, or the one that was there; none when the queue is full.
    pub id: Option<JobId>,
    /// Whether it is new.
    pub status: EnqueueStatus,
}

/// Whether an offered job is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnqueueStatus {
    /// It was inserted.
    New,
    /// An equal job was there.
    Duplicate,
    /// The queue is at its depth limit; nothing was inserted.
    Throttled,
}

macro_rules! option {
    ($(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        pub fn $name(mut self, $name: $type) -> Self {
            if let Ok(job) = &mut self.job {
                job.$name = Some($name.into());
            }
            self
        }
    };
}

impl Enqueue {
    option!(
        /// For people.
        name: impl Into<String>
    );
    option!(
        /// Carried into the job and its logs.
        correlation_id: impl Into<String>
    );
    option!(
        /// For people and statistics.
        category: impl Into<String>
    );
    option!(
        /// -100 to 100, higher first; 5 without it.
        priority: i32
    );
    option!(
        /// Not before this time.
        run_at: DateTime<Utc>
    );
    option!(
        /// 1 to 1,000; the kind's or the queue's without it.
        max_attempts: u32
    );
    option!(
        /// While a job with this key waits or runs in the queue, another is a duplicate.
        dedupe_key: impl Into<String>
    );
    option!(
        /// Whose turn it is, where the queue is fair or capped by group.
        group_key: impl Into<String>
    );
    option!(
        /// Whose job it is: a user who may read it.
        owner: Uuid
    );
    option!(
        /// The producer's span; the client's without it.
        traceparent: impl Into<String>
    );

    /// Enqueues it although an equal one was enqueued within the kind's period of unique jobs.
    pub fn even_if_not_unique(mut self) -> Self {
        if let Ok(job) = &mut self.job {
            job.unique = Some(false);
        }
        self
    }

    async fn send(self) -> Result<Enqueued, CallError> {
        #[derive(Serialize)]
        struct Arguments {
            p_jobs: [New; 1],
        }
        let job = self.job?;
        // Without a key a repeat could be a second job.
        let tries = if job.dedupe_key.is_some() { TRIES } else { 1 };
        let arguments = Arguments { p_jobs: [job] };
        let mut answers: Vec<Enqueued> =
            again!(tries, self.client.call("enqueue_jobs", &arguments))?;
        answers.pop().ok_or_else(|| CallError::Answer {
            function: "enqueue_jobs".to_owned(),
            source: serde::de::Error::custom("it has no row for the job"),
        })
    }
}

impl IntoFuture for Enqueue {
    type Output = Result<Enqueued, CallError>;
    type IntoFuture = Running<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl Client {
    /// Enqueues one job. The answer is awaited; before that, options may be set:
    ///
    /// ```no_run
    /// # use gristmill::{Client, Job};
    /// # use schemars::JsonSchema;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Job, Serialize, Deserialize, JsonSchema)]
    /// # #[job(kind = "report")]
    /// # struct Report { month: String }
    /// # async fn enqueue(client: Client) -> Result<(), gristmill::CallError> {
    /// client
    ///     .enqueue(&Report { month: "2026-11".into() })
    ///     .run_at(chrono::Utc::now() + chrono::TimeDelta::hours(1))
    ///     .dedupe_key("report-2026-11")
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn enqueue<J: Job>(&self, job: &J) -> Enqueue {
        let payload = serde_json::value::to_raw_value(job).map_err(CallError::Arguments);
        let job = payload.map(|payload| New {
            kind: J::KIND,
            payload: Some(payload),
            traceparent: self.traceparent.as_deref().map(str::to_owned),
            ..New::default()
        });
        Enqueue {
            client: self.clone(),
            job,
        }
    }

    /// Enqueues several jobs of one kind in one call, all or none, and answers for each in the same order. Not repeated by itself.
    pub async fn enqueue_all<J: Job>(&self, jobs: &[J]) -> Result<Vec<Enqueued>, CallError> {
        #[derive(Serialize)]
        struct One<'a, J> {
            kind: &'static str,
            payload: &'a J,
            #[serde(skip_serializing_if = "Option::is_none")]
            traceparent: Option<&'a str>,
        }
        #[derive(Serialize)]
        struct Arguments<'a, J> {
            p_jobs: Vec<One<'a, J>>,
        }
        #[derive(Deserialize)]
        struct Answer {
            ordinal: u64,
            #[serde(flatten)]
            enqueued: Enqueued,
        }
        let one = |payload| One {
            kind: J::KIND,
            payload,
            traceparent: self.traceparent.as_deref(),
        };
        let arguments = Arguments {
            p_jobs: jobs.iter().map(one).collect(),
        };
        let mut answers: Vec<Answer> = self.call("enqueue_jobs", &arguments).await?;
        answers.sort_by_key(|answer| answer.ordinal);
        Ok(answers.into_iter().map(|answer| answer.enqueued).collect())
    }

    /// Enqueues many jobs of one kind that differ only in their payload, all or none, and answers their ids.
    pub async fn enqueue_many<J: Job>(&self, jobs: &[J]) -> Result<Vec<JobId>, CallError> {
        #[derive(Serialize)]
        struct Arguments<'a, J> {
            p_kind: &'static str,
            p_payloads: &'a [J],
        }
        let arguments = Arguments {
            p_kind: J::KIND,
            p_payloads: jobs,
        };
        self.call("enqueue_many", &arguments).await
    }
}
