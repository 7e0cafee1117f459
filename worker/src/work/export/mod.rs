//! `export_pdf`: sets a document with typst, stores the PDF, and completes the job in one transaction with its file.
//!
//! Every step asks Postgres first whether this attempt still counts, so one that was cancelled or lost stops at the
//! next step. The row of the file is there before the object: whatever happens in between, cleanup finds it.

use std::sync::Arc;

use async_trait::async_trait;
use gristmill_render::{Options, RenderError, Rendered, Renderer, Template};
use gristmill_shared::export::{ExportSource, FinishedExport};
use gristmill_shared::job::{ClaimedJob, Failure, Outcome};
use gristmill_shared::rpc::RpcError;
use gristmill_shared::storage::ObjectKey;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::handler::{Context, Handler};
use crate::storage::ObjectsError;

/// Makes exports. Most of an export is waiting for Postgres and storage; only setting computes, and of that no more at
/// once than there are processors.
pub(super) struct Exports {
    presses: Arc<Semaphore>,
}

impl Exports {
    pub(super) fn new(cpus: usize) -> Self {
        // Fonts are looked up while the first job is on its way.
        std::thread::spawn(|| Renderer::shared().warm_up());
        Self {
            presses: Arc::new(Semaphore::new(cpus.max(1))),
        }
    }

    async fn make(&self, job: &ClaimedJob, context: &Context) -> Result<(), Stopped> {
        let (rpc, worker) = (&context.rpc, context.worker.as_str());
        let held = |is_held: bool| is_held.then_some(()).ok_or(Stopped::NotOurs);

        context.progress(25, "fetching");
        let source = rpc.begin_export(worker, job.id, job.attempt).await?;
        let source = source.ok_or(Stopped::NotOurs)?;
        let name = format!("{}.pdf", source.title);

        context.progress(50, "rendering");
        held(
            rpc.report_export(worker, job.id, job.attempt, 50, "rendering")
                .await?,
        )?;
        let rendered = self.set(source).await?;

        context.progress(75, "writing");
        let path = rpc
            .reserve_export_file(worker, job.id, job.attempt, rendered.pdf.len())
            .await?;
        let path = path.ok_or(Stopped::NotOurs)?;
        let key: ObjectKey = path.parse().map_err(|_| Stopped::Mistake)?;

        context.progress(90, "uploading");
        held(
            rpc.report_export(worker, job.id, job.attempt, 90, "uploading")
                .await?,
        )?;
        context
            .storage
            .put(&key, "application/pdf", rendered.pdf)
            .await?;
        let file = FinishedExport {
            path: &path,
            name: &name,
            pages: rendered.pages,
        };
        held(rpc.finish_export(worker, job.id, job.attempt, file).await?)
    }

    async fn set(&self, source: ExportSource) -> Result<Rendered, Stopped> {
        let template: Template =
            serde_json::from_value(Value::String(source.template)).map_err(|_| Stopped::Mistake)?;
        let mut options: Options =
            serde_json::from_value(source.options).map_err(|_| Stopped::Mistake)?;
        options.title = Some(source.title);
        options.created_at = Some(source.created_at);
        let press = self.presses.clone().acquire_owned().await;
        let setting = tokio::task::spawn_blocking(move || {
            let _press = press;
            Renderer::shared().render(template, &source.data, &options)
        });
        // A panic in a template's way fails this attempt and nothing else.
        Ok(setting.await.map_err(|_| Stopped::Mistake)??)
    }
}

#[async_trait]
impl Handler for Exports {
    fn kinds(&self) -> &'static [&'static str] {
        &["export_pdf"]
    }

    async fn run(&self, job: &ClaimedJob, context: &Context) -> Outcome {
        match self.make(job, context).await {
            Ok(()) => Outcome::Settled,
            Err(stopped) => {
                tracing::info!(job = %job.id, attempt = job.attempt, reason = ?stopped, "export stopped");
                stopped.into()
            }
        }
    }
}

/// Why an attempt did not come to its end.
#[derive(Debug, thiserror::Error)]
enum Stopped {
    /// Cancelled, or the lease was lost.
    #[error("this attempt does not count any more")]
    NotOurs,
    #[error(transparent)]
    Rpc(#[from] RpcError),
    #[error(transparent)]
    Storage(#[from] ObjectsError),
    #[error(transparent)]
    Render(#[from] RenderError),
    /// Something that cannot be.
    #[error("a mistake of ours")]
    Mistake,
}

impl From<Stopped> for Outcome {
    fn from(stopped: Stopped) -> Self {
        let failed = |error| Self::Failed { error };
        let dead = |error| Self::Dead { error };
        match stopped {
            // A cancelled job ends with whatever is said; for a lost one it is not heard.
            Stopped::NotOurs => Self::Released,
            Stopped::Rpc(RpcError::Refused { code, .. }) if code == "GM051" => {
                dead(Failure::permanent(
                    "storage_full",
                    "Your export storage is full. Delete some exports, or wait until they expire.",
                ))
            }
            Stopped::Rpc(error) if error.is_passing() => Self::Snoozed {
                delay_seconds: 5.0,
                error: Failure::retryable("database", "The database could not be reached."),
            },
            Stopped::Rpc(_) | Stopped::Mistake => failed(Failure::retryable(
                "internal",
                "The document could not be exported.",
            )),
            Stopped::Storage(_) => failed(Failure::retryable(
                "storage",
                "The file could not be stored.",
            )),
            Stopped::Render(RenderError::NotAnObject) => dead(Failure::permanent(
                "document",
                "The document has no content that could be exported.",
            )),
            Stopped::Render(_) => dead(Failure::permanent(
                "render",
                "The document could not be set with this template.",
            )),
        }
    }
}
