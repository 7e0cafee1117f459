//! The compatible routes: camel case outside, the same exports inside. Options that are not known are passed over, as they always were.
//!
//! Some clients of the older system read an answer as it is, others look below `data`. Every answer has both.

mod shapes;
mod stream;

use futures_util::future::join_all;
use gristmill_core::{Code, Problem};
use gristmill_edge::storage::{self, Store};
use gristmill_edge::{Call, Config, Reply};
use gristmill_rpc::RpcError;
use serde_json::{Map, Value, json};

use crate::files;
use crate::handler::{rpc, unknown};

use shapes::both;
pub(crate) use shapes::{
    BatchOrder, Both, Cancelled, Deleted, Job, Order, Ordered, OrderedBatch, OrderedJob, Partial,
    Ticket,
};
pub(crate) use stream::stream;

/// The step of cleanup that removes expired files, and how many pieces of it one request does at the most.
const STEP: &str = "export_files";
const MOST_PIECES: usize = 20;

pub(crate) async fn request(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = rpc(call, config)?;
    let order: Order = call.json().await?;
    let template = template(order.template_slug.as_deref(), &order.options);
    let options = json!(order.options);
    let export = rpc
        .request_export(order.document_id, &template, &options, &call.correlation_id)
        .await
        .map_err(refused)?;
    let ordered = Ordered {
        job_id: export.id.to_string(),
    };
    Reply::json(202, &both(&ordered)?)
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
        .await
        .map_err(refused)?;
    let ordered = OrderedBatch {
        batch_id: batch.id,
        jobs: batch.exports.iter().map(OrderedJob::from).collect(),
    };
    Reply::json(202, &both(&ordered)?)
}

pub(crate) async fn show(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let export = rpc(call, config)?.get_export(call.param("id")?).await?;
    let store = files::store_for_reader(call, config);
    let job = Job::shown(&export.ok_or_else(unknown)?, store.as_ref()).await;
    Reply::json_unless_seen(call, &both(&job)?)
}

pub(crate) async fn cancel(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let export = rpc(call, config)?.cancel_export(call.param("id")?).await?;
    let message = match export.status.as_str() {
        "cancelled" => "The export was cancelled.",
        _ => "The export is being cancelled.",
    };
    let cancelled = Cancelled {
        message: message.to_owned(),
    };
    Reply::json(200, &both(&cancelled)?)
}

pub(crate) async fn ticket(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let ticket = rpc(call, config)?.export_ticket(call.param("id")?).await?;
    let ticket = Ticket::from(ticket.ok_or_else(unknown)?);
    Reply::json(200, &both(&ticket)?)
}

pub(crate) async fn zip(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let id: uuid::Uuid = call.param("id")?;
    match files::zip_as(call, config, &format!("resumes-{id}.zip")).await {
        Err(problem) if problem.code == Code::NotFinished => {
            partial(call, config, id).await?.ok_or(problem)
        }
        zipped => zipped,
    }
}

// 206, as the older system answers, while some are being made. None where all have ended without a file.
async fn partial(call: &Call, config: &Config, id: uuid::Uuid) -> Result<Option<Reply>, Problem> {
    let batch = rpc(call, config)?.get_export_batch(id).await?;
    let batch = batch.ok_or_else(unknown)?;
    if batch.done == batch.total {
        return Ok(None);
    }
    let store = files::store_for_reader(call, config);
    let finished = batch.exports.iter().filter(|export| export.file.is_some());
    let finished = finished.map(|export| Job::shown(export, store.as_ref()));
    let partial = Partial {
        completed_count: batch.completed,
        total_count: batch.total,
        completed_jobs: join_all(finished).await,
    };
    Reply::json(206, &both(&partial)?).map(Some)
}

/// Removes what has expired; for the service alone, which Postgres checks.
pub(crate) async fn cleanup(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = rpc(call, config)?;
    let token = call.token()?;
    let mut deleted_count = 0;
    for _ in 0..MOST_PIECES {
        let open = || Store::open(config, &token);
        let piece = storage::clean(&rpc, open, STEP).await?;
        if let Some(error) = piece.error {
            let problem = Problem::new(Code::DatabaseUnavailable, "Try again in a few seconds.");
            return Err(problem.because(error));
        }
        deleted_count += piece.remove.len();
        if !piece.more {
            break;
        }
    }
    Reply::json(200, &both(&Deleted { deleted_count })?)
}

// Figures of storage in MB of 2^20 bytes, in the sentence and beside it.
fn refused(error: RpcError) -> Problem {
    let mut problem = Problem::from(error);
    if problem.code == Code::StorageFull {
        let figure = |name: &str| problem.figures.get(name).and_then(Value::as_f64);
        if let (Some(used), Some(limit)) = (figure("used"), figure("limit")) {
            let (used, limit) = (megabytes(used), megabytes(limit));
            problem.detail = format!(
                "Your exports use {used} MB of {limit} MB. Delete some with DELETE /v1/exports/{{id}}/file or from export_history, or wait until they expire."
            );
            problem.figures.insert("used".to_owned(), used.into());
            problem.figures.insert("limit".to_owned(), limit.into());
        }
    }
    problem
}

fn megabytes(bytes: f64) -> f64 {
    (bytes / 1_048_576.0 * 100.0).round() / 100.0
}

fn template(slug: Option<&str>, options: &Map<String, Value>) -> String {
    slug.or_else(|| options.get("templateSlug").and_then(Value::as_str))
        .unwrap_or("minimal")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_storage_is_told_in_megabytes() {
        let mut figures = Map::new();
        figures.insert("used".to_owned(), 104_333_312.into());
        figures.insert("limit".to_owned(), 104_857_600.into());
        let problem = refused(RpcError::Refused {
            status: 400,
            code: "GM051".to_owned(),
            message: "your exports use 104333312 of 104857600 bytes".to_owned(),
            details: None,
            figures,
            retry_after: None,
        });
        assert_eq!(problem.code.status(), 507);
        assert_eq!(problem.figures["used"], 99.5);
        assert_eq!(problem.figures["limit"], 100.0);
        assert!(
            problem.detail.contains("99.5 MB of 100 MB"),
            "{}",
            problem.detail
        );
    }
}
