//! The documented routes: camel case outside, the same exports inside. Options that are not known are passed over,
//! as they always were.

use gristmill_shared::Problem;
use gristmill_shared::edge::{Call, Config, Reply};
use gristmill_shared::export::Export;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::handler::{rpc, unknown};

/// The body of `POST /api/v1/export/pdf`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Order {
    document_id: Uuid,
    template_slug: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
}

/// The body of `POST /api/v1/export/batch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchOrder {
    #[schemars(length(min = 1, max = 10))]
    document_ids: Vec<Uuid>,
    template_slug: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
}

/// What asking for one answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ordered {
    job_id: String,
}

/// What asking for a batch answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderedBatch {
    batch_id: Uuid,
    jobs: Vec<Job>,
}

/// An export under its documented names.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Job {
    job_id: String,
    document_id: Option<Uuid>,
    /// pending, processing, completed, failed or cancelled.
    status: String,
    progress: i32,
    /// Where to download it, once it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    download_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<Export> for Job {
    fn from(export: Export) -> Self {
        let status = match export.status.as_str() {
            "retrying" | "deferred" => "pending",
            other => other,
        };
        Self {
            job_id: export.id.to_string(),
            document_id: export.document_id,
            status: status.to_owned(),
            progress: export.progress,
            download_url: export
                .file
                .map(|_| format!("/api/v1/export/download/{}", export.id)),
            error: export.message.filter(|_| status == "failed"),
        }
    }
}

pub(crate) async fn request(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = rpc(call, config)?;
    let order: Order = call.json().await?;
    let template = template(order.template_slug.as_deref(), &order.options);
    let options = json!(order.options);
    let export = rpc
        .request_export(order.document_id, &template, &options, &call.correlation_id)
        .await?;
    Reply::json(
        202,
        &Ordered {
            job_id: export.id.to_string(),
        },
    )
}

pub(crate) async fn request_batch(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = rpc(call, config)?;
    let order: BatchOrder = call.json().await?;
    let template = template(order.template_slug.as_deref(), &order.options);
    let options = json!(order.options);
    let batch = rpc
        .request_export_batch(
            &order.document_ids,
            &template,
            &options,
            &call.correlation_id,
        )
        .await?;
    let jobs = batch.exports.into_iter().map(Job::from).collect();
    Reply::json(
        202,
        &OrderedBatch {
            batch_id: batch.id,
            jobs,
        },
    )
}

pub(crate) async fn show(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let export = rpc(call, config)?.get_export(call.param("id")?).await?;
    Reply::json_unless_seen(call, &Job::from(export.ok_or_else(unknown)?))
}

pub(crate) async fn cancel(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let export = rpc(call, config)?.cancel_export(call.param("id")?).await?;
    Reply::json(200, &Job::from(export))
}

fn template(slug: Option<&str>, options: &Map<String, Value>) -> String {
    slug.or_else(|| options.get("templateSlug").and_then(Value::as_str))
        .unwrap_or("minimal")
        .to_owned()
}
