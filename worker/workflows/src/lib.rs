//! The tasks of the built-in workflows: facts, texts, pages, voices and the book of all that was made.
//!
//! What is calculated is `gristmill-almanac`, what is written about it `gristmill-chapters`.
//!
//! Every task writes its object under its own id and names it in its result; Postgres registers it in the transaction
//! that completes the task. A second attempt writes the same object again.

mod artifact;
mod calculation;
mod finalization;
mod pages;
mod people;
mod texts;
mod voices;
mod wave;

use std::sync::Arc;

use async_trait::async_trait;
use gristmill_core::job::{ClaimedJob, Failure, Outcome};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;

use gristmill_files::ObjectsError;
use gristmill_models::Models;
use gristmill_press::{Press, PressError};
use gristmill_runner::{ChildError, Context, Handler, Lane};

/// The handlers of this part.
pub fn handlers(models: Arc<Models>, press: Arc<Press>) -> Vec<Arc<dyn Handler>> {
    vec![
        Arc::new(Light {
            models,
            press: press.clone(),
        }),
        Arc::new(Pages { press }),
        Arc::new(Voices),
    ]
}

/// What takes a moment and a store, or a model; and the book at the end.
struct Light {
    models: Arc<Models>,
    press: Arc<Press>,
}

/// What typst sets.
struct Pages {
    press: Arc<Press>,
}

/// What is read aloud.
struct Voices;

/// Why a task did not end as it should.
#[derive(Debug, thiserror::Error)]
enum TaskError {
    #[error("the input of the task has another form than its kind expects: {0}")]
    Input(String),
    #[error(transparent)]
    Objects(#[from] ObjectsError),
    #[error(transparent)]
    Child(#[from] ChildError),
    #[error(transparent)]
    Press(#[from] PressError),
    #[error("the scratch folder cannot be used")]
    Scratch(#[from] std::io::Error),
    #[error("{0}")]
    Content(String),
    /// What the provider's trouble means for the task.
    #[error("the call of the model failed")]
    Model(Box<Outcome>),
}

#[async_trait]
impl Handler for Light {
    fn kinds(&self) -> &'static [&'static str] {
        &["calculation", "text_generation", "finalization"]
    }

    fn closed_until(&self, kind: &str) -> Option<tokio::time::Instant> {
        (kind == "text_generation")
            .then(|| self.models.model_closed_until())
            .flatten()
    }

    async fn run(&self, job: &ClaimedJob, context: &Context<'_>) -> Outcome {
        match job.kind.as_str() {
            "calculation" => outcome(calculation::run(job, context).await),
            "finalization" => outcome(finalization::run(job, context, &self.press).await),
            _ => outcome(texts::run(job, context, &self.models).await),
        }
    }
}

#[async_trait]
impl Handler for Pages {
    fn kinds(&self) -> &'static [&'static str] {
        &["pdf_generation"]
    }

    async fn run(&self, job: &ClaimedJob, context: &Context<'_>) -> Outcome {
        outcome(pages::run(job, context, &self.press).await)
    }
}

#[async_trait]
impl Handler for Voices {
    fn kinds(&self) -> &'static [&'static str] {
        &["audio_generation"]
    }

    fn lane(&self) -> Lane {
        Lane::Computing
    }

    async fn run(&self, job: &ClaimedJob, context: &Context<'_>) -> Outcome {
        outcome(voices::run(job, context).await)
    }
}

fn input<T: DeserializeOwned>(job: &ClaimedJob) -> Result<T, TaskError> {
    serde_json::from_str(job.payload.get()).map_err(|error| TaskError::Input(error.to_string()))
}

fn outcome(ended: Result<impl Serialize, TaskError>) -> Outcome {
    let written = ended.and_then(|result| {
        to_raw_value(&result).map_err(|error| TaskError::Content(error.to_string()))
    });
    match written {
        Ok(result) => Outcome::Completed { result },
        Err(TaskError::Child(ChildError::Cancelled)) => Outcome::Released,
        Err(TaskError::Model(outcome)) => *outcome,
        Err(TaskError::Press(error)) => error.into(),
        Err(error) => refused(&error),
    }
}

// What a stranger wrote is not in these sentences: they are shown and logged.
fn refused(error: &TaskError) -> Outcome {
    match error {
        TaskError::Input(_) => Outcome::Dead {
            error: Failure::permanent("input", error.to_string()),
        },
        TaskError::Content(_) => Outcome::Dead {
            error: Failure::permanent("content", error.to_string()),
        },
        TaskError::Objects(_) => Outcome::Failed {
            error: Failure::retryable("storage", error.to_string()),
        },
        // Another worker may have the program, or more memory.
        TaskError::Child(ChildError::Failed {
            program, status, ..
        }) => Outcome::Failed {
            error: Failure::retryable("program", format!("{program} failed with {status}")),
        },
        TaskError::Child(_) | TaskError::Press(_) | TaskError::Scratch(_) | TaskError::Model(_) => {
            Outcome::Failed {
                error: Failure::retryable("program", error.to_string()),
            }
        }
    }
}
