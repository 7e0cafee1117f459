//! Sets documents as PDF, each in a child of its own: typst cannot be interrupted, and memory that it has taken is given back
//! only when its process ends. The child is this program again (`gristmill set-document`); it knows one document and no secret.
//!
//! Starting a child takes 15 ms of processor time. The search for the fonts of the machine would be another 35 ms: the worker
//! does it once and writes down what it found. Children that are started before they are needed would save the 15 ms, and
//! would hold 25 MB each while nobody exports.

mod child;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gristmill::Cancellation;
use gristmill_core::job::{ClaimedJob, Failure, Outcome};
use gristmill_render::{Fonts, Options, Rendered, Template};
use serde::Serialize;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::{OnceCell, Semaphore};
use uuid::Uuid;

use child::Answer;
pub use child::{Args as ChildArgs, run as run_child};
use gristmill_runner::{Bound, ChildError, Children, Context, Limits};

/// The sub-command that sets one document.
const COMMAND: &str = "set-document";

/// What the worker has found out about fonts, in a folder of its own.
const FONTS: &str = "fonts.json";

/// The largest PDF that is taken from a child.
const MAX_PDF: u64 = 64 << 20;

/// Shortening helps against each of the limits.
const ADVICE: &str = "Shorten it, or split it into several documents.";

/// What one document may take.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Processor time that setting one document as PDF may take, in seconds
    #[arg(long, env = "WORKER_RENDER_SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub render_seconds: u64,
    /// Memory that setting one document as PDF may take, in MiB
    #[arg(long, env = "WORKER_RENDER_MEMORY", default_value_t = 512, value_parser = clap::value_parser!(u64).range(128..=65536))]
    pub render_memory: u64,
}

/// What a press works with.
struct Settings {
    /// Processor time of one document, in seconds.
    seconds: u64,
    /// Address space of one child, in bytes.
    memory: u64,
    /// Where its folders are.
    children: Arc<Children>,
}

/// What is to be set.
#[derive(Debug, Serialize)]
pub struct Request<'a> {
    /// How it looks.
    pub template: Template,
    /// The document.
    pub data: &'a Value,
    /// How it is put on paper.
    pub options: &'a Options,
}

/// Why there is no PDF.
#[derive(Debug, thiserror::Error)]
pub enum PressError {
    /// The document cannot be set, today or tomorrow. The sentence is for its owner.
    #[error("{message}")]
    Refused {
        /// A stable word.
        kind: &'static str,
        /// What is wrong with it, and what to do.
        message: String,
    },
    /// It may be set another time, by another worker.
    #[error("{message}")]
    Passing {
        /// A stable word.
        kind: &'static str,
        /// What happened.
        message: &'static str,
    },
    /// The job was cancelled.
    #[error("the job was cancelled")]
    Cancelled,
}

impl From<PressError> for Outcome {
    // A document that is refused or too much for the limits would be so each time: no attempt follows.
    fn from(error: PressError) -> Self {
        match error {
            PressError::Refused { kind, message } => Self::Dead {
                error: Failure::permanent(kind, message),
            },
            PressError::Passing { kind, message } => Self::Failed {
                error: Failure::retryable(kind, message),
            },
            PressError::Cancelled => Self::Released,
        }
    }
}

/// The presses of this worker. One owner has at most half of them at a time.
pub struct Press {
    settings: Settings,
    presses: Semaphore,
    shares: Mutex<HashMap<Option<Uuid>, Arc<Semaphore>>>,
    share: usize,
    /// None when they could not be written down: each child then searches for itself.
    fonts: OnceCell<Option<FoundFonts>>,
}

/// What was found, written down, and the folders in which it lies.
struct FoundFonts {
    list: TempDir,
    folders: Vec<PathBuf>,
}

impl Press {
    /// Presses that wait for documents: `presses` are set at once, and at least two, so that no document keeps all others waiting.
    pub fn new(args: &Args, presses: usize, children: Arc<Children>) -> Self {
        let presses = presses.max(2);
        Self {
            presses: Semaphore::new(presses),
            shares: Mutex::default(),
            share: presses / 2,
            fonts: OnceCell::new(),
            settings: Settings {
                seconds: args.render_seconds,
                memory: args.render_memory << 20,
                children,
            },
        }
    }

    /// Searches for fonts, so that the first document need not wait for it.
    pub async fn prepare(&self) {
        self.fonts().await;
    }

    async fn fonts(&self) -> Option<&FoundFonts> {
        let search = async || {
            let children = self.settings.children.clone();
            let found = tokio::task::spawn_blocking(move || write_fonts(&children)).await;
            match found {
                Ok(Ok(fonts)) => return Some(fonts),
                Ok(Err(error)) => tracing::warn!(%error, "the list of fonts could not be written"),
                Err(error) => tracing::warn!(%error, "the search for fonts failed"),
            }
            None
        };
        self.fonts.get_or_init(search).await.as_ref()
    }

    /// Sets a document in a child, once there is a free press and the job's owner has a share left. A cancellation of the job
    /// kills the child within a second or so.
    pub async fn set(
        &self,
        job: &ClaimedJob,
        request: &Request<'_>,
        context: &Context<'_>,
    ) -> Result<Rendered, PressError> {
        let _watch = context.watch();
        let request = serde_json::to_vec(request).map_err(|_| mistake())?;
        let cancelled = context.cancellation();
        let share = self.share_of(job.owner);
        let turn = async {
            let share = share.acquire().await;
            (share, self.presses.acquire().await)
        };
        let _turn = tokio::select! {
            turn = turn => turn,
            () = cancelled.cancelled() => return Err(PressError::Cancelled),
        };
        let answer = self.in_child(&request, cancelled).await;
        answer.map_err(|error| self.explain(error, job))
    }

    async fn in_child(
        &self,
        request: &[u8],
        cancelled: &Cancellation,
    ) -> Result<Rendered, Trouble> {
        let fonts = self.fonts().await;
        let folder = self.settings.children.folder().map_err(Trouble::Folder)?;
        let limits = Limits {
            memory: self.settings.memory,
            cpu_seconds: self.settings.seconds,
            // Children give way to others: on a busy machine one gets a quarter of a processor, or waits for a while. That is
            // not its document's fault, and must not look like it.
            wall: Duration::from_secs(self.settings.seconds * 4 + 10),
            output: MAX_PDF,
        };
        let mut arguments = vec![OsString::from(COMMAND)];
        let mut readable = Vec::new();
        if let Some(FoundFonts { list, folders }) = fonts {
            arguments.push(list.path().join(FONTS).into_os_string());
            readable.push(list.path().to_owned());
            readable.extend_from_slice(folders);
        }
        let children = &self.settings.children;
        let child =
            children.start_own("the press", &arguments, folder.path(), &readable, limits)?;
        let output = child.finish(request, cancelled).await?;
        match child::read(output).ok_or(Trouble::Garbled)? {
            (Answer::Set { pages, replaced }, pdf) => Ok(Rendered {
                pdf,
                pages,
                replaced,
            }),
            (Answer::Refused { kind, message }, _) => Err(Trouble::Refused(kind.word(), message)),
        }
    }

    fn share_of(&self, owner: Option<Uuid>) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever sets nothing now holds nothing here.
        shares.retain(|_, share| Arc::strong_count(share) > 1);
        let share = shares.entry(owner);
        share
            .or_insert_with(|| Arc::new(Semaphore::new(self.share)))
            .clone()
    }

    fn explain(&self, trouble: Trouble, job: &ClaimedJob) -> PressError {
        let refused = |kind, message| PressError::Refused { kind, message };
        let passing = |kind, message| PressError::Passing { kind, message };
        let bound = match trouble {
            Trouble::Child(ChildError::Cancelled) => return PressError::Cancelled,
            Trouble::Refused(kind, message) => return refused(kind, message),
            Trouble::Child(ChildError::Bound { bound, .. }) => Some(bound),
            _ => None,
        };
        tracing::warn!(job = %job.id, reason = ?trouble, "a document was not set");
        let Settings {
            seconds, memory, ..
        } = self.settings;
        match (bound, trouble) {
            (Some(Bound::Processor), _) => refused(
                "render_time",
                format!(
                    "The document could not be set within {seconds} seconds of computing time. {ADVICE}"
                ),
            ),
            (Some(Bound::Memory), _) => refused(
                "render_memory",
                format!(
                    "The document could not be set within {} MB of memory. {ADVICE}",
                    memory >> 20
                ),
            ),
            (Some(Bound::Output | Bound::File), _) => refused(
                "render_size",
                format!("The PDF is larger than {} MB. {ADVICE}", MAX_PDF >> 20),
            ),
            (Some(Bound::Time), _) => passing(
                "render_slow",
                "The worker was too busy to set the document in time.",
            ),
            // A panic or an overflow of the stack: the same document would end the same way.
            (Some(Bound::Crash), _) | (_, Trouble::Child(ChildError::Failed { .. })) => mistake(),
            (_, Trouble::Child(ChildError::Killed(_))) => passing(
                "render_killed",
                "Setting the document was interrupted: the machine was short of memory.",
            ),
            _ => passing("render", "The document could not be set."),
        }
    }
}

fn write_fonts(children: &Children) -> std::io::Result<FoundFonts> {
    let list = children.folder()?;
    let fonts = Fonts::search();
    std::fs::write(list.path().join(FONTS), serde_json::to_vec(&fonts)?)?;
    let folders = fonts.folders();
    Ok(FoundFonts { list, folders })
}

fn mistake() -> PressError {
    PressError::Refused {
        kind: "render",
        message: "The document could not be set with this template.".to_owned(),
    }
}

/// What went wrong with a child, for the log.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Child(#[from] ChildError),
    #[error("the scratch folder cannot be used")]
    Folder(#[source] std::io::Error),
    #[error("the press gave an answer that cannot be read")]
    Garbled,
    #[error("{1}")]
    Refused(&'static str, String),
}

#[cfg(test)]
mod tests;
