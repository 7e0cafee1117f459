//! R2's objects under signed links: what a browser is redirected to, and how the container worker reaches them.

use chrono::Utc;
use futures_util::StreamExt;
use gristmill_core::cors::READ;
use gristmill_core::download::attachment;
use gristmill_core::{Code, Problem};
use gristmill_edge::storage::{Body, ObjectKey, R2, Storage, Store};
use gristmill_edge::{Call, Config, Reply};
use gristmill_files::link::Right;
use worker::Method;

fn refused() -> Problem {
    Problem::new(
        Code::BadSignature,
        "The link is not valid or has expired. Ask for a new link.",
    )
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

fn open(config: &Config) -> Result<R2, Problem> {
    match Store::open(config, "")? {
        Store::R2(store) => Ok(store),
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
    let key = key(call, config, Right::Get)?;
    let (range, if_range) = (call.header("range"), call.header("if-range"));
    let with_body = call.method != Method::Head;
    let found = store
        .download(&key, range.as_deref(), if_range.as_deref(), with_body)
        .await?;
    let (_, length) = found.part.span(found.size);
    let reply = match found.body {
        Some(body) => Reply::native(found.part.status(), body),
        None => Reply::empty(found.part.status()),
    };
    let reply = match found.part.content_range(found.size) {
        Some(range) => reply.with("content-range", range),
        None => reply,
    };
    let name = call.query("download").filter(|name| !name.is_empty());
    let name = name.or_else(|| key.as_str().rsplit('/').next().map(str::to_owned));
    // As an attachment that is not sniffed: an upload must not become a page of ours. Whoever has the link may read, also a page that a
    // redirect has brought here, whose origin browsers then send as null.
    Ok(reply
        .with("content-type", found.content_type)
        .with("content-length", length.to_string())
        .with("content-disposition", attachment(&name.unwrap_or_default()))
        .with("accept-ranges", "bytes")
        // Cloudflare would compress a text on its way, and the browser would not learn its length.
        .with("cache-control", "no-store, no-transform")
        .with("etag", found.etag)
        .with("access-control-allow-origin", "*")
        .with("access-control-expose-headers", READ))
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
