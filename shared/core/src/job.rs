//! Jobs as they cross the wire. What workers and clients share is the library's own (`sdk/rust/gristmill`); here is what only our functions say.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Traceparent;

pub use gristmill::{
    ClaimedJob, Ending, Failure, Holder, InvocationId, JobId, Outcome, SettleStatus, Settled,
    Settlement, Usage,
};

/// A job to be enqueued. The payload stays as it was written: numbers keep every digit.
#[derive(Debug, Serialize)]
pub struct NewJob {
    /// The kind of the job, a row of `mill.kind`.
    #[serde(rename = "p_kind")]
    pub kind: String,
    /// The input of the job, a JSON object.
    #[serde(rename = "p_payload")]
    pub payload: Box<RawValue>,
    /// For people.
    #[serde(rename = "p_name", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Jobs with a higher priority run first; 5 when absent.
    #[serde(rename = "p_priority", skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// The job does not run before this time.
    #[serde(rename = "p_run_at", skip_serializing_if = "Option::is_none")]
    pub run_at: Option<DateTime<Utc>>,
    /// Only one live job per queue may have this key.
    #[serde(rename = "p_dedupe_key", skip_serializing_if = "Option::is_none")]
    pub dedupe_key: Option<String>,
    /// Whose turn it is, where a queue is fair or capped by group.
    #[serde(rename = "p_group_key", skip_serializing_if = "Option::is_none")]
    pub group_key: Option<String>,
    /// The correlation id of the request. The job and its logs carry it.
    #[serde(rename = "p_correlation_id")]
    pub correlation_id: String,
    /// The trace that the job belongs to, where its producer has one.
    #[serde(rename = "p_traceparent", skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<Traceparent>,
}

/// What enqueueing answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Submitted {
    /// The id of the new job, or of the live job that has the same dedupe_key.
    pub id: JobId,
    /// Whether it is new.
    pub status: SubmitStatus,
}

/// Whether a submitted job is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubmitStatus {
    /// It was inserted.
    New,
    /// A live job with the same key was there.
    Duplicate,
}

/// A job as its owner sees it. Postgres writes it and functions pass it on: only its schema is used.
#[derive(JsonSchema)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// The queue of the job.
    pub queue: String,
    /// The kind of the job.
    pub kind: String,
    /// A name for people to read.
    pub name: Option<String>,
    /// pending, deferred, retrying, processing, completed, cancelled or failed.
    pub state: String,
    /// Jobs with a higher priority run first.
    pub priority: i32,
    /// The input of the job, as it was submitted.
    pub payload: serde_json::Map<String, serde_json::Value>,
    /// Percent of the work that is done, as the worker reports it.
    pub progress: u8,
    /// How many attempts the job has had.
    pub attempt: u32,
    /// How many attempts the job may have.
    pub max_attempts: u32,
    /// The result of the job.
    pub result: Option<serde_json::Value>,
    /// The latest error of the job.
    pub error: Option<serde_json::Map<String, serde_json::Value>>,
    /// The correlation id of the request that submitted the job.
    pub correlation_id: Option<String>,
    /// W3C trace context of the request that submitted it.
    pub traceparent: Option<String>,
    /// The job does not run before this time.
    pub run_at: DateTime<Utc>,
    /// When it was submitted.
    pub created_at: DateTime<Utc>,
    /// When its latest attempt began.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
    /// Why the job is not running. Present only when the query has `explain`.
    pub explain: Option<Explanation>,
}

/// Why a job is not running, as its owner may know it. Postgres writes it: only its schema is used.
#[derive(JsonSchema)]
pub struct Explanation {
    /// The strongest reason, as a sentence.
    pub sentence: String,
    /// All reasons that hold, the strongest first.
    pub reasons: Vec<Reason>,
}

/// One reason why a job is not running.
#[derive(JsonSchema)]
pub struct Reason {
    /// A code for programs; docs/why.md lists the codes.
    pub code: String,
    /// Until when the reason holds, where that is known.
    pub until: Option<DateTime<Utc>>,
    /// What the reason means, and what to do.
    pub sentence: String,
}
