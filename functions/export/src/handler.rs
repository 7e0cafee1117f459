//! Take apart, ask Postgres, answer.

use gristmill_core::job::JobId;
use gristmill_core::{Code, Problem};
use gristmill_edge::{Call, Config, Reply, sse};
use gristmill_rpc::{Rpc, RpcError};
use serde_json::json;
use uuid::Uuid;

use crate::domain::{BatchOrder, Order, Page};

pub(crate) async fn request(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = rpc(call, config)?;
    let order: Order = call.json().await?;
    let export = rpc
        .request_export(
            order.document_id,
            order.template.name(),
            &json!(order.options),
            &call.correlation_id,
        )
        .await?;
    Reply::json(202, &export)
}

pub(crate) async fn request_batch(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = rpc(call, config)?;
    let order: BatchOrder = call.json().await?;
    let batch = rpc
        .request_export_batch(
            &order.document_ids,
            order.template.name(),
            &json!(order.options),
            &call.correlation_id,
        )
        .await?;
    Reply::json(202, &batch)
}

pub(crate) async fn list(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let page: Page = call.read_query()?;
    let rpc = rpc(call, config)?;
    let exports = rpc.list_exports(page.limit()?, page.before).await?;
    Reply::json_unless_seen(call, &exports)
}

pub(crate) async fn show(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let export = rpc(call, config)?.get_export(call.param("id")?).await?;
    Reply::json_unless_seen(call, &export.ok_or_else(unknown)?)
}

pub(crate) async fn show_batch(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let batch = rpc(call, config)?
        .get_export_batch(call.param("id")?)
        .await?;
    Reply::json_unless_seen(call, &batch.ok_or_else(unknown)?)
}

pub(crate) async fn cancel(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let export = rpc(call, config)?.cancel_export(call.param("id")?).await?;
    Reply::json(200, &export)
}

pub(crate) async fn delete_file(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let export = rpc(call, config)?
        .delete_export_file(call.param("id")?)
        .await?;
    Reply::json(200, &export)
}

pub(crate) async fn events(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let id: JobId = call.param("id")?;
    let rpc = config.rpc_for_reader(call)?;
    sse::reply(call, config, async move |after| {
        found(rpc.export_events(id, after).await)
    })
    .await
}

pub(crate) async fn ticket(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let ticket = rpc(call, config)?.export_ticket(call.param("id")?).await?;
    Reply::json(200, &ticket.ok_or_else(unknown)?)
}

pub(crate) async fn batch_ticket(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let ticket = rpc(call, config)?
        .export_batch_ticket(call.param("id")?)
        .await?;
    Reply::json(200, &ticket.ok_or_else(unknown)?)
}

pub(crate) async fn batch_events(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let id: Uuid = call.param("id")?;
    let rpc = config.rpc_for_reader(call)?;
    sse::reply(call, config, async move |after| {
        found(rpc.export_batch_events(id, after).await)
    })
    .await
}

pub(crate) fn found<T>(answer: Result<Option<T>, RpcError>) -> Result<T, Problem> {
    answer?.ok_or_else(unknown)
}

/// Postgres with the caller's own rights.
pub(crate) fn rpc(call: &Call, config: &Config) -> Result<Rpc, Problem> {
    Ok(config
        .rpc_for(&call.token()?)?
        .correlated(&call.correlation_id))
}

/// The same for what does not exist and for what is another's.
pub(crate) fn unknown() -> Problem {
    Problem::new(
        Code::NotFound,
        "There is no such export, or it is not yours.",
    )
}
