//! The calls about exports: what users ask for, and what the worker that makes them says.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Rpc, RpcError};
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
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What can be downloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<ExportFile>,
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
}

#[derive(Serialize)]
struct Asked<'a, Documents> {
    #[serde(flatten)]
    documents: Documents,
    p_template: &'a str,
    p_options: &'a Value,
    p_correlation_id: &'a str,
}

#[derive(Serialize)]
struct One<Id> {
    p_id: Id,
}

#[derive(Serialize)]
struct After<Id> {
    p_id: Id,
    p_after: u64,
}

#[derive(Serialize)]
struct Held<'a, Said> {
    p_worker: &'a str,
    p_id: JobId,
    p_attempt: u32,
    #[serde(flatten)]
    said: Said,
}

impl Rpc {
    /// Asks for a PDF of one of the caller's documents.
    pub async fn request_export(
        &self,
        document: Uuid,
        template: &str,
        options: &Value,
        correlation_id: &str,
    ) -> Result<Export, RpcError> {
        #[derive(Serialize)]
        struct Document {
            p_document_id: Uuid,
        }
        let asked = Asked {
            documents: Document {
                p_document_id: document,
            },
            p_template: template,
            p_options: options,
            p_correlation_id: correlation_id,
        };
        self.call("request_export", &asked).await
    }

    /// Asks for PDFs of several of the caller's documents.
    pub async fn request_export_batch(
        &self,
        documents: &[Uuid],
        template: &str,
        options: &Value,
        correlation_id: &str,
    ) -> Result<ExportBatch, RpcError> {
        #[derive(Serialize)]
        struct Documents<'a> {
            p_document_ids: &'a [Uuid],
        }
        let asked = Asked {
            documents: Documents {
                p_document_ids: documents,
            },
            p_template: template,
            p_options: options,
            p_correlation_id: correlation_id,
        };
        self.call("request_export_batch", &asked).await
    }

    /// One export of the caller's.
    pub async fn get_export(&self, id: JobId) -> Result<Option<Export>, RpcError> {
        self.call("get_export", &One { p_id: id }).await
    }

    /// One batch of the caller's.
    pub async fn get_export_batch(&self, id: Uuid) -> Result<Option<ExportBatch>, RpcError> {
        self.call("get_export_batch", &One { p_id: id }).await
    }

    /// The caller's exports, newest first, before one of them.
    pub async fn list_exports(
        &self,
        limit: u32,
        before: Option<JobId>,
    ) -> Result<Vec<Export>, RpcError> {
        #[derive(Serialize)]
        struct Page {
            p_limit: u32,
            p_before: Option<JobId>,
        }
        let page = Page {
            p_limit: limit,
            p_before: before,
        };
        self.call("list_exports", &page).await
    }

    /// Cancels an export of the caller's.
    pub async fn cancel_export(&self, id: JobId) -> Result<Export, RpcError> {
        self.call("cancel_export", &One { p_id: id }).await
    }

    /// Where the file of an export lies; counted as a download.
    pub async fn download_export(&self, id: JobId) -> Result<StoredFile, RpcError> {
        self.call("download_export", &One { p_id: id }).await
    }

    /// Where the files of a batch lie; with `partial` also while others are being made.
    pub async fn download_export_batch(
        &self,
        id: Uuid,
        partial: bool,
    ) -> Result<Vec<StoredFile>, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_id: Uuid,
            p_partial: bool,
        }
        let arguments = Arguments {
            p_id: id,
            p_partial: partial,
        };
        self.call("download_export_batch", &arguments).await
    }

    /// What happened to an export after an event.
    #[cfg(feature = "edge")]
    pub async fn export_events(
        &self,
        id: JobId,
        after: u64,
    ) -> Result<Option<crate::edge::sse::Polled>, RpcError> {
        let asked = After {
            p_id: id,
            p_after: after,
        };
        self.call("export_events", &asked).await
    }

    /// What happened to the exports of a batch after an event.
    #[cfg(feature = "edge")]
    pub async fn export_batch_events(
        &self,
        id: Uuid,
        after: u64,
    ) -> Result<Option<crate::edge::sse::Polled>, RpcError> {
        let asked = After {
            p_id: id,
            p_after: after,
        };
        self.call("export_batch_events", &asked).await
    }

    /// What the worker is to make; none when it holds the export no more.
    pub async fn begin_export(
        &self,
        worker: &str,
        id: JobId,
        attempt: u32,
    ) -> Result<Option<ExportSource>, RpcError> {
        self.say("begin_export", worker, id, attempt, ()).await
    }

    /// How far an export is; false when the worker holds it no more.
    pub async fn report_export(
        &self,
        worker: &str,
        id: JobId,
        attempt: u32,
        progress: u8,
        message: &str,
    ) -> Result<bool, RpcError> {
        #[derive(Serialize)]
        struct Said<'a> {
            p_progress: u8,
            p_message: &'a str,
        }
        let said = Said {
            p_progress: progress,
            p_message: message,
        };
        self.say("report_export", worker, id, attempt, said).await
    }

    /// The key of the object that the worker is to write; none when it holds the export no more.
    pub async fn reserve_export_file(
        &self,
        worker: &str,
        id: JobId,
        attempt: u32,
        size: usize,
    ) -> Result<Option<String>, RpcError> {
        #[derive(Serialize)]
        struct Said {
            p_size: usize,
        }
        let said = Said { p_size: size };
        self.say("reserve_export_file", worker, id, attempt, said)
            .await
    }

    /// Completes an export whose file is stored; false when it was cancelled or lost.
    pub async fn finish_export(
        &self,
        worker: &str,
        id: JobId,
        attempt: u32,
        file: FinishedExport<'_>,
    ) -> Result<bool, RpcError> {
        #[derive(Serialize)]
        struct Said<'a> {
            p_path: &'a str,
            p_name: &'a str,
            p_pages: usize,
        }
        let said = Said {
            p_path: file.path,
            p_name: file.name,
            p_pages: file.pages,
        };
        self.say("finish_export", worker, id, attempt, said).await
    }

    async fn say<T: serde::de::DeserializeOwned>(
        &self,
        function: &'static str,
        worker: &str,
        id: JobId,
        attempt: u32,
        said: impl Serialize,
    ) -> Result<T, RpcError> {
        let held = Held {
            p_worker: worker,
            p_id: id,
            p_attempt: attempt,
            said,
        };
        self.call(function, &held).await
    }
}
