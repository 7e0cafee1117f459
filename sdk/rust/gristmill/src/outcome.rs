//! How an attempt ends.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::job::JobId;

/// Why an attempt did not succeed, and what shall become of the job. It is logged and shown: put no secrets into it.
///
/// ```
/// use gristmill::Failure;
/// use std::time::Duration;
///
/// let later = Failure::retryable("provider", "The mail provider answered 502.").http_status(502);
/// let never = Failure::permanent("no_such_object", "The picture does not exist.");
/// let not_now = Failure::snooze(Duration::from_secs(60), "rate_limited", "The provider asks for a pause.");
/// # let _ = (later, never, not_now);
/// ```
///
/// Every error of Rust becomes a retryable failure, so that `?` works in a handler.
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
    /// Where in the code it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    #[serde(skip)]
    ends: Ends,
}

/// What becomes of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// As `retryable` says; after this time, or after the engine's backoff.
    Attempt(Option<Duration>),
    Snoozed(Duration),
    Released(Duration),
}

impl Failure {
    fn new(r#type: &'static str, message: String, retryable: bool, ends: Ends) -> Self {
        Self {
            r#type,
            message,
            retryable,
            http_status: None,
            provider: None,
            stack: None,
            ends,
        }
    }

    /// A failure that another attempt may cure. It uses up an attempt.
    pub fn retryable(r#type: &'static str, message: impl Into<String>) -> Self {
        Self::new(r#type, message.into(), true, Ends::Attempt(None))
    }

    /// A failure that no attempt will cure: the job becomes a dead letter.
    pub fn permanent(r#type: &'static str, message: impl Into<String>) -> Self {
        Self::new(r#type, message.into(), false, Ends::Attempt(None))
    }

    /// The job becomes a dead letter for this reason. The same as [`Failure::permanent`] with the type `dead`.
    pub fn dead(reason: impl Into<String>) -> Self {
        Self::permanent("dead", reason)
    }

    /// Not now: the job is tried again after `delay`, and no attempt is used up.
    pub fn snooze(delay: Duration, r#type: &'static str, message: impl Into<String>) -> Self {
        Self::new(r#type, message.into(), true, Ends::Snoozed(delay))
    }

    /// The job is given back for other workers after `delay`. No attempt is used up.
    pub fn released(delay: Duration, r#type: &'static str, message: impl Into<String>) -> Self {
        Self::new(r#type, message.into(), true, Ends::Released(delay))
    }

    /// Tries again after `delay` instead of after the engine's backoff.
    pub fn retry_after(mut self, delay: Duration) -> Self {
        if let Ends::Attempt(after) = &mut self.ends {
            *after = Some(delay);
        }
        self
    }

    /// The status that a provider answered with.
    pub fn http_status(mut self, status: u16) -> Self {
        self.http_status = Some(status);
        self
    }

    /// Who was asked.
    pub fn provider(mut self, provider: impl Into<String>) -> Self {
        self.provider = Some(provider.into());
        self
    }

    /// Where in the code it happened.
    pub fn stack(mut self, stack: impl Into<String>) -> Self {
        self.stack = Some(stack.into());
        self
    }
}

impl<E: std::error::Error> From<E> for Failure {
    /// An error of Rust may pass: the job is tried again.
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::retryable("error", message)
    }
}

/// How an attempt ended. It is a type: nothing infers it from an error's text.
///
/// A handler usually returns `Result<R, Failure>`. One that ends its job together with its own rows returns an `Outcome`.
#[derive(Debug)]
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
    /// Given back for others after a while, without consuming an attempt.
    ReleasedFor {
        /// How long nobody gets it.
        delay_seconds: f64,
        /// Why.
        error: Failure,
    },
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

    /// What the failure says: failed, dead, snoozed or released.
    pub fn from_failure(error: Failure) -> Self {
        match error.ends {
            Ends::Attempt(_) if error.retryable => Self::Failed { error },
            Ends::Attempt(_) => Self::Dead { error },
            Ends::Snoozed(delay) => Self::Snoozed {
                delay_seconds: delay.as_secs_f64(),
                error,
            },
            Ends::Released(delay) => Self::ReleasedFor {
                delay_seconds: delay.as_secs_f64(),
                error,
            },
        }
    }

    /// The outcome as Postgres calls it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Completed { .. } => "completed",
            Self::Failed { .. } => "failed",
            Self::Snoozed { .. } => "snoozed",
            Self::Released | Self::ReleasedFor { .. } => "released",
            Self::Dead { .. } => "dead",
            Self::Settled => "completed",
            Self::Noted { word } => word,
        }
    }

    /// Whether the job has ended already, together with its rows.
    pub const fn is_settled(&self) -> bool {
        matches!(self, Self::Settled | Self::Noted { .. })
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        Self::from_failure(failure)
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("outcome", self.word())?;
        match self {
            Self::Completed { result } => map.serialize_entry("result", result)?,
            Self::Failed { error } => {
                if let Ends::Attempt(Some(delay)) = error.ends {
                    map.serialize_entry("delay_seconds", &delay.as_secs_f64())?;
                }
                map.serialize_entry("error", error)?;
            }
            Self::Snoozed {
                delay_seconds,
                error,
            }
            | Self::ReleasedFor {
                delay_seconds,
                error,
            } => {
                map.serialize_entry("delay_seconds", delay_seconds)?;
                map.serialize_entry("error", error)?;
            }
            Self::Dead { error } => map.serialize_entry("error", error)?,
            Self::Released | Self::Settled | Self::Noted { .. } => {}
        }
        map.end()
    }
}

/// What a handler may return.
pub trait IntoOutcome {
    /// How the attempt ended.
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for Outcome {
    fn into_outcome(self) -> Outcome {
        self
    }
}

impl<R: Serialize, E: Into<Outcome>> IntoOutcome for Result<R, E> {
    fn into_outcome(self) -> Outcome {
        match self {
            Ok(result) => Outcome::completed(&result),
            Err(error) => error.into(),
        }
    }
}

/// Not now: shorthand for [`Failure::snooze`] without a reason of its own.
///
/// ```
/// # use gristmill::{Failure, snooze};
/// # use std::time::Duration;
/// # fn is_open() -> bool { false }
/// # fn handler() -> Result<(), Failure> {
/// if !is_open() {
///     return Err(snooze(Duration::from_secs(600)));
/// }
/// # Ok(())
/// # }
/// # assert!(handler().is_err());
/// ```
pub fn snooze(delay: Duration) -> Failure {
    Failure::snooze(delay, "snoozed", "The job asked to be tried again later.")
}

/// No attempt can cure it: shorthand for [`Failure::dead`].
pub fn dead(reason: impl Into<String>) -> Failure {
    Failure::dead(reason)
}

/// Given back for other workers at once: shorthand for [`Failure::released`].
pub fn released() -> Failure {
    Failure::released(Duration::ZERO, "released", "The worker gave the job back.")
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
    /// What the job logged and no heartbeat has sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<LogLine>,
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

/// One line of a job's log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// When it was written.
    pub at: DateTime<Utc>,
    /// How important it is.
    pub level: Level,
    /// A sentence. More than 4 KiB are cut.
    pub message: String,
    /// Figures beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
}

/// How important a line of a log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// For whoever looks for a mistake.
    Debug,
    /// What happened.
    Info,
    /// What may become a problem.
    Warn,
    /// What went wrong.
    Error,
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
    use serde_json::json;

    fn written(outcome: Outcome) -> Value {
        let settlement = Settlement {
            id: "0190a0a0-0000-7000-8000-000000000001".parse().unwrap(),
            attempt: 3,
            outcome,
            usage: None,
            logs: Vec::new(),
        };
        let mut value = serde_json::to_value(&settlement).unwrap();
        let object = value.as_object_mut().unwrap();
        assert_eq!(object.remove("attempt"), Some(json!(3)));
        assert!(object.remove("id").is_some());
        value
    }

    #[test]
    fn an_outcome_carries_its_fencing_token_and_its_tag_in_one_object() {
        let error = Failure::retryable("http", "502 from the provider");
        assert_eq!(
            written(error.into()),
            json!({ "outcome": "failed",
                "error": {"type": "http", "message": "502 from the provider", "retryable": true} })
        );
    }

    #[test]
    fn a_failure_says_what_becomes_of_the_job() {
        let pause = Duration::from_secs(7);
        let after = |failure: Failure| {
            let value = written(failure.into());
            (
                value["outcome"].as_str().unwrap().to_owned(),
                value.get("delay_seconds").cloned(),
            )
        };
        let failed = Failure::retryable("t", "m");
        assert_eq!(after(failed.clone()), ("failed".into(), None));
        assert_eq!(
            after(failed.retry_after(pause)),
            ("failed".into(), Some(json!(7.0)))
        );
        assert_eq!(after(dead("no")), ("dead".into(), None));
        assert_eq!(after(snooze(pause)), ("snoozed".into(), Some(json!(7.0))));
        assert_eq!(after(released()), ("released".into(), Some(json!(0.0))));
    }

    #[test]
    fn an_error_of_rust_is_a_retryable_failure_with_its_causes() {
        #[derive(Debug, thiserror::Error)]
        #[error("the object could not be read")]
        struct Read(#[source] std::fmt::Error);
        let failure: Failure = Read(std::fmt::Error).into();
        assert!(failure.retryable);
        assert!(
            failure
                .message
                .starts_with("the object could not be read: an error")
        );
    }

    #[test]
    fn a_completed_job_keeps_its_result_to_the_letter() {
        let result = RawValue::from_string("{\"n\": 1.10}".into()).unwrap();
        let settlement = serde_json::to_string(&Outcome::Completed { result }).unwrap();
        assert_eq!(
            settlement,
            r#"{"outcome":"completed","result":{"n": 1.10}}"#
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
}
