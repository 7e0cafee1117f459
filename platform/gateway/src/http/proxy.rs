//! Forwards `/functions/v1` and `/storage/v1` to where they live, both bodies streamed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::forward::forwarded;
use super::{Answer, Body, body};
use crate::metrics::Metrics;
use crate::settings::{Settings, Target};
use gristmill_dialect::refusal::Refusal;
use gristmill_native::idle::{Idle, Progress};

/// Headers that belong to one connection and not to the message (RFC 9110, 7.6.1).
const HOP_BY_HOP: [&str; 8] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

pub(crate) struct Proxy {
    client: Client<HttpConnector, Body>,
    functions: Option<Target>,
    storage: Option<Target>,
    upstream_timeout: Duration,
    client_timeout: Duration,
}

impl Proxy {
    pub(crate) fn new(settings: &Settings) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(Duration::from_secs(5)));
        connector.set_keepalive(Some(Duration::from_secs(30)));
        Self {
            client: Client::builder(TokioExecutor::new())
                .pool_timer(TokioTimer::new())
                // A target that answers before it has read the body closes the connection; the next request
                // on it would fail, and one with a body cannot be sent twice. Connecting costs 0.1 ms here.
                .pool_max_idle_per_host(0)
                .build(connector),
            functions: settings.functions.clone(),
            storage: settings.storage.clone(),
            upstream_timeout: settings.limits.upstream_timeout,
            client_timeout: settings.limits.client_timeout,
        }
    }

    pub(crate) async fn functions(
        &self,
        metrics: &Metrics,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> Result<Answer, Refusal> {
        let (target, part) = (self.functions.as_ref(), "/functions/v1");
        self.forward(metrics, target, part, request, peer).await
    }

    pub(crate) async fn storage(
        &self,
        metrics: &Metrics,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> Result<Answer, Refusal> {
        let (target, part) = (self.storage.as_ref(), "/storage/v1");
        self.forward(metrics, target, part, request, peer).await
    }

    async fn forward(
        &self,
        metrics: &Metrics,
        target: Option<&Target>,
        part: &'static str,
        mut request: Request<Incoming>,
        peer: SocketAddr,
    ) -> Result<Answer, Refusal> {
        let Some(target) = target else {
            body::discard(request.into_body()).await;
            return Err(Refusal::NoTarget(part));
        };
        metrics.proxied.fetch_add(1, Relaxed);
        *request.uri_mut() = at(target, request.uri()).ok_or(Refusal::Path)?;
        strip(request.headers_mut());
        add_forwarded(request.headers_mut(), peer);
        let progress = Arc::new(Progress::default());
        let request = request.map(|body| forwarded(body, progress.clone(), self.client_timeout));
        // An upload that makes progress may take as long as it likes; after it the target has its time.
        let answered = tokio::select! {
            answered = self.client.request(request) => answered,
            () = progress.silent(self.upstream_timeout) => {
                metrics.proxy_failures.fetch_add(1, Relaxed);
                tracing::warn!(part, "a request was not answered in time");
                return Err(Refusal::TargetSilent(part));
            }
        };
        match answered {
            Ok(mut answer) => {
                strip(answer.headers_mut());
                Ok(answer.map(|body| Idle::new(body, self.upstream_timeout).boxed()))
            }
            Err(_) if progress.has_stalled() => Err(Refusal::BodyTimeout),
            Err(error) => {
                metrics.proxy_failures.fetch_add(1, Relaxed);
                tracing::warn!(part, %error, "a request could not be forwarded");
                Err(Refusal::TargetDown(part))
            }
        }
    }
}

/// The same path and query at the target.
fn at(target: &Target, uri: &Uri) -> Option<Uri> {
    let mut parts = uri.clone().into_parts();
    parts.scheme = Some(target.scheme.clone());
    parts.authority = Some(target.authority.clone());
    Uri::from_parts(parts).ok()
}

fn strip(headers: &mut HeaderMap) {
    // Connection may name further headers that are of this hop only.
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

/// Says where the request came from. The host header becomes the target's own.
fn add_forwarded(headers: &mut HeaderMap, peer: SocketAddr) {
    let host = headers.remove(HOST);
    let earlier = headers
        .get("x-forwarded-for")
        .and_then(|value| value.to_str().ok());
    let chain = match earlier {
        Some(earlier) => format!("{earlier}, {}", peer.ip()),
        None => peer.ip().to_string(),
    };
    if let Ok(chain) = HeaderValue::try_from(chain) {
        headers.insert("x-forwarded-for", chain);
    }
    // A proxy in front of us knows better how the caller came in.
    if !headers.contains_key("x-forwarded-proto") {
        headers.insert("x-forwarded-proto", HeaderValue::from_static("http"));
    }
    if let Some(host) = host
        && !headers.contains_key("x-forwarded-host")
    {
        headers.insert("x-forwarded-host", host);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> Target {
        Target {
            scheme: "http".parse().unwrap(),
            authority: "127.0.0.1:9".parse().unwrap(),
        }
    }

    #[test]
    fn path_and_query_are_forwarded_unchanged() {
        let uri = "/functions/v1/up%20load/a?b=c%2Bd".parse().unwrap();
        assert_eq!(
            at(&target(), &uri).unwrap().to_string(),
            "http://127.0.0.1:9/functions/v1/up%20load/a?b=c%2Bd"
        );
    }

    #[test]
    fn headers_of_one_hop_are_not_forwarded() {
        let mut headers = HeaderMap::new();
        headers.insert(CONNECTION, HeaderValue::from_static("close, x-mine"));
        headers.insert("x-mine", HeaderValue::from_static("1"));
        headers.insert("te", HeaderValue::from_static("trailers"));
        headers.insert("accept", HeaderValue::from_static("*/*"));
        strip(&mut headers);
        assert_eq!(headers.keys().collect::<Vec<_>>(), ["accept"]);
    }

    #[test]
    fn the_chain_of_proxies_is_appended_to() {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", HeaderValue::from_static("10.0.0.1"));
        headers.insert(HOST, HeaderValue::from_static("app.test"));
        add_forwarded(&mut headers, "127.0.0.1:5".parse().unwrap());
        assert_eq!(headers["x-forwarded-for"], "10.0.0.1, 127.0.0.1");
        assert_eq!(headers["x-forwarded-host"], "app.test");
        assert_eq!(headers["x-forwarded-proto"], "http");
    }
}
