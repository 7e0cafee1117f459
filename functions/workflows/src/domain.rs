//! What a caller may ask, and what is shown. Pure: Postgres has the last word on types, params and rights.

use chrono::{DateTime, Utc};
use gristmill_core::job::JobId;
use gristmill_core::{Code, Problem, in_range};
use gristmill_edge::IdempotencyKey;
use gristmill_rpc::{
    Artifact, NewWorkflow, Progress, StepState, TaskState, Workflow, WorkflowStatus,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

/// How long URLs of artifacts are good, unless the caller says otherwise.
const URL_SECONDS: u32 = 3600;

/// The body of `POST /v1/jobs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    /// The type of the workflow. The workflow must be open to users.
    #[schemars(length(min = 1, max = 63))]
    r#type: String,
    /// The params of the job. They override the defaults of the workflow.
    #[schemars(schema_with = "object")]
    params: Option<Box<RawValue>>,
}

fn object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

impl Order {
    pub(crate) fn into_workflow(
        self,
        idempotency_key: Option<IdempotencyKey>,
        correlation_id: String,
    ) -> Result<NewWorkflow, Problem> {
        let params = match self.params {
            Some(params) if params.get().trim_start().starts_with('{') => params,
            Some(_) => {
                let detail = "The params must be an object.";
                return Err(Problem::new(Code::InvalidField, detail).at("params"));
            }
            None => RawValue::NULL.to_owned(),
        };
        Ok(NewWorkflow {
            r#type: self.r#type,
            params: if params.get() == "null" {
                empty()?
            } else {
                params
            },
            idempotency_key: idempotency_key.map(String::from),
            correlation_id,
        })
    }
}

fn empty() -> Result<Box<RawValue>, Problem> {
    RawValue::from_string("{}".to_owned())
        .map_err(|error| Problem::new(Code::Internal, "No params could be made.").because(error))
}

/// The query of `GET /v1/jobs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    /// How many jobs to list; 50 when absent.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// The id of the last job of the page before. This page begins with the next older job.
    pub(crate) before: Option<JobId>,
}

impl Page {
    pub(crate) fn limit(&self) -> Result<u32, Problem> {
        in_range("limit", self.limit.unwrap_or(50), 1..=200)
    }
}

/// The query of `GET /v1/jobs/{id}`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Look {
    /// After how many seconds the URLs of artifacts expire; 3600 when absent.
    #[schemars(range(min = 10, max = 86400))]
    url_seconds: Option<u32>,
}

impl Look {
    pub(crate) fn seconds(&self) -> Result<u32, Problem> {
        in_range(
            "url_seconds",
            self.url_seconds.unwrap_or(URL_SECONDS),
            10..=86_400,
        )
    }
}

/// Changes twice in the life of a URL: whoever is told that nothing has changed has URLs that are good for half of it at least.
pub(crate) fn url_period(seconds: u32, now: i64) -> i64 {
    now / i64::from(seconds / 2).max(1)
}

/// An artifact with its URL.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownArtifact {
    /// The artifact.
    id: Uuid,
    /// The task that made it.
    task_id: Uuid,
    /// audio_mp3, audio_m4a, pdf or json.
    pub(crate) r#type: String,
    /// A URL that needs no token and expires. Null when the object no longer exists.
    pub(crate) url: Option<String>,
    /// The size in bytes; null when the worker did not report it.
    bytes: Option<u64>,
    /// The length of an audio file in seconds.
    pub(crate) duration: Option<f64>,
    /// The SHA-256 of the content; null when the worker did not report it.
    sha256: Option<String>,
    /// A title for people to read.
    pub(crate) title: Option<String>,
}

impl ShownArtifact {
    fn new(artifact: Artifact) -> Self {
        Self {
            id: artifact.id,
            task_id: artifact.task_id,
            r#type: artifact.r#type,
            url: None,
            bytes: artifact.bytes,
            duration: artifact.duration,
            sha256: artifact.sha256,
            title: artifact.title,
        }
    }
}

/// The answer to `GET /v1/jobs/{id}`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shown {
    /// The job.
    pub(crate) id: JobId,
    /// The type of the workflow.
    r#type: String,
    /// The version of the workflow definition.
    version: u32,
    /// The status of the job.
    pub(crate) status: WorkflowStatus,
    /// The progress of the job.
    pub(crate) progress: Progress,
    /// The params that the job was started with, merged over the defaults of the definition.
    #[schemars(with = "Value")]
    params: Box<RawValue>,
    /// The results of the last tasks, by task key. Null until the job is completed.
    #[schemars(with = "Value")]
    output: Box<RawValue>,
    /// The task that failed, and why.
    error: Option<Value>,
    /// From whoever started it.
    correlation_id: Option<String>,
    /// Its steps.
    steps: Vec<StepState>,
    /// Its first 200 tasks; the view job_tasks has all.
    tasks: Vec<TaskState>,
    /// What was made.
    pub(crate) artifacts: Vec<ShownArtifact>,
    /// When it was started.
    created_at: DateTime<Utc>,
    /// When it last changed.
    updated_at: DateTime<Utc>,
    /// When it ended.
    finished_at: Option<DateTime<Utc>>,
}

impl Shown {
    /// Without URLs: nothing is signed yet.
    pub(crate) fn new(job: Workflow) -> Self {
        let artifacts = job.artifacts.into_iter();
        Self {
            id: job.id,
            r#type: job.r#type,
            version: job.version,
            status: job.status,
            progress: job.progress,
            params: job.params,
            output: job.output,
            error: job.error,
            correlation_id: job.correlation_id,
            steps: job.steps,
            tasks: job.tasks,
            artifacts: artifacts.map(ShownArtifact::new).collect(),
            created_at: job.created_at,
            updated_at: job.updated_at,
            finished_at: job.finished_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gristmill_core::json;

    fn order(body: &str, key: Option<&str>) -> Result<NewWorkflow, Problem> {
        let key = key.map(IdempotencyKey::parse).transpose()?;
        json::parse::<Order>(body.as_bytes())?.into_workflow(key, "c".into())
    }

    #[test]
    fn params_are_an_object_and_may_be_absent() {
        assert_eq!(
            order(r#"{"type":"echo"}"#, None).unwrap().params.get(),
            "{}"
        );
        let digits = r#"{"n":12345678901234567890.10}"#;
        let kept = order(&format!(r#"{{"type":"echo","params":{digits}}}"#), None).unwrap();
        assert_eq!(kept.params.get(), digits);
        for params in ["[]", "1", "\"x\""] {
            let refused = order(&format!(r#"{{"type":"echo","params":{params}}}"#), None);
            assert_eq!(refused.unwrap_err().field.as_deref(), Some("params"));
        }
    }

    #[test]
    fn a_url_that_nobody_renewed_is_good_for_half_of_its_life_at_least() {
        // Signed at the beginning of a period, seen as unchanged until its end.
        assert_eq!(url_period(3600, 1800), url_period(3600, 3599));
        assert_ne!(url_period(3600, 3599), url_period(3600, 3600));
        assert_ne!(url_period(10, 4), url_period(10, 5));
    }

    #[test]
    fn an_idempotency_key_is_passed_on_without_its_quotes() {
        let started = order(r#"{"type":"echo"}"#, Some("\"k 1\"")).unwrap();
        assert_eq!(started.idempotency_key.as_deref(), Some("k 1"));
    }
}
