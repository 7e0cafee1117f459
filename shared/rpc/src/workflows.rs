//! The calls about workflows: jobs of many tasks.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Rpc, RpcError, Ticket};
use gristmill_core::event::Polled;
use gristmill_core::job::JobId;
use gristmill_files::{BadKey, ObjectKey};

/// A workflow to be started.
#[derive(Debug, Serialize)]
pub struct NewWorkflow {
    /// The type of the workflow, a row of `workflow_definition`.
    #[serde(rename = "p_type")]
    pub r#type: String,
    /// A JSON object, as it was written.
    #[serde(rename = "p_params")]
    pub params: Box<RawValue>,
    /// A retry with the same key gets the first job.
    #[serde(rename = "p_idempotency_key", skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The correlation id of the request. The job, its tasks and their logs carry it.
    #[serde(rename = "p_correlation_id")]
    pub correlation_id: String,
}

/// The answer to a started job.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct StartedWorkflow {
    /// The job.
    pub id: JobId,
    /// The status of the job.
    pub status: WorkflowStatus,
    /// False when an earlier request with the same idempotency key started the job.
    pub new: bool,
}

/// The status of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowStatus {
    /// No task has run.
    Queued,
    /// Some tasks have run.
    Processing,
    /// All tasks have ended.
    Completed,
    /// A task failed for good.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
}

/// The progress of a job.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Percent of the work, by the weights of the tasks. The number never goes down.
    pub percent: u8,
    /// The phase that the job is in.
    pub phase: String,
    /// How many documents are complete.
    pub docs_complete: u32,
    /// How many documents there are in total.
    pub docs_total: u32,
    /// A sentence about the progress for people to read.
    pub message: String,
}

/// A job without its tasks.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowState {
    /// The job.
    pub id: JobId,
    /// Its definition.
    pub r#type: String,
    /// Grows with every change of the job.
    pub revision: u64,
    /// The status of the job.
    pub status: WorkflowStatus,
    /// The progress of the job.
    pub progress: Progress,
    /// The task that failed, and why.
    pub error: Option<Value>,
    /// When it was started.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
}

/// A task of the definition within one job.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct StepState {
    /// Its key in the definition.
    pub key: String,
    /// The kind of job that runs the task.
    pub kind: String,
    /// The phase that the task belongs to.
    pub phase: String,
    /// The keys of the steps that this step waits for.
    pub needs: Vec<String>,
    /// The key of the step whose items this step processes, one task per item.
    pub each: Option<String>,
    /// waiting, open, completed, partial or skipped.
    pub state: String,
    /// How many items the step has, once that is known.
    pub total: Option<u32>,
    /// Items that completed.
    pub completed: u32,
    /// Items that failed.
    pub failed: u32,
    /// Items that were skipped.
    pub skipped: u32,
}

/// One task.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskState {
    /// The task, and the engine's job that runs it.
    pub id: JobId,
    /// The key of its step.
    pub key: String,
    /// Its place among the items of the step.
    pub item: u32,
    /// The kind of job that runs the task.
    pub task_type: String,
    /// The phase that the task belongs to.
    pub phase: String,
    /// waiting, pending, deferred, retrying, processing, completed, failed, cancelled or skipped.
    pub status: String,
    /// How many attempts the task has had so far. Only live tasks are counted.
    pub attempt: u32,
    /// Percent, as its worker reports it.
    pub progress: u8,
    /// The latest error.
    pub error: Option<Value>,
    /// When its attempt began.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
}

/// What a task made.
#[derive(Debug, Deserialize)]
pub struct Artifact {
    /// The artifact.
    pub id: Uuid,
    /// The task that made it.
    pub task_id: Uuid,
    /// audio_mp3, audio_m4a, pdf or json.
    pub r#type: String,
    /// Where it lies within its bucket.
    pub storage_path: String,
    /// The bucket it lies in.
    pub bucket: String,
    /// The size in bytes. A compat worker may leave it out.
    pub bytes: Option<u64>,
    /// The length of an audio file in seconds.
    pub duration: Option<f64>,
    /// The SHA-256 of the content. Compat workers do not report it.
    pub sha256: Option<String>,
    /// A title for people to read.
    pub title: Option<String>,
}

impl Artifact {
    /// The object.
    pub fn key(&self) -> Result<ObjectKey, BadKey> {
        ObjectKey::within(&self.bucket, &self.storage_path)
    }
}

/// A job with its tasks.
#[derive(Debug, Deserialize)]
pub struct Workflow {
    /// The job.
    pub id: JobId,
    /// Its definition.
    pub r#type: String,
    /// The version of the workflow definition.
    pub version: u32,
    /// The status of the job.
    pub status: WorkflowStatus,
    /// The progress of the job.
    pub progress: Progress,
    /// The params that the job was started with, merged over the defaults of the definition; as Postgres wrote them.
    pub params: Box<RawValue>,
    /// The results of the last tasks, by task key. Null until the job is completed.
    pub output: Box<RawValue>,
    /// The task that failed, and why.
    pub error: Option<Value>,
    /// The correlation id of the request that started the job.
    pub correlation_id: Option<String>,
    /// Its steps.
    pub steps: Vec<StepState>,
    /// The first tasks of the job; a long list is cut.
    pub tasks: Vec<TaskState>,
    /// The artifacts that its tasks made.
    pub artifacts: Vec<Artifact>,
    /// When it was started.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
}

/// A task that was running when its job was cancelled.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunningTask {
    /// The task.
    pub id: JobId,
    /// The key of its step.
    pub key: String,
    /// Its place among the items of the step.
    pub item: u32,
}

/// The answer to a cancelled job.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct CancelledWorkflow {
    /// The job.
    pub id: JobId,
    /// Where it stands now.
    pub status: WorkflowStatus,
    /// How many waiting tasks were cancelled. They never run.
    pub cancelled: u32,
    /// The tasks that were running. Their workers learn of the cancellation at their next heartbeat.
    pub running: Vec<RunningTask>,
}

#[derive(Serialize)]
struct ById {
    p_id: JobId,
}

impl Rpc {
    /// A ticket for `workflow_events`.
    pub async fn workflow_ticket(&self, id: JobId) -> Result<Option<Ticket>, RpcError> {
        self.ticket_for("workflow_events", json!({ "p_id": id }))
            .await
    }

    /// Starts a job for the token's owner.
    pub async fn start_workflow(&self, job: &NewWorkflow) -> Result<StartedWorkflow, RpcError> {
        self.workflows().call("start_workflow", job).await
    }

    /// One job with its tasks, when it exists and the token's owner may see it.
    pub async fn get_workflow(&self, id: JobId) -> Result<Option<Workflow>, RpcError> {
        self.workflows()
            .call("get_workflow", &ById { p_id: id })
            .await
    }

    /// The token's owner's jobs, newest first.
    pub async fn list_workflows(
        &self,
        limit: u32,
        before: Option<JobId>,
    ) -> Result<Vec<WorkflowState>, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_limit: u32,
            p_before: Option<JobId>,
        }
        let arguments = Arguments {
            p_limit: limit,
            p_before: before,
        };
        self.workflows().call("list_workflows", &arguments).await
    }

    /// What is new about a job since an event; none when there is no such job for the token's owner.
    pub async fn workflow_events(&self, id: JobId, after: u64) -> Result<Option<Polled>, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_id: JobId,
            p_after: u64,
        }
        let arguments = Arguments {
            p_id: id,
            p_after: after,
        };
        self.workflows().call("workflow_events", &arguments).await
    }

    /// Cancels what has not run of a job.
    pub async fn cancel_workflow(&self, id: JobId) -> Result<Option<CancelledWorkflow>, RpcError> {
        self.workflows()
            .call("cancel_workflow", &ById { p_id: id })
            .await
    }

    /// Resumes a failed job.
    pub async fn retry_workflow(&self, id: JobId) -> Result<Option<WorkflowState>, RpcError> {
        self.workflows()
            .create("retry_workflow", &ById { p_id: id })
            .await
    }
}
