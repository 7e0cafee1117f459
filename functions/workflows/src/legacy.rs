//! The compatible form of a job, for clients that know it.

use gristmill_core::Problem;
use gristmill_core::job::JobId;
use gristmill_edge::{Call, Config, Reply};
use gristmill_rpc::WorkflowStatus;
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::Shown;
use crate::handler;

/// How long URLs are good in the compatible form.
const URL_SECONDS: u32 = 3600;

/// How far a job is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Progress {
    percent: u8,
    phase: String,
    docs_complete: u32,
    docs_total: u32,
    message: String,
}

/// What was made.
#[derive(Debug, Serialize, JsonSchema)]
struct Artifact {
    r#type: String,
    url: Option<String>,
    duration: Option<f64>,
    title: Option<String>,
}

/// Where a job stands, in the compatible words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Queued,
    Processing,
    Complete,
    Failed,
    Cancelled,
}

impl From<WorkflowStatus> for Status {
    fn from(status: WorkflowStatus) -> Self {
        match status {
            WorkflowStatus::Queued => Self::Queued,
            WorkflowStatus::Processing => Self::Processing,
            WorkflowStatus::Completed => Self::Complete,
            WorkflowStatus::Failed => Self::Failed,
            WorkflowStatus::Cancelled => Self::Cancelled,
        }
    }
}

/// A job.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Job {
    id: JobId,
    status: Status,
    progress: Progress,
    artifacts: Vec<Artifact>,
}

impl From<Shown> for Job {
    fn from(job: Shown) -> Self {
        let progress = job.progress;
        let artifacts = job.artifacts.into_iter().map(|artifact| Artifact {
            r#type: artifact.r#type,
            url: artifact.url,
            duration: artifact.duration,
            title: artifact.title,
        });
        Self {
            id: job.id,
            status: job.status.into(),
            progress: Progress {
                percent: progress.percent,
                phase: progress.phase,
                docs_complete: progress.docs_complete,
                docs_total: progress.docs_total,
                message: progress.message,
            },
            artifacts: artifacts.collect(),
        }
    }
}

pub(crate) async fn show(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    handler::shown(call, config, URL_SECONDS, |shown| {
        Reply::json(200, &Job::from(shown))
    })
    .await
}
