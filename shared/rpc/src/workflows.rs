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
    /// A row of `workflow_definition`.
    #[serde(rename = "p_type")]
    pub r#type: String,
    /// A JSON object, as it was written.
    #[serde(rename = "p_params")]
    pub params: Box<RawValue>,
    /// Makes a retry give the first answer.
    #[serde(rename = "p_idempotency_key", skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Carried into the job, its tasks and their logs.
    #[serde(rename = "p_correlation_id")]
    pub correlation_id: String,
}

/// What starting answered.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct StartedWorkflow {
    /// The job.
    pub id: JobId,
    /// Where it stands.
    pub status: WorkflowStatus,
    /// False when the idempotency key has started it before.
    pub new: bool,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowStatus {
    /// Nothing of it has run.
    Queued,
    /// Some of it has.
    Processing,
    /// All of it has.
    Completed,
    /// A task failed for good.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
}

/// How far a job is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// By weight; never goes down.
    pub percent: u8,
    /// What it is at.
    pub phase: String,
    /// Documents that are complete.
    pub docs_complete: u32,
    /// Of so many.
    pub docs_total: u32,
    /// For people.
    pub message: String,
}

/// A job without its tasks.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowState {
    /// The job.
    pub id: JobId,
    /// Its definition.
    pub r#type: String,
    /// Grows with every change.
    pub revision: u64,
    /// Where it stands.
    pub status: WorkflowStatus,
    /// How far it is.
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
    /// What runs it.
    pub kind: String,
    /// The phase it counts for.
    pub phase: String,
    /// Keys of those it waits for.
    pub needs: Vec<String>,
    /// The key of the one it goes along, item by item.
    pub each: Option<String>,
    /// waiting, open, completed, partial or skipped.
    pub state: String,
    /// Items, once they are known.
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
    /// Its step.
    pub key: String,
    /// Its place among the items of the step.
    pub item: u32,
    /// What runs it.
    pub task_type: String,
    /// The phase it counts for.
    pub phase: String,
    /// waiting, pending, deferred, retrying, processing, completed, failed, cancelled or skipped.
    pub status: String,
    /// Attempts so far, while it is live.
    pub attempt: u32,
    /// As its worker reports it.
    pub progress: u8,
    /// The latest.
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
    /// Its size. A compat worker may leave it out.
    pub bytes: Option<u64>,
    /// In seconds, of what can be heard.
    pub duration: Option<f64>,
    /// Of its content. Compat workers do not say.
    pub sha256: Option<String>,
    /// For people.
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
    /// And which version of it.
    pub version: u32,
    /// Where it stands.
    pub status: WorkflowStatus,
    /// How far it is.
    pub progress: Progress,
    /// What it was started with, over the definition's defaults; as Postgres wrote it.
    pub params: Box<RawValue>,
    /// What the last tasks gave, by key; null until it is completed.
    pub output: Box<RawValue>,
    /// The task that failed, and why.
    pub error: Option<Value>,
    /// From whoever started it.
    pub correlation_id: Option<String>,
    /// Its steps.
    pub steps: Vec<StepState>,
    /// Its first tasks.
    pub tasks: Vec<TaskState>,
    /// What was made.
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
    /// Its step.
    pub key: String,
    /// Its place among the items of the step.
    pub item: u32,
}

/// What cancelling did.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct CancelledWorkflow {
    /// The job.
    pub id: JobId,
    /// Where it stands now.
    pub status: WorkflowStatus,
    /// Tasks that had not run, and never will.
    pub cancelled: u32,
    /// Tasks that were running: their workers are told at the next heartbeat.
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
