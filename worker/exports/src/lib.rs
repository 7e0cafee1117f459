//! `export_pdf`: sets a document with typst, stores the PDF, and completes the job in one transaction with its file.
//!
//! Every step asks Postgres first whether this attempt still counts, so one that was cancelled or lost stops at the
//! next step. The row of the file is there before the object: whatever happens in between, cleanup finds it.

use std::sync::Arc;

use async_trait::async_trait;
use gristmill_core::export::{ExportSource, FinishedExport};
use gristmill_core::job::{ClaimedJob, Failure, Outcome};
use gristmill_files::{ObjectKey, ObjectsError};
use gristmill_render::{Options, Rendered, Template};
use gristmill_rpc::RpcError;
use serde_json::Value;

use gristmill_press::{Press, PressError, Request};
use gristmill_runner::{Context, Handler};

/// Makes exports. Most of an export is waiting for Postgres, storage and the press.
pub struct Exports {
    press: Arc<Press>,
}

impl Exports {
    /// With the press that sets them.
    pub fn new(press: Arc<Press>) -> Self {
        Self { press }
    }

    async fn make(&self, job: &ClaimedJob, context: &Context<'_>) -> Result<(), Stopped> {
        let (rpc, holder) = (&context.rpc, &context.holder);
        let held = |is_held: bool| is_held.then_some(()).ok_or(Stopped::NotOurs);

        context.progress(25, "fetching");
        let source = rpc.begin_export(holder).await?;
        let source = source.ok_or(Stopped::NotOurs)?;
        let name = format!("{}.pdf", source.title);

        context.progress(50, "rendering");
        held(rpc.report_export(holder, 50, "rendering").await?)?;
        let rendered = self.set(job, source, context).await?;

        let note = note(&rendered.replaced);
        context.progress(75, "writing");
        let path = rpc.reserve_export_file(holder, rendered.pdf.len()).await?;
        let path = path.ok_or(Stopped::NotOurs)?;
        let key: ObjectKey = path.parse().map_err(|_| Stopped::Mistake)?;

        context.progress(90, "uploading");
        held(rpc.report_export(holder, 90, "uploading").await?)?;
        context
            .storage
            .put(&key, "application/pdf", rendered.pdf)
            .await?;
        let file = FinishedExport {
            path: &path,
            name: &name,
            pages: rendered.pages,
            note: note.as_deref(),
        };
        let finish = || rpc.finish_export(holder, &file);
        held(context.until_answered(finish).await?)
    }

    async fn set(
        &self,
        job: &ClaimedJob,
        source: ExportSource,
        context: &Context<'_>,
    ) -> Result<Rendered, Stopped> {
        let template: Template =
            serde_json::from_value(Value::String(source.template)).map_err(|_| Stopped::Mistake)?;
        let mut options: Options =
            serde_json::from_value(source.options).map_err(|_| Stopped::Mistake)?;
        options.title = Some(source.title);
        options.created_at = Some(source.created_at);
        let request = Request {
            template,
            data: &source.data,
            options: &options,
        };
        Ok(self.press.set(job, &request, context).await?)
    }
}

/// How many letters a note names.
const NAMED_LETTERS: usize = 20;

/// What its owner should know of a PDF that was made.
fn note(replaced: &str) -> Option<String> {
    let count = replaced.chars().count();
    let named: Vec<_> = replaced
        .chars()
        .take(NAMED_LETTERS)
        .map(String::from)
        .collect();
    let named = named.join(" ");
    let more = if count > NAMED_LETTERS { " …" } else { "" };
    (count > 0).then(|| {
        format!(
            "No font here has these letters, so a box stands in the place of each: {named}{more}"
        )
    })
}

#[async_trait]
impl Handler for Exports {
    fn kinds(&self) -> &'static [&'static str] {
        &["export_pdf"]
    }

    async fn run(&self, job: &ClaimedJob, context: &Context<'_>) -> Outcome {
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
    #[error("the job was cancelled, or the lease of this attempt is lost")]
    NotOurs,
    #[error(transparent)]
    Rpc(#[from] RpcError),
    #[error(transparent)]
    Storage(#[from] ObjectsError),
    #[error(transparent)]
    Press(#[from] PressError),
    /// Something that cannot be.
    #[error("the job has a path, template or options that this worker cannot read")]
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
                    "Your export storage is full. Delete files with DELETE /v1/exports/{id}/file, or wait until they expire.",
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
            Stopped::Press(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_the_letters_that_no_font_has_and_is_absent_without_any() {
        assert_eq!(note(""), None);
        assert!(note("ab").is_some_and(|note| note.ends_with(": a b")));
        let many: String = ('a'..='z').collect();
        assert!(note(&many).is_some_and(|note| note.ends_with("s t …")));
    }
}
