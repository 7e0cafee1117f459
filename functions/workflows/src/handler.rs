//! Take apart, ask Postgres, answer.

use chrono::Utc;
use gristmill_core::job::JobId;
use gristmill_core::{Code, Problem};
use gristmill_edge::storage::{ObjectKey, Storage, Store};
use gristmill_edge::{Call, Config, Reply, sse};
use gristmill_rpc::Rpc;

use crate::domain::{Look, Order, Page, Shown, url_period};

pub(crate) async fn start(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = rpc(call, config)?;
    let order: Order = call.json().await?;
    let job = order.into_workflow(call.idempotency_key()?, call.correlation_id.clone())?;
    let started = rpc.start_workflow(&job).await?;
    Ok(Reply::json(202, &started)?.replayed(!started.new))
}

pub(crate) async fn list(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let page: Page = call.read_query()?;
    let rpc = rpc(call, config)?;
    let jobs = rpc.list_workflows(page.limit()?, page.before).await?;
    Reply::json_unless_seen(call, &jobs)
}

pub(crate) async fn show(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let look: Look = call.read_query()?;
    shown(call, config, look.seconds()?, |shown| {
        Reply::json(200, &shown)
    })
    .await
}

/// A job with URLs of what it made, or an empty 304 for a caller who has seen it: then nothing is signed. Postgres has said by then
/// that it is the caller's, and every path is below its user.
pub(crate) async fn shown(
    call: &Call,
    config: &Config,
    seconds: u32,
    reply: impl FnOnce(Shown) -> Result<Reply, Problem>,
) -> Result<Reply, Problem> {
    let job = rpc(call, config)?.get_workflow(call.param("id")?).await?;
    let job = job.ok_or_else(unknown)?;
    // A name under which nothing can be stored has no URL.
    let keys: Vec<_> = job.artifacts.iter().map(|made| made.key().ok()).collect();
    let mut shown = Shown::new(job);
    let tag = Reply::tag_of(&(&shown, seconds, url_period(seconds, Utc::now().timestamp())))?;
    if let Some(seen) = Reply::if_seen(call, &tag) {
        return Ok(seen);
    }
    let known: Vec<ObjectKey> = keys.iter().flatten().cloned().collect();
    if !known.is_empty() {
        let store = Store::open(config, &call.token()?)?;
        let mut urls = store.sign_many(&known, seconds).await?.into_iter();
        let placed = shown.artifacts.iter_mut().zip(&keys);
        for (artifact, _) in placed.filter(|(_, key)| key.is_some()) {
            artifact.url = urls.next().flatten();
        }
    }
    Ok(reply(shown)?.tagged(&tag))
}

pub(crate) async fn events(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let id: JobId = call.param("id")?;
    let rpc = config.rpc_for_reader(call)?;
    sse::reply(call, config, async move |after| {
        rpc.workflow_events(id, after).await?.ok_or_else(unknown)
    })
    .await
}

pub(crate) async fn ticket(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let ticket = rpc(call, config)?
        .workflow_ticket(call.param("id")?)
        .await?;
    Reply::json(200, &ticket.ok_or_else(unknown)?)
}

pub(crate) async fn cancel(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let cancelled = rpc(call, config)?
        .cancel_workflow(call.param("id")?)
        .await?;
    Reply::json(200, &cancelled.ok_or_else(unknown)?)
}

pub(crate) async fn retry(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let resumed = rpc(call, config)?.retry_workflow(call.param("id")?).await?;
    Reply::json(202, &resumed.ok_or_else(unknown)?)
}

/// Postgres with the caller's own rights.
fn rpc(call: &Call, config: &Config) -> Result<Rpc, Problem> {
    Ok(config
        .rpc_for(&call.token()?)?
        .correlated(&call.correlation_id))
}

/// The same for what does not exist and for what is another's.
fn unknown() -> Problem {
    Problem::new(Code::NotFound, "There is no such job, or it is not yours.")
}
