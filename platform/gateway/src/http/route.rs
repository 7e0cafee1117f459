//! Which part answers a path. One address serves everything, laid out as on Supabase, so that
//! `createClient(url, key)` works unchanged; PostgREST's bare paths work beside it.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use hyper::body::Incoming;
use hyper::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response};

use super::cors::Cors;
use super::{Answer, body, console};
use crate::Gateway;
use crate::{realtime, rest};
use gristmill_dialect::refusal::Refusal;
use gristmill_native::telemetry::Answering;

/// The part a path belongs to, with the path as that part sees it.
#[derive(Debug, PartialEq, Eq)]
enum Route<'a> {
    Rest(&'a str),
    Functions,
    /// A path of an older system, which this function answers.
    Older(&'static str),
    Storage,
    Realtime,
}

/// Paths that clients of the older systems call at the root of the address, and the functions that have them.
const OLDER: [(&str, &str); 2] = [("/api/v1/export", "export"), ("/api/jobs", "jobs")];

fn route(path: &str) -> Route<'_> {
    if under(path, "/functions/v1").is_some() {
        return Route::Functions;
    }
    if under(path, "/storage/v1").is_some() {
        return Route::Storage;
    }
    let mut older = OLDER.iter();
    if let Some((_, function)) = older.find(|(prefix, _)| under(path, prefix).is_some()) {
        return Route::Older(function);
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
    mut request: Request<Incoming>,
    peer: std::net::SocketAddr,
) -> Answer {
    let started = Instant::now();
    let _in_flight = InFlight::enter(&gateway);
    let span = Answering::begin(&mut request);
    let path = request.uri().path().to_owned();
    let cors = Cors::of(
        &gateway.settings.origins,
        request.method(),
        request.headers(),
    );
    let is_stream = wants_events(&request);
    if let Some(served) = &gateway.settings.console
        && let Some(rest) = under(&path, "/console")
    {
        // No cross-origin rules: only the console's own page has business here.
        let answer = console::answer(served, rest, request).await;
        gateway
            .metrics
            .answered(answer.status().as_u16(), started.elapsed());
        if let Some(span) = span {
            span.end(answer.status());
        }
        return answer;
    }
    let answer = match route(&path) {
        Route::Functions => functions(&gateway, &cors, request, peer).await,
        Route::Older(function) => match moved(request, function) {
            Ok(request) => functions(&gateway, &cors, request, peer).await,
            Err(refusal) => Err(refusal),
        },
        Route::Realtime => realtime::accept(&gateway, request),
        Route::Storage => match cors.preflight() {
            Some(answer) => Ok(answer),
            None => gateway.proxy.storage(&gateway.metrics, request, peer).await,
        },
        Route::Rest(path) => match cors.preflight() {
            Some(answer) => Ok(answer),
            None => rest::serve(&gateway, path, request, peer.ip()).await,
        },
    };
    let mut answer = answer.unwrap_or_else(|refusal| match cors.preflight() {
        // The request itself then gets the refusal, where the page can read it.
        Some(answer) => answer,
        None => refuse(&gateway, &refusal, is_stream),
    });
    cors.open(answer.headers_mut());
    let status = answer.status().as_u16();
    gateway.metrics.answered(status, started.elapsed());
    if let Some(span) = span {
        span.end(answer.status());
    }
    answer
}

/// A function answers preflights by itself.
async fn functions(
    gateway: &Gateway,
    cors: &Cors,
    request: Request<Incoming>,
    peer: std::net::SocketAddr,
) -> Result<Answer, Refusal> {
    let answer = gateway
        .proxy
        .functions(&gateway.metrics, request, peer)
        .await?;
    Ok(cors.answered(answer))
}

/// The same request at the function's own address.
fn moved(mut request: Request<Incoming>, function: &str) -> Result<Request<Incoming>, Refusal> {
    let path = request.uri().path_and_query();
    let path = path.map_or("/", |path| path.as_str());
    let path = format!("/functions/v1/{function}{path}");
    *request.uri_mut() = path.parse().map_err(|_| Refusal::Path)?;
    Ok(request)
}

/// Whether the caller is an EventSource, or reads events like one.
fn wants_events(request: &Request<Incoming>) -> bool {
    let accept = request.headers().get(ACCEPT);
    accept.is_some_and(|value| value.as_bytes() == b"text/event-stream")
}

fn refuse(gateway: &Gateway, refusal: &Refusal, is_stream: bool) -> Answer {
    if matches!(refusal, Refusal::Token(_)) {
        gateway.metrics.tokens_refused.fetch_add(1, Relaxed);
    }
    if let Some(reason) = refusal.reason() {
        gateway.metrics.refused(reason);
    }
    if refusal.status().is_server_error() {
        tracing::warn!(code = refusal.code(), message = %refusal, "a request failed");
    }
    // An EventSource comes back after a stream that ends, but never after a status other than 200. A function that is
    // being started again would end it for good.
    if is_stream && matches!(refusal, Refusal::TargetDown(_) | Refusal::TargetSilent(_)) {
        return come_back();
    }
    let mut answer = Response::new(body::whole(refusal.body()));
    *answer.status_mut() = refusal.status();
    let headers = answer.headers_mut();
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

/// A stream that ends at once, with the hint to connect again.
fn come_back() -> Answer {
    let mut answer = Response::new(body::whole("retry: 1000\n: away\n\n"));
    let headers = answer.headers_mut();
    let events = HeaderValue::from_static("text/event-stream; charset=utf-8");
    headers.insert(CONTENT_TYPE, events);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
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
    fn paths_of_older_systems_reach_the_functions_that_have_them() {
        assert_eq!(route("/api/v1/export/pdf"), Route::Older("export"));
        assert_eq!(route("/api/jobs/start"), Route::Older("jobs"));
        assert_eq!(route("/api/jobsx"), Route::Rest("/api/jobsx"));
    }

    #[test]
    fn a_prefix_ends_at_a_slash() {
        assert_eq!(route("/rest/v1x"), Route::Rest("/rest/v1x"));
        assert_eq!(route("/functions/v10"), Route::Rest("/functions/v10"));
    }
}
