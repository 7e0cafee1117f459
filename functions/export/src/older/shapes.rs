//! What goes in and out under compatible names.

use gristmill_core::export::Export;
use gristmill_core::{Code, Problem};
use gristmill_edge::storage::Store;
use gristmill_rpc as rpc;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::files;

/// The body of `POST /api/v1/export/pdf`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Order {
    pub(super) document_id: Uuid,
    pub(super) template_slug: Option<String>,
    #[serde(default)]
    pub(super) options: Map<String, Value>,
}

/// The body of `POST /api/v1/export/batch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchOrder {
    #[schemars(length(min = 1, max = 10))]
    pub(super) document_ids: Vec<Uuid>,
    pub(super) template_slug: Option<String>,
    #[serde(default)]
    pub(super) options: Map<String, Value>,
}

/// An answer, bare and below `data`. It describes; [`both`] makes it.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) struct Both<T> {
    #[serde(flatten)]
    bare: T,
    data: T,
}

/// An answer, bare and below `data`. By way of a value: serde's own flattening costs 2 KB per type.
pub(super) fn both(answer: &impl Serialize) -> Result<Value, Problem> {
    let mut written = serde_json::to_value(answer).map_err(|error| {
        Problem::new(Code::Internal, "The answer could not be written.").because(error)
    })?;
    let data = written.clone();
    if let Some(fields) = written.as_object_mut() {
        fields.insert("data".to_owned(), data);
    }
    Ok(written)
}

/// The answer to a requested export.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ordered {
    pub(super) job_id: String,
}

/// The answer to a requested batch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderedBatch {
    pub(super) batch_id: Uuid,
    /// The jobs, in the order of the documents.
    pub(super) jobs: Vec<OrderedJob>,
}

/// One job of a batch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderedJob {
    job_id: String,
    document_id: Option<Uuid>,
}

impl From<&Export> for OrderedJob {
    fn from(export: &Export) -> Self {
        Self {
            job_id: export.id.to_string(),
            document_id: export.document_id,
        }
    }
}

/// An export under its compatible names.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Job {
    id: String,
    /// The same as `id`.
    job_id: String,
    document_id: Option<Uuid>,
    /// pending, processing, completed, failed or cancelled.
    status: String,
    progress: i32,
    /// A link to the file, once the file exists. The link needs no token and expires after one hour.
    result_url: Option<String>,
    /// Why the export failed.
    error: Option<String>,
}

impl Job {
    pub(super) async fn shown(export: &Export, store: Option<&Store>) -> Self {
        let status = status(&export.status);
        Self {
            id: export.id.to_string(),
            job_id: export.id.to_string(),
            document_id: export.document_id,
            status: status.to_owned(),
            progress: export.progress,
            result_url: result_url(export, store).await,
            error: export.message.clone().filter(|_| status == "failed"),
        }
    }
}

/// Where the file of an export is. Where nobody can sign a link, it is the route that does so for a token.
pub(super) async fn result_url(export: &Export, store: Option<&Store>) -> Option<String> {
    if export.result_url.is_some() {
        return export.result_url.clone();
    }
    let file = export.file.as_ref()?;
    let signed = files::address(store, file).await;
    Some(signed.unwrap_or_else(|| format!("/api/v1/export/download/{}", export.id)))
}

/// What clients of the older system know as pending has more than one word here.
pub(super) fn status(ours: &str) -> &str {
    match ours {
        "retrying" | "deferred" => "pending",
        other => other,
    }
}

/// The answer to a cancelled export.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Cancelled {
    pub(super) message: String,
}

/// The answer for a batch whose exports are not all finished.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Partial {
    pub(super) completed_count: u32,
    pub(super) total_count: u32,
    pub(super) completed_jobs: Vec<Job>,
}

/// The answer of the cleanup.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deleted {
    pub(super) deleted_count: usize,
}

/// What an EventSource sends in place of a token: `?ticket=…`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ticket {
    ticket: String,
    expires_at: String,
}

impl From<rpc::Ticket> for Ticket {
    fn from(ticket: rpc::Ticket) -> Self {
        Self {
            ticket: ticket.ticket,
            expires_at: ticket.expires_at,
        }
    }
}
