//! Everything about a document that is there already.

use gristmill_core::{Code, Problem};
use gristmill_edge::storage::{Storage, Store};
use gristmill_edge::{Call, Config, Reply, sse};
use gristmill_files::saved_as;
use uuid::Uuid;

use crate::domain::{Listing, Review};

/// How long a link to a file is good.
const LINK_SECONDS: u32 = 300;

fn no_such_document() -> Problem {
    Problem::new(
        Code::NotFound,
        "There is no such document, or it is not yours.",
    )
}

pub(crate) async fn list(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let asked: Listing = call.read_query()?;
    let documents = rpc
        .list_documents(asked.profile_id, asked.before, asked.limit)
        .await?;
    Reply::json(200, &documents)
}

pub(crate) async fn show(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let document = rpc
        .get_document(call.param("id")?)
        .await?
        .ok_or_else(no_such_document)?;
    Reply::json_unless_seen(call, &document)
}

pub(crate) async fn ticket(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let ticket = rpc.document_ticket(call.param("id")?).await?;
    Reply::json(200, &ticket.ok_or_else(no_such_document)?)
}

pub(crate) async fn events(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for_reader(call)?;
    let id: Uuid = call.param("id")?;
    let poll = async move |after| {
        let found: Option<sse::Polled> = rpc.document_events(id, after).await?;
        found.ok_or_else(no_such_document)
    };
    sse::reply(call, config, poll).await
}

pub(crate) async fn file(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let token = call.token()?;
    let id: Uuid = call.param("id")?;
    let file = config
        .rpc_for(&token)?
        .document_file(id)
        .await?
        .ok_or_else(no_such_document)?;
    let link = Store::open(config, &token)?
        .sign(&file.path, LINK_SECONDS)
        .await?;
    Ok(Reply::redirect(match file.name {
        Some(name) => saved_as(&link, &name),
        None => link,
    }))
}

pub(crate) async fn reprocess(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    Reply::json(202, &rpc.reprocess_document(call.param("id")?).await?)
}

pub(crate) async fn review(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let id: Uuid = call.param("id")?;
    let Review { decision, note } = call.json().await?;
    let note = note.as_deref();
    Reply::json(200, &rpc.review_document(id, decision.into(), note).await?)
}

// Tombstone, objects, row: what is interrupted goes on at the next call, or in the sweep.
pub(crate) async fn erase(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let token = call.token()?;
    let id: Uuid = call.param("id")?;
    let rpc = config.rpc_for(&token)?;
    let places = rpc.begin_erase_document(id).await?;
    // A quarantined object is out of the caller's reach; the sweep removes it with the row.
    let (quarantined, ours): (Vec<_>, Vec<_>) = places
        .into_iter()
        .partition(|place| place.name().starts_with("quarantine/"));
    if !ours.is_empty() {
        Store::open(config, &token)?.remove(&ours).await?;
    }
    if quarantined.is_empty() {
        rpc.finish_erase_document(id).await?;
    }
    Ok(Reply::empty(204))
}
