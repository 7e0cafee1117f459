//! The stages of a document: is it safe, what does it say, where, and what does that mean.
//!
//! Each stage reads what it needs, works, and ends with one call that writes its rows, enqueues the next stage and completes the job,
//! all in one transaction. Until that call nothing has changed. Another job for the same stage is told that the stage was done, and by
//! which job. A job that can do nothing for its document ends as failed, with the reason: none is completed unless its work was done.

mod check;
mod file;
mod language;
mod ocr;
mod passes;
mod plain;
mod read_page;
mod recognize;
mod security;
mod spatial;
mod sweep;
mod tesseract;
mod text_layer;
mod tiff;

use std::sync::Arc;

use async_trait::async_trait;
use gristmill_core::job::{ClaimedJob, Failure, JobId, Outcome};
use gristmill_reading as model;
use gristmill_rpc::{BegunStage, RpcError, StagedDocument};
use serde::Serialize;
use serde_json::json;
use tokio::sync::OnceCell;

use gristmill_files::ObjectsError;
use gristmill_models::{Models, Unanswered};
use gristmill_native::clamd;
use gristmill_runner::{ChildError, Context, Handler, Lane};

pub use gristmill_upright::{ChildArgs, run_child};
pub use security::{InspectArgs, inspect_pdf};
pub use sweep::Sweep;

/// What documents are read and understood with.
pub struct Settings {
    clamd: Option<String>,
    models: Arc<Models>,
    /// What tesseract has. It is asked once.
    languages: OnceCell<Vec<String>>,
}

impl Settings {
    /// From the environment, beside the models that it names.
    pub fn from_env(models: Arc<Models>) -> Self {
        let clamd = std::env::var("WORKER_CLAMD").ok();
        let clamd = clamd.filter(|address| !address.is_empty());
        if clamd.is_none() {
            tracing::warn!("WORKER_CLAMD is not set: files are not scanned for viruses");
        }
        Self {
            clamd: clamd.filter(|address| address != clamd::NONE),
            models,
            languages: OnceCell::new(),
        }
    }
}

/// security, ocr and spatial: they compute.
pub struct Fast {
    settings: Arc<Settings>,
}

/// pass1 to pass3: they ask a model, or the built-in rules.
pub struct Passes {
    settings: Arc<Settings>,
}

impl Fast {
    /// With what documents are read and understood with.
    pub fn new(settings: Arc<Settings>) -> Self {
        Self { settings }
    }
}

impl Passes {
    /// With what documents are read and understood with.
    pub fn new(settings: Arc<Settings>) -> Self {
        Self { settings }
    }
}

/// A stage at work.
struct Stage<'a> {
    document: StagedDocument,
    context: &'a Context<'a>,
    settings: &'a Settings,
}

/// How a stage ends without a result.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    /// Postgres did not take it.
    #[error(transparent)]
    Rpc(#[from] RpcError),
    /// The file could not be had.
    #[error(transparent)]
    Objects(#[from] ObjectsError),
    /// A program could not read it.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// Files under work could not be kept.
    #[error("the scratch folder failed")]
    Disk(#[from] std::io::Error),
    /// A provider failed or has no room.
    #[error("{}", .0.message)]
    Failed(Failure),
    /// A provider asks to come back later: no attempt is used up.
    #[error("{}", .1.message)]
    Later(f64, Failure),
    /// An earlier attempt did the stage, or another job.
    #[error("an earlier attempt has completed the stage {stage}")]
    Done {
        stage: String,
        by_job: Option<JobId>,
    },
    /// The lease is gone, or what the stage is for has changed while it worked.
    #[error("the lease is lost, or the document has changed")]
    Lost,
}

impl From<Unanswered> for Trouble {
    fn from(error: Unanswered) -> Self {
        match error {
            Unanswered::Rpc(error) => Self::Rpc(error),
            Unanswered::Failed(failure) => Self::Failed(failure),
            Unanswered::Later(seconds, failure) => Self::Later(seconds, failure),
        }
    }
}

/// How long a job waits for another that works on the same stage, before it looks again.
const BUSY_SECONDS: f64 = 5.0;

impl Trouble {
    // Messages are free of content: they are shown and logged.
    fn outcome(self) -> Outcome {
        match self {
            Self::Done { stage, by_job } => Outcome::completed(
                &json!({ "already_done": true, "stage": stage, "by_job": by_job }),
            ),
            // Where the lease is lost this is not heard. Otherwise the next attempt is told what has become of the document.
            Self::Lost => Outcome::Released,
            Self::Failed(failure) => Outcome::from_failure(failure),
            Self::Later(delay_seconds, error) => Outcome::Snoozed {
                delay_seconds,
                error,
            },
            Self::Rpc(error) if error.is_passing() => Outcome::Released,
            Self::Child(ChildError::Cancelled) => Outcome::Released,
            Self::Child(ChildError::Failed {
                program, status, ..
            }) => Outcome::Failed {
                error: Failure::retryable(
                    "ocr_failure",
                    format!("{program} ended with status {status}"),
                ),
            },
            Self::Child(error) => Outcome::Failed {
                error: Failure::retryable("ocr_failure", error.to_string()),
            },
            Self::Objects(ObjectsError::NotFound) => Outcome::Dead {
                error: Failure::permanent("unsupported", "the file is not in the object store"),
            },
            other => Outcome::Failed {
                error: Failure::retryable("network_error", other.to_string()),
            },
        }
    }
}

async fn begin<'a>(context: &'a Context<'a>, settings: &'a Settings) -> Result<Stage<'a>, Trouble> {
    let begun = context.rpc.begin_document_stage(&context.holder).await?;
    let document = match begun.ok_or(Trouble::Lost)? {
        BegunStage::Work(document) => document,
        BegunStage::Done { stage, by_job } => return Err(Trouble::Done { stage, by_job }),
        BegunStage::Busy { by_job } => {
            let message = format!("job {by_job} works on this stage");
            let busy = Failure::retryable("busy", message);
            return Err(Trouble::Later(BUSY_SECONDS, busy));
        }
        BegunStage::Refused {
            r#type,
            message,
            retryable: true,
        } => {
            return Err(Trouble::Failed(Failure::retryable(r#type.word(), message)));
        }
        BegunStage::Refused {
            r#type, message, ..
        } => {
            return Err(Trouble::Failed(Failure::permanent(r#type.word(), message)));
        }
    };
    Ok(Stage {
        document,
        context,
        settings,
    })
}

async fn ended(result: Result<(), Trouble>, context: &Context<'_>) -> Outcome {
    match result {
        Ok(()) => Outcome::Settled,
        Err(trouble) => {
            tracing::info!(%trouble, "a stage did not get to its end");
            noted(trouble.outcome(), context).await
        }
    }
}

// A failure is written to the document in the transaction that returns the job, so that whoever reads the row sees why it waits and until
// when. Where Postgres does not answer, the outcome is reported like that of any job, and the next attempt writes it down.
async fn noted(outcome: Outcome, context: &Context<'_>) -> Outcome {
    let word = outcome.word();
    if !matches!(word, "failed" | "snoozed" | "dead") {
        return outcome;
    }
    let usage = context.usage();
    let said = context
        .rpc
        .fail_document_stage(&context.holder, &outcome, usage);
    match said.await {
        Ok(_) => Outcome::Noted { word },
        Err(error) => {
            tracing::info!(%error, "a failure was not noted with its document");
            outcome
        }
    }
}

#[async_trait]
impl Handler for Fast {
    fn kinds(&self) -> &'static [&'static str] {
        &[
            "fast_queue_security",
            "fast_queue_ocr",
            "fast_queue_spatial",
        ]
    }

    fn lane(&self) -> Lane {
        Lane::Computing
    }

    async fn run(&self, _job: &ClaimedJob, context: &Context<'_>) -> Outcome {
        let work = async {
            let stage = begin(context, &self.settings).await?;
            match stage.document.stage.as_str() {
                "security" => security::run(&stage).await,
                "ocr" => ocr::run(&stage).await,
                _ => spatial::run(&stage).await,
            }
        };
        ended(work.await, context).await
    }
}

#[async_trait]
impl Handler for Passes {
    fn kinds(&self) -> &'static [&'static str] {
        &["ai_queue_pass1", "ai_queue_pass2", "ai_queue_pass3"]
    }

    fn closed_until(&self, _kind: &str) -> Option<tokio::time::Instant> {
        self.settings.models.model_closed_until()
    }

    async fn run(&self, _job: &ClaimedJob, context: &Context<'_>) -> Outcome {
        let work = async {
            let stage = begin(context, &self.settings).await?;
            passes::run(&stage).await
        };
        ended(work.await, context).await
    }
}

impl Stage<'_> {
    /// The last word of a stage: what it found, and what is kept with its job, which is completed.
    async fn finish(&self, found: &impl Serialize, kept: &impl Serialize) -> Result<(), Trouble> {
        let (rpc, holder) = (&self.context.rpc, &self.context.holder);
        let ending = self.context.ending(kept);
        let finish = || rpc.finish_document_stage(holder, found, &ending);
        let is_held = self.context.until_answered(finish).await?;
        is_held.then_some(()).ok_or(Trouble::Lost)
    }
}
