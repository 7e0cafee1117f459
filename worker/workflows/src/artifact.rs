//! Where a task may write, and what it says about it afterwards.

use gristmill_files::{BUCKET, BadKey, ObjectKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::TaskError;
use gristmill_runner::Context;

/// Where artifacts lie that no other task reads.
const ARTIFACTS: &str = "job-artifacts";

/// Whose task it is: part of every input, and of every path.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Place {
    user: Uuid,
    job: Uuid,
    task: Uuid,
}

/// The types of artifacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Audio,
    AudioM4a,
    Pdf,
    /// The list of what was made.
    List,
    /// What later tasks read. Workers of release 0.1.0 look for it in [`BUCKET`] only.
    Text,
}

impl Form {
    const fn name(self) -> &'static str {
        match self {
            Self::Audio => "audio_mp3",
            Self::AudioM4a => "audio_m4a",
            Self::Pdf => "pdf",
            Self::List | Self::Text => "json",
        }
    }

    const fn bucket(self) -> &'static str {
        match self {
            Self::Audio | Self::AudioM4a | Self::Pdf | Self::List => ARTIFACTS,
            Self::Text => BUCKET,
        }
    }

    const fn folder_and_ending(self) -> (&'static str, &'static str) {
        match self {
            Self::Audio => ("audio", "mp3"),
            Self::AudioM4a => ("audio", "m4a"),
            Self::Pdf => ("pdf", "pdf"),
            Self::List | Self::Text => ("json", "json"),
        }
    }

    const fn content_type(self) -> &'static str {
        match self {
            Self::Audio => "audio/mpeg",
            Self::AudioM4a => "audio/mp4",
            Self::Pdf => "application/pdf",
            Self::List | Self::Text => "application/json",
        }
    }
}

/// An artifact, as a task's result names it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Made {
    pub(super) r#type: String,
    pub(super) storage_path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) bucket: Option<String>,
    pub(super) bytes: u64,
    pub(super) sha256: String,
    pub(super) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) duration_seconds: Option<f64>,
}

impl Place {
    fn path(self, form: Form, name: Option<&str>) -> String {
        let (folder, ending) = form.folder_and_ending();
        let task = self.task.to_string();
        let name = name.unwrap_or(&task);
        format!("{}/{}/{folder}/{name}.{ending}", self.user, self.job)
    }

    /// The job: what is chosen by chance in its texts follows from it.
    pub(super) const fn job(self) -> Uuid {
        self.job
    }

    /// Stores an artifact under the task's own name.
    pub(super) async fn store(
        self,
        form: Form,
        title: &str,
        content: Vec<u8>,
        context: &Context<'_>,
    ) -> Result<Made, TaskError> {
        self.store_as(None, form, title, content, context).await
    }

    /// Stores an artifact. The object first: a row that names nothing is never written. A name is a word of small letters.
    pub(super) async fn store_as(
        self,
        name: Option<&str>,
        form: Form,
        title: &str,
        content: Vec<u8>,
        context: &Context<'_>,
    ) -> Result<Made, TaskError> {
        let path = self.path(form, name);
        let made = Made {
            r#type: form.name().to_owned(),
            storage_path: path.clone(),
            bucket: Some(form.bucket().to_owned()),
            bytes: content.len() as u64,
            sha256: hex(&Sha256::digest(&content)),
            title: title.to_owned(),
            duration_seconds: None,
        };
        let key = ObjectKey::within(form.bucket(), &path).map_err(bad)?;
        context
            .storage
            .put(&key, form.content_type(), content)
            .await?;
        Ok(made)
    }
}

/// A path that another task gave.
pub(super) fn key(path: &str) -> Result<ObjectKey, TaskError> {
    path.parse().map_err(bad)
}

fn bad(error: BadKey) -> TaskError {
    TaskError::Input(error.to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_user_job_form_and_task() {
        let id = |n: u128| Uuid::from_u128(n);
        let place = Place {
            user: id(1),
            job: id(2),
            task: id(3),
        };
        let path = place.path(Form::Audio, None);
        assert_eq!(path, format!("{}/{}/audio/{}.mp3", id(1), id(2), id(3)));
        assert!(key(&path).is_ok());
        let named = place.path(Form::Pdf, Some("full_nuclear"));
        assert_eq!(named, format!("{}/{}/pdf/full_nuclear.pdf", id(1), id(2)));
    }

    #[test]
    fn a_path_that_climbs_is_no_key() {
        assert!(key("a/../b").is_err());
    }
}
