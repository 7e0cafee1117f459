//! HTTP/1.1 over hyper, with connections that are kept.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{DATE, HeaderName, RETRY_AFTER};
use hyper::{Method, Request};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};

use super::transport::{Answer, Unsent};

/// Fronts close connections that are quiet for a minute or more; one that is closed by us is not found closed by the next call.
const IDLE: Duration = Duration::from_secs(50);

type Pool = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

#[derive(Clone)]
pub(crate) struct Transport(Result<Pool, Arc<str>>);

impl Transport {
    pub(crate) fn new(url: &str) -> Self {
        Self(pool(url).map_err(|error| error.to_string().into()))
    }

    pub(crate) async fn post(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Result<Answer, Unsent> {
        let pool = self.0.as_ref();
        let pool = pool.map_err(|error| Unsent::Unusable(error.to_string()))?;
        let mut request = Request::builder().method(Method::POST).uri(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request
            .body(Full::from(body))
            .map_err(|error| Unsent::Unusable(error.to_string()))?;
        let response = pool
            .request(request)
            .await
            .map_err(|error| Unsent::Lost(causes(&error)))?;
        let header = |name: HeaderName| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let (date, retry_after) = (header(DATE), header(RETRY_AFTER));
        let status = response.status().as_u16();
        let body = response
            .into_body()
            .collect()
            .await
            .map_err(|error| Unsent::Lost(causes(&error)))?;
        Ok(Answer {
            status,
            date,
            retry_after,
            body: body.to_bytes().into(),
        })
    }
}

fn pool(url: &str) -> Result<Pool, rustls::Error> {
    let mut roots = RootCertStore::empty();
    // Reading the system's authorities takes a while, and plain HTTP needs none.
    if url.starts_with("https:") {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    let https = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .wrap_connector(http);
    Ok(Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .build(https))
}

/// The message of the client's own error says only that something failed.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
