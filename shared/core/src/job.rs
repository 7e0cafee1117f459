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
    /// A row of `mill.kind`.
    #[serde(rename = "p_kind")]
    pub kind: String,
    /// A JSON object.
    #[serde(rename = "p_payload")]
    pub payload: Box<RawValue>,
    /// For people.
    #[serde(rename = "p_name", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Higher first; 5 when absent.
    #[serde(rename = "p_priority", skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// Not before.
    #[serde(rename = "p_run_at", skip_serializing_if = "Option::is_none")]
    pub run_at: Option<DateTime<Utc>>,
    /// One live job a key.
    #[serde(rename = "p_dedupe_key", skip_serializing_if = "Option::is_none")]
    pub dedupe_key: Option<String>,
    /// Whose turn it is, where a queue is fair or capped by group.
    #[serde(rename = "p_group_key", skip_serializing_if = "Option::is_none")]
    pub group_key: Option<String>,
    /// Carried into the job and its logs.
    #[serde(rename = "p_correlation_id")]
    pub correlation_id: String,
    /// The trace that the job belongs to, where its producer has one.
    #[serde(rename = "p_traceparent", skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<Traceparent>,
}

/// What enqueueing answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Submitted {
    /// The new job, or the one that was there.
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
    /// Where it waits or waited.
    pub queue: String,
    /// What it is.
    pub kind: String,
    /// For people.
    pub name: Option<String>,
    /// pending, deferred, retrying, processing, completed, cancelled or failed.
    pub state: String,
    /// Higher first.
    pub priority: i32,
    /// Its input, as it was submitted.
    pub payload: serde_json::Map<String, serde_json::Value>,
    /// Percent.
    pub progress: u8,
    /// Attempts so far.
    pub attempt: u32,
    /// Attempts at the most.
    pub max_attempts: u32,
    /// What it answered.
    pub result: Option<serde_json::Value>,
    /// Its latest error.
    pub error: Option<serde_json::Map<String, serde_json::Value>>,
    /// Of the request that submitted it.
    pub correlation_id: Option<String>,
    /// W3C trace context of the request that submitted it.
    pub traceparent: Option<String>,
    /// Not before.
    pub run_at: DateTime<Utc>,
    /// When it was submitted.
    pub created_at: DateTime<Utc>,
    /// When its latest attempt began.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
    /// Why it is not running; only where it was asked for.
    pub explain: Option<Explanation>,
}

/// Why a job is not running, as its owner may know it. Postgres writes it: only its schema is used.
#[derive(JsonSchema)]
pub struct Explanation {
    /// The strongest reason, as a sentence.
    pub sentence: String,
    /// All that hold, the strongest first.
    pub reasons: Vec<Reason>,
}

/// One reason why a job is not running.
#[derive(JsonSchema)]
pub struct Reason {
    /// For programs: docs/why.md lists them.
    pub code: String,
    /// Until when it holds, where that is known.
    pub until: Option<DateTime<Utc>>,
    /// What it means, and what to do.
    pub sentence: String,
}
