//! A job as it crosses the wire, and the five ways an attempt can end.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::Traceparent;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                // Only the hyphenated form: one id has one spelling, in URLs and in logs.
                if text.len() != 36 {
                    return Uuid::try_parse("").map(Self);
                }
                Uuid::try_parse(text).map(Self)
            }
        }
    };
}

id!(
    /// Names a job.
    JobId
);
id!(
    /// Names one invocation of a function; good for one claim.
    InvocationId
);

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
}

/// A job that this worker holds a lease on.
#[derive(Debug, Deserialize)]
pub struct ClaimedJob {
    /// The job.
    pub id: JobId,
    /// Where it waited.
    #[serde(default)]
    pub queue: String,
    /// Decides which code runs.
    pub kind: String,
    /// Its input.
    pub payload: Box<RawValue>,
    /// With the worker's name, the fencing token.
    pub attempt: u32,
    /// Until then nobody else runs it.
    pub lease_until: DateTime<Utc>,
    /// From whoever enqueued it.
    pub correlation_id: Option<String>,
    /// Whose it is.
    pub owner: Option<Uuid>,
    /// The trace that it belongs to, from whoever enqueued it.
    #[serde(default)]
    pub traceparent: Option<String>,
}

/// Who holds a running job: the fencing token. What its owner writes counts only while Postgres knows it as the holder.
///
/// Every call that takes it has these three first, in this order; in SQL it is `mill.holder`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Holder {
    /// The job.
    #[serde(rename = "p_job")]
    pub job: JobId,
    /// The worker that claimed it.
    #[serde(rename = "p_worker")]
    pub worker: String,
    /// The attempt that was claimed.
    #[serde(rename = "p_attempt")]
    pub attempt: u32,
}

/// Why an attempt failed. Free of content: it is logged and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// A stable word for the kind of failure.
    pub r#type: &'static str,
    /// A sentence.
    pub message: String,
    /// Whether trying again may help.
    pub retryable: bool,
    /// The provider's status, where one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// Who was asked, where somebody was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

impl Failure {
    /// A failure that another attempt may cure.
    pub fn retryable(r#type: &'static str, message: impl Into<String>) -> Self {
        Self {
            r#type,
            message: message.into(),
            retryable: true,
            http_status: None,
            provider: None,
        }
    }

    /// A failure that no attempt will cure.
    pub fn permanent(r#type: &'static str, message: impl Into<String>) -> Self {
        Self {
            r#type,
            message: message.into(),
            retryable: false,
            http_status: None,
            provider: None,
        }
    }
}

/// How an attempt ended. It is a type: nothing infers it from an error's text.
#[derive(Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// Done.
    Completed {
        /// What is kept with the job.
        result: Box<RawValue>,
    },
    /// Consumes the attempt; retried after a backoff, or dead-lettered at the last one.
    Failed {
        /// Why.
        error: Failure,
    },
    /// Rate limited or under backpressure: later, without consuming an attempt.
    Snoozed {
        /// How much later.
        delay_seconds: f64,
        /// Why.
        error: Failure,
    },
    /// Given back at once, without consuming an attempt.
    Released,
    /// No retry can cure it.
    Dead {
        /// Why.
        error: Failure,
    },
    /// Completed already, in one transaction with what the attempt wrote: there is nothing to report. Never sent.
    Settled,
    /// Ended already in another way, in one transaction with what is noted about it: there is nothing to report. Never sent.
    Noted {
        /// How, as Postgres calls it.
        word: &'static str,
    },
}

impl Outcome {
    /// Done, with what is kept. A result that cannot be written is a mistake of the handler's own.
    pub fn completed(result: &impl Serialize) -> Self {
        match serde_json::value::to_raw_value(result) {
            Ok(result) => Self::Completed { result },
            Err(_) => Self::Dead {
                error: Failure::permanent("internal", "the result could not be written"),
            },
        }
    }

    /// Failed or dead, as the failure says.
    pub fn from_failure(error: Failure) -> Self {
        if error.retryable {
            Self::Failed { error }
        } else {
            Self::Dead { error }
        }
    }

    /// The outcome as Postgres calls it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Completed { .. } => "completed",
            Self::Failed { .. } => "failed",
            Self::Snoozed { .. } => "snoozed",
            Self::Released => "released",
            Self::Dead { .. } => "dead",
            Self::Settled => "completed",
            Self::Noted { word } => word,
        }
    }
}

/// An outcome with its fencing token, as `settle_jobs` takes it.
#[derive(Debug, Serialize)]
pub struct Settlement {
    /// The job.
    pub id: JobId,
    /// The attempt that was claimed.
    pub attempt: u32,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What its calls really used of the provider's limit that its queue draws on; none when as estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// What a job used of its provider's limit, to be settled against what was reserved at its claim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Calls; 0 gives the reserved one back.
    pub requests: u32,
    /// Tokens.
    pub tokens: u64,
}

/// What a job that ends together with its rows leaves behind, beside those rows.
#[derive(Debug, Serialize)]
pub struct Ending<'a, Kept: Serialize> {
    /// What is kept with the job.
    pub result: &'a Kept,
    /// What its calls really used of the provider's limit that its queue draws on; none when as estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// What settling answered for one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Settled {
    /// The job.
    pub id: JobId,
    /// Whether the outcome counted.
    pub status: SettleStatus,
}

/// Whether an outcome counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettleStatus {
    /// It did.
    Accepted,
    /// The lease was gone; nothing changed.
    Lost,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_carries_its_fencing_token_and_its_tag_in_one_object() {
        let id: JobId = "0190a0a0-0000-7000-8000-000000000001".parse().unwrap();
        let error = Failure::retryable("http", "502 from the provider");
        let settlement = Settlement {
            id,
            attempt: 3,
            outcome: Outcome::Failed { error },
            usage: None,
        };
        assert_eq!(
            serde_json::to_value(&settlement).unwrap(),
            serde_json::json!({
                "id": "0190a0a0-0000-7000-8000-000000000001", "attempt": 3, "outcome": "failed",
                "error": {"type": "http", "message": "502 from the provider", "retryable": true}
            })
        );
    }

    #[test]
    fn a_holder_is_the_first_three_arguments_of_a_call() {
        let holder = Holder {
            job: "0190a0a0-0000-7000-8000-000000000001".parse().unwrap(),
            worker: "w".into(),
            attempt: 2,
        };
        assert_eq!(
            serde_json::to_string(&holder).unwrap(),
            r#"{"p_job":"0190a0a0-0000-7000-8000-000000000001","p_worker":"w","p_attempt":2}"#
        );
    }

    #[test]
    fn an_ending_without_usage_says_nothing_about_it() {
        let ending = |usage| Ending {
            result: &"kept",
            usage,
        };
        let said = serde_json::to_string(&ending(None)).unwrap();
        assert_eq!(said, r#"{"result":"kept"}"#);
        let used = Usage {
            requests: 2,
            tokens: 30,
        };
        let said = serde_json::to_string(&ending(Some(used))).unwrap();
        assert_eq!(
            said,
            r#"{"result":"kept","usage":{"requests":2,"tokens":30}}"#
        );
    }

    #[test]
    fn an_id_has_one_spelling() {
        assert!("0190a0a0000070008000000000000001".parse::<JobId>().is_err());
        assert!(
            "urn:uuid:0190a0a0-0000-7000-8000-000000000001"
                .parse::<JobId>()
                .is_err()
        );
    }

    #[test]
    fn a_payload_keeps_every_digit() {
        let text = r#"{"id":"0190a0a0-0000-7000-8000-000000000001","kind":"echo","attempt":1,
            "payload":{"n":12345678901234567890123,"d":1.10},"lease_until":"2030-01-01T00:00:00Z"}"#;
        let job: ClaimedJob = serde_json::from_str(text).unwrap();
        assert_eq!(
            job.payload.get(),
            r#"{"n":12345678901234567890123,"d":1.10}"#
        );
    }
}
