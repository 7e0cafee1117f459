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
    /// Its id, which is also its job's.
    pub id: JobId,
    /// The document, while there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_id: Option<Uuid>,
    /// Which version of it.
    pub version: i32,
    /// The document's title then.
    pub title: String,
    /// minimal, modern or classic.
    pub template: String,
    /// All of them, also those that were not given.
    pub options: Map<String, Value>,
    /// pending, processing, retrying, completed, failed or cancelled.
    pub status: String,
    /// In percent.
    pub progress: i32,
    /// Cancelling was asked for while it was being made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_requested: Option<bool>,
    /// How often it was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<i32>,
    /// How often it will be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<i32>,
    /// When it is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<DateTime<Utc>>,
    /// Why it failed; of a completed one, what was set in another way than it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What can be downloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<ExportFile>,
    /// An address outside of our storage, where a worker of the user's own has put the file. For compat clients, which know it as result_url.
    #[serde(default, skip_serializing)]
    pub result_url: Option<String>,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// When its last attempt began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<DateTime<Utc>>,
}

/// A file that can be downloaded.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ExportFile {
    /// What it is called when it is saved.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// How many pages.
    pub pages: u32,
    /// How often it was downloaded.
    pub downloads: u32,
    /// Until then it is kept.
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
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// How many exports.
    pub total: u32,
    /// How many of them have ended.
    pub done: u32,
    /// How many of those have a file.
    pub completed: u32,
    /// In the order of the documents.
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
    /// When it was asked for.
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
