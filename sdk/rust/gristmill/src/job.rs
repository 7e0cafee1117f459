//! A job as it crosses the wire.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

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

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
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

/// A job that this worker holds a lease on.
#[derive(Debug, Clone, Deserialize)]
pub struct ClaimedJob {
    /// The job.
    pub id: JobId,
    /// Where it waited.
    #[serde(default)]
    pub queue: String,
    /// Decides which code runs.
    pub kind: String,
    /// Its input, as it was written: numbers keep every digit.
    pub payload: Box<RawValue>,
    /// With the worker's name, the fencing token.
    pub attempt: u32,
    /// Attempts at the most.
    #[serde(default)]
    pub max_attempts: u32,
    /// Until then nobody else runs it, by the clock of the database.
    pub lease_until: DateTime<Utc>,
    /// For people.
    #[serde(default)]
    pub name: Option<String>,
    /// Whose it is.
    #[serde(default)]
    pub owner: Option<Uuid>,
    /// Whose turn it is, where a queue is fair or capped by group.
    #[serde(default)]
    pub group_key: Option<String>,
    /// From whoever enqueued it.
    #[serde(default)]
    pub correlation_id: Option<String>,
    /// The producer's span.
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn an_id_has_one_spelling() {
        assert!("0190a0a0000070008000000000000001".parse::<JobId>().is_err());
        assert!(
            "urn:uuid:0190a0a0-0000-7000-8000-000000000001"
                .parse::<JobId>()
                .is_err()
        );
    }

    #[test]
    fn a_payload_keeps_every_digit_and_fields_of_later_releases_are_ignored() {
        let text = r#"{"id":"0190a0a0-0000-7000-8000-000000000001","kind":"echo","attempt":1,"later":true,
            "payload":{"n":12345678901234567890123,"d":1.10},"lease_until":"2030-01-01T00:00:00Z"}"#;
        let job: ClaimedJob = serde_json::from_str(text).unwrap();
        assert_eq!(
            job.payload.get(),
            r#"{"n":12345678901234567890123,"d":1.10}"#
        );
    }
}
