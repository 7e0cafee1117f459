//! R2's objects under signed links: what a browser is redirected to, and how the container worker reaches them.

use chrono::Utc;
use futures_util::StreamExt;
use gristmill_shared::edge::{Call, Config, Reply};
use gristmill_shared::storage::link::Right;
use gristmill_shared::storage::{Body, ObjectKey, Storage, Store};
use gristmill_shared::{Code, Problem};

fn refused() -> Problem {
    Problem::new(Code::BadSignature, "The link is not valid, or no longer.")
}

fn check(call: &Call, config: &Config, right: Right, key: &str) -> Result<(), Problem> {
    let expires = call.query("expires").ok_or_else(refused)?;
    let signature = call.query("signature").ok_or_else(refused)?;
    let now = Utc::now().timestamp();
    config
        .files_signer()?
        .verify(right, key, &expires, &signature, now)
        .map_err(|_| refused())
}

fn open(config: &Config) -> Result<Store, Problem> {
    match Store::open(config, "")? {
        store @ Store::R2(_) => Ok(store),
        // Supabase signs its own links; nothing is served here.
        Store::Supabase(_) => Err(Problem::new(
            Code::NotFound,
            "There is nothing at this path.",
        )),
    }
}

fn key(call: &Call, config: &Config, right: Right) -> Result<ObjectKey, Problem> {
    let key = call.query("key").ok_or_else(refused)?;
    check(call, config, right, &key)?;
    key.parse().map_err(|_| refused())
}

pub(crate) async fn read(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let store = open(config)?;
    if let Some(prefix) = call.query("prefix") {
        check(call, config, Right::List, &prefix)?;
        let listing = store.list(&prefix, call.query("cursor").as_deref()).await?;
        return Reply::json(200, &listing);
    }
    let found = store.get(&key(call, config, Right::Get)?).await?;
    // As an attachment that is not sniffed: an upload must not become a page of ours.
    let reply = Reply::stream("application/octet-stream", found.stream)
        .with("content-type", found.content_type)
        .with("content-disposition", "attachment");
    Ok(reply)
}

pub(crate) async fn write(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let store = open(config)?;
    let key = key(call, config, Right::Put)?;
    let content_type = call
        .header("content-type")
        .unwrap_or_else(|| "application/octet-stream".to_owned());
    let body = Body::Stream(call.stream()?.boxed_local());
    store.put(&key, &content_type, body).await?;
    Ok(Reply::empty(204))
}

pub(crate) async fn remove(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let store = open(config)?;
    store.remove(&[key(call, config, Right::Delete)?]).await?;
    Ok(Reply::empty(204))
}
