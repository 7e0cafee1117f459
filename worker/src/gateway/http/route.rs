//! Which part answers a path. One address serves everything, laid out as on Supabase, so that
//! `createClient(url, key)` works unchanged; PostgREST's bare paths work beside it.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response};

use super::{Answer, body, cors};
use crate::gateway::Gateway;
use crate::gateway::refusal::Refusal;
use crate::gateway::{realtime, rest};

/// The part a path belongs to, with the path as that part sees it.
#[derive(Debug, PartialEq, Eq)]
enum Route<'a> {
    Rest(&'a str),
    Functions,
    Storage,
    Realtime,
}

fn route(path: &str) -> Route<'_> {
    if under(path, "/functions/v1").is_some() {
        return Route::Functions;
    }
    if under(path, "/storage/v1").is_some() {
        return Route::Storage;
    }
    if under(path, "/realtime/v1").is_some() {
        return Route::Realtime;
    }
    match under(path, "/rest/v1") {
        Some("") => Route::Rest("/"),
        Some(rest) => Route::Rest(rest),
        None => Route::Rest(path),
    }
}

/// What follows a prefix, if the path is that prefix or lies below it.
fn under<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(prefix)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Answers one request of the public address.
pub(crate) async fn answer(
    gateway: Arc<Gateway>,
    request: Request<Incoming>,
    peer: std::net::SocketAddr,
) -> Answer {
    let started = Instant::now();
    let _in_flight = InFlight::enter(&gateway);
    let path = request.uri().path().to_owned();
    let answer = match route(&path) {
        Route::Functions => {
            gateway
                .proxy
                .functions(&gateway.metrics, request, peer)
                .await
        }
        Route::Storage => gateway.proxy.storage(&gateway.metrics, request, peer).await,
        Route::Realtime => realtime::accept(&gateway, request),
        Route::Rest(path) => match cors::preflight(request.method(), request.headers()) {
            Some(answer) => Ok(answer),
            None => rest::serve(&gateway, path, request, peer.ip())
                .await
                .map(|mut answer| {
                    cors::open(answer.headers_mut());
                    answer
                }),
        },
    };
    let answer = answer.unwrap_or_else(|refusal| refuse(&gateway, &refusal));
    let status = answer.status().as_u16();
    gateway.metrics.answered(status, started.elapsed());
    answer
}

fn refuse(gateway: &Gateway, refusal: &Refusal) -> Answer {
    if matches!(refusal, Refusal::Token(_)) {
        gateway.metrics.tokens_refused.fetch_add(1, Relaxed);
    }
    if let Some(reason) = refusal.reason() {
        gateway.metrics.refused(reason);
    }
    if refusal.status().is_server_error() {
        tracing::warn!(code = refusal.code(), message = %refusal, "a request failed");
    }
    let mut answer = Response::new(body::whole(refusal.body()));
    *answer.status_mut() = refusal.status();
    let headers = answer.headers_mut();
    cors::open(headers);
    let json = HeaderValue::from_static("application/json; charset=utf-8");
    headers.insert(CONTENT_TYPE, json);
    if let Ok(value) = HeaderValue::try_from(format!("PostgREST; error={}", refusal.code())) {
        headers.insert("proxy-status", value);
    }
    for (name, value) in refusal.headers() {
        headers.append(name, value);
    }
    answer
}

/// Counts a request for as long as it is being answered, also when its client leaves.
struct InFlight<'a>(&'a Gateway);

impl<'a> InFlight<'a> {
    fn enter(gateway: &'a Gateway) -> Self {
        gateway.metrics.in_flight.fetch_add(1, Relaxed);
        Self(gateway)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.metrics.in_flight.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supabase_paths_and_bare_paths_reach_the_same_parts() {
        assert_eq!(route("/rest/v1/rpc/f"), Route::Rest("/rpc/f"));
        assert_eq!(route("/rest/v1"), Route::Rest("/"));
        assert_eq!(route("/rpc/f"), Route::Rest("/rpc/f"));
        assert_eq!(route("/functions/v1/upload/x"), Route::Functions);
        assert_eq!(route("/storage/v1/object"), Route::Storage);
        assert_eq!(route("/realtime/v1/websocket"), Route::Realtime);
    }

    #[test]
    fn a_prefix_ends_at_a_slash() {
        assert_eq!(route("/rest/v1x"), Route::Rest("/rest/v1x"));
        assert_eq!(route("/functions/v10"), Route::Rest("/functions/v10"));
    }
}
