//! What a caller may submit. Pure: Postgres has the last word on kinds, sizes and rights.

use chrono::{DateTime, Utc};
use gristmill_core::job::NewJob;
use gristmill_core::{Code, Problem, Traceparent};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The body of `POST /`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Submission {
    /// The kind of the job. It must be registered in `mill.kind` and open to users.
    kind: String,
    /// The input of the job.
    #[schemars(schema_with = "object_with_fields")]
    payload: Box<RawValue>,
    /// A name for people to read.
    name: Option<String>,
    /// Your jobs with a higher priority run first. 5 when absent; 5 is also the maximum.
    #[schemars(range(min = -100, max = 100))]
    priority: Option<i32>,
    /// The job does not run before this time.
    run_at: Option<DateTime<Utc>>,
    /// While a job with this key waits or runs, the request answers that job and drops this payload. To make a retry safe, send the
    /// header Idempotency-Key instead.
    #[schemars(length(min = 1, max = 160))]
    dedupe_key: Option<String>,
    /// The group of the job, one of your own. Some queues limit how many jobs of a group run at once.
    #[schemars(length(min = 1, max = 160))]
    group_key: Option<String>,
}

fn object_with_fields(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "minProperties": 1 })
}

/// The query of `GET /{id}`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Showing {
    /// Adds the reason why the job is not running: `?explain` or `?explain=true`.
    explain: Option<Explain>,
}

#[derive(Debug, PartialEq, Eq, Deserialize, JsonSchema)]
enum Explain {
    #[serde(rename = "")]
    Bare,
    #[serde(rename = "true")]
    Yes,
    #[serde(rename = "false")]
    No,
}

impl Showing {
    pub(crate) fn is_explained(&self) -> bool {
        self.explain
            .as_ref()
            .is_some_and(|explain| *explain != Explain::No)
    }
}

/// A job with the explanation as one more field. Both are passed on as Postgres wrote them: read as values, large numbers of a payload would be rounded.
pub(crate) fn explained(job: &RawValue, explanation: &RawValue) -> Box<RawValue> {
    let fields = job.get().trim_end().strip_suffix('}').unwrap_or_default();
    let text = format!(r#"{fields}, "explain": {}}}"#, explanation.get());
    RawValue::from_string(text).unwrap_or_else(|_| job.to_owned())
}

impl Submission {
    pub(crate) fn into_job(
        self,
        correlation_id: String,
        traceparent: Option<Traceparent>,
    ) -> Result<NewJob, Problem> {
        if !is_object_with_fields(self.payload.get()) {
            let detail = "The payload must be an object with at least one field.";
            return Err(Problem::new(Code::EmptyPayload, detail).at("payload"));
        }
        Ok(NewJob {
            kind: self.kind,
            payload: self.payload,
            name: self.name,
            priority: self.priority,
            run_at: self.run_at,
            dedupe_key: self.dedupe_key,
            group_key: self.group_key,
            correlation_id,
            traceparent,
        })
    }
}

// The text is valid JSON already: an object with a field is a brace that is not closed at once.
fn is_object_with_fields(json: &str) -> bool {
    json.trim()
        .strip_prefix('{')
        .is_some_and(|rest| !rest.trim_start().starts_with('}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gristmill_core::json;

    fn submit(body: &str) -> Result<NewJob, Problem> {
        json::parse::<Submission>(body.as_bytes())?.into_job("c-1".into(), None)
    }

    #[test]
    fn a_payload_must_be_an_object_with_a_field() {
        for payload in ["{}", "{ }", "[]", "[1]", "null", "1", "\"text\""] {
            let refused = submit(&format!(r#"{{"kind":"echo","payload":{payload}}}"#)).unwrap_err();
            assert_eq!(
                (refused.code, refused.field.as_deref()),
                (Code::EmptyPayload, Some("payload"))
            );
        }
        assert!(submit(r#"{"kind":"echo","payload":{"a":1}}"#).is_ok());
    }

    #[test]
    fn a_job_is_explained_where_that_is_asked_for() {
        let asks =
            |query: &str| json::parse_query::<Showing>(query).map(|showing| showing.is_explained());
        assert!(
            asks("explain").unwrap() && asks("explain=").unwrap() && asks("explain=true").unwrap()
        );
        assert!(!asks("").unwrap() && !asks("explain=false").unwrap());
        assert!(asks("explain=perhaps").is_err() && asks("explian").is_err());
    }

    #[test]
    fn an_explained_job_keeps_large_numbers() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let job = explained(
            &raw(r#"{"id": "x", "payload": {"n": 12345678901234567890}}"#),
            &raw(r#"{"sentence": "The job waits."}"#),
        );
        assert_eq!(
            job.get(),
            r#"{"id": "x", "payload": {"n": 12345678901234567890}, "explain": {"sentence": "The job waits."}}"#
        );
    }

    #[test]
    fn an_unknown_field_is_refused_by_name() {
        let refused = submit(r#"{"kind":"echo","payload":{"a":1},"owner":"me"}"#).unwrap_err();
        assert_eq!(refused.field.as_deref(), Some("owner"));
    }
}
