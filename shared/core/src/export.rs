//! An export as it crosses the wire: what its owner sees, and what the worker that makes it gets and says.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::job::JobId;

/// An export, as its owner sees it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Export {
    /// The id of the export, which is also the id of its job.
    pub id: JobId,
    /// The id of the document. Absent when the document was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_id: Option<Uuid>,
    /// The version of the document that is exported.
    pub version: i32,
    /// The title of that version.
    pub title: String,
    /// minimal, modern or classic.
    pub template: String,
    /// All options, with defaults for those that the request left out.
    pub options: Map<String, Value>,
    /// pending, processing, retrying, completed, failed or cancelled.
    pub status: String,
    /// Percent of the work that is done.
    pub progress: i32,
    /// True when the export was cancelled while its worker was making it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_requested: Option<bool>,
    /// How many attempts the export has had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<i32>,
    /// How many attempts the export may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<i32>,
    /// When the next attempt may begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<DateTime<Utc>>,
    /// Why a failed export failed. For a completed export: what the PDF shows in another way than the document has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The PDF, once it can be downloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<ExportFile>,
    /// An address outside of our storage, where the user's own worker has put the file. Compat clients know it as result_url.
    #[serde(default, skip_serializing)]
    pub result_url: Option<String>,
    /// When the export was requested.
    pub created_at: DateTime<Utc>,
    /// When the last attempt began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<DateTime<Utc>>,
    /// When the export ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<DateTime<Utc>>,
}

/// A file that can be downloaded.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ExportFile {
    /// The name under which browsers save the file.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
    /// How many pages the PDF has.
    pub pages: u32,
    /// How often the file was downloaded.
    pub downloads: u32,
    /// When the file is removed.
    pub expires_at: DateTime<Utc>,
    /// Where it lies in storage. Functions sign links to it; callers are not told.
    #[serde(default, skip_serializing)]
    pub path: Option<String>,
}

/// Exports that were asked for together.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ExportBatch {
    /// Its id.
    pub id: Uuid,
    /// When the export was requested.
    pub created_at: DateTime<Utc>,
    /// How many exports the batch has.
    pub total: u32,
    /// How many of them have ended.
    pub done: u32,
    /// How many of those have a file.
    pub completed: u32,
    /// The exports, in the order of the documents.
    pub exports: Vec<Export>,
}

/// Where a file lies and what it is called.
#[derive(Debug, Clone, Deserialize)]
pub struct StoredFile {
    /// The object's key.
    pub path: String,
    /// What it is called when it is saved.
    pub name: String,
    /// In bytes.
    pub size: u64,
}

/// What a worker is to make.
#[derive(Debug, Deserialize)]
pub struct ExportSource {
    /// The document's title.
    pub title: String,
    /// The template's name.
    pub template: String,
    /// As asked for.
    pub options: Value,
    /// The document's content.
    pub data: Value,
    /// When the export was requested.
    pub created_at: DateTime<Utc>,
}

/// A file that a worker has stored.
#[derive(Debug)]
pub struct FinishedExport<'a> {
    /// The object's key, as it was reserved.
    pub path: &'a str,
    /// What it is called when it is saved.
    pub name: &'a str,
    /// How many pages.
    pub pages: usize,
    /// What its owner should know of it.
    pub note: Option<&'a str>,
}
