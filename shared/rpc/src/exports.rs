//! The calls about exports: what users ask for, and what the worker that makes them says.

use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Rpc, RpcError, Ticket};
use gristmill_core::event::Polled;
use gristmill_core::export::{Export, ExportBatch, ExportSource, FinishedExport, StoredFile};
use gristmill_core::job::{Holder, JobId};

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

impl Rpc {
    /// A ticket for [`Rpc::export_events`] and [`Rpc::get_export`]; none for what is not the caller's.
    pub async fn export_ticket(&self, id: JobId) -> Result<Option<Ticket>, RpcError> {
        self.ticket_for("export_events", json!({ "p_id": id }))
            .await
    }

    /// A ticket for `export_batch_events`.
    pub async fn export_batch_ticket(&self, id: Uuid) -> Result<Option<Ticket>, RpcError> {
        self.ticket_for("export_batch_events", json!({ "p_id": id }))
            .await
    }

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
        self.exports().create("request_export", &asked).await
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
        self.exports().create("request_export_batch", &asked).await
    }

    /// One export of the caller's.
    pub async fn get_export(&self, id: JobId) -> Result<Option<Export>, RpcError> {
        self.exports().call("get_export", &One { p_id: id }).await
    }

    /// One batch of the caller's.
    pub async fn get_export_batch(&self, id: Uuid) -> Result<Option<ExportBatch>, RpcError> {
        self.exports()
            .call("get_export_batch", &One { p_id: id })
            .await
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
        self.exports().call("list_exports", &page).await
    }

    /// Cancels an export of the caller's.
    pub async fn cancel_export(&self, id: JobId) -> Result<Export, RpcError> {
        self.exports()
            .call("cancel_export", &One { p_id: id })
            .await
    }

    /// Deletes the file of an export of the caller's, which frees its storage.
    pub async fn delete_export_file(&self, id: JobId) -> Result<Export, RpcError> {
        self.exports()
            .call("delete_export_file", &One { p_id: id })
            .await
    }

    /// Where the file of an export lies; counted as a download.
    pub async fn download_export(&self, id: JobId) -> Result<StoredFile, RpcError> {
        self.exports()
            .call("download_export", &One { p_id: id })
            .await
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
        self.exports()
            .call("download_export_batch", &arguments)
            .await
    }

    /// What happened to an export after an event.
    pub async fn export_events(&self, id: JobId, after: u64) -> Result<Option<Polled>, RpcError> {
        let asked = After {
            p_id: id,
            p_after: after,
        };
        self.exports().call("export_events", &asked).await
    }

    /// What happened to the exports of a batch after an event.
    pub async fn export_batch_events(
        &self,
        id: Uuid,
        after: u64,
    ) -> Result<Option<Polled>, RpcError> {
        let asked = After {
            p_id: id,
            p_after: after,
        };
        self.exports().call("export_batch_events", &asked).await
    }

    /// What the worker is to make; none when it holds the export no more.
    pub async fn begin_export(&self, holder: &Holder) -> Result<Option<ExportSource>, RpcError> {
        self.exports().call("begin_export", holder).await
    }

    /// How far an export is; false when the worker holds it no more.
    pub async fn report_export(
        &self,
        holder: &Holder,
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
        self.exports().call_as(holder, "report_export", said).await
    }

    /// The key of the object that the worker is to write; none when it holds the export no more.
    pub async fn reserve_export_file(
        &self,
        holder: &Holder,
        size: usize,
    ) -> Result<Option<String>, RpcError> {
        #[derive(Serialize)]
        struct Said {
            p_size: usize,
            p_bucket: &'static str,
        }
        let said = Said {
            p_size: size,
            p_bucket: "exports",
        };
        self.exports()
            .call_as(holder, "reserve_export_file", said)
            .await
    }

    /// Completes an export whose file is stored; false when it was cancelled or lost. May be said twice.
    pub async fn finish_export(
        &self,
        holder: &Holder,
        file: &FinishedExport<'_>,
    ) -> Result<bool, RpcError> {
        #[derive(Serialize)]
        struct Said<'a> {
            p_path: &'a str,
            p_name: &'a str,
            p_pages: usize,
            #[serde(skip_serializing_if = "Option::is_none")]
            p_note: Option<&'a str>,
        }
        let said = Said {
            p_path: file.path,
            p_name: file.name,
            p_pages: file.pages,
            p_note: file.note,
        };
        self.exports().call_as(holder, "finish_export", said).await
    }
}
