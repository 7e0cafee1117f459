//! Requests of the page, on their way to the deployment: only those that the console makes, and with the deployment's own credentials.

use std::io;

use bytes::Bytes;
use http::header::{
    ACCEPT, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName,
    HeaderValue, LOCATION, RANGE,
};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::credentials::Credentials;
use crate::operator::Operator;
use crate::page::{guard, said};

type Body = UnsyncBoxBody<Bytes, io::Error>;

/// What passes in either direction; every other header stays behind, cookies and tokens of the browser among them.
const REQUEST: [HeaderName; 7] = [
    ACCEPT,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    RANGE,
    HeaderName::from_static("content-profile"),
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("prefer"),
];
const ANSWER: [&str; 9] = [
    "accept-ranges",
    "content-disposition",
    "content-length",
    "content-range",
    "content-type",
    "proxy-status",
    "retry-after",
    "x-correlation-id",
    "x-request-id",
];

/// What was answered is data: whatever it looks like, no browser may run it as a page of this address.
const DATA: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";

/// The way to one deployment.
pub(crate) struct Deployment {
    client: Client<HttpsConnector<HttpConnector>, Body>,
    /// Without a slash at its end.
    base: String,
    credentials: Credentials,
    operator: Operator,
}

/// Why a request did not arrive.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The path and the base are no address together.
    #[error("{0} is not an address")]
    Address(String),
    /// No certificates.
    #[error(transparent)]
    Tls(#[from] gristmill_native::database::Error),
    /// The key cannot be sent.
    #[error(transparent)]
    Key(#[from] crate::credentials::NotAKey),
    /// Nobody answers there.
    #[error("{0} does not answer")]
    Away(String, #[source] hyper_util::client::legacy::Error),
}

/// Whether this asks for a file. With the service key the database does not know the person's role, so it is looked at here.
pub(crate) fn is_file(method: &Method, path: &str) -> bool {
    method == Method::GET && path.starts_with("/functions/v1/")
}

/// Whether the console asks for this. Paths are compared as they are sent: one with `..` or an escaped letter is none of these.
pub(crate) fn is_let_through(method: &Method, path: &str) -> bool {
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    if let Some(name) = path.strip_prefix("/rest/v1/rpc/console_") {
        return method == Method::POST && is_name(name);
    }
    let Some(rest) = path.strip_prefix("/functions/v1/") else {
        return false;
    };
    let parts: Vec<&str> = rest.split('/').collect();
    match (method, &parts[..]) {
        // Uploading a document.
        (&Method::POST, ["documents", "v1", "documents"]) => true,
        // The files of documents and exports that were revealed.
        (&Method::GET, ["documents", "v1", "documents", id, "file"])
        | (&Method::GET, ["export", "v1", "exports", id, "download"]) => is_name(id),
        _ => false,
    }
}

impl Deployment {
    pub(crate) fn new(
        base: &str,
        credentials: Credentials,
        operator: Operator,
    ) -> Result<Self, Error> {
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(gristmill_native::database::tls_config()?)
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            base: base.trim_end_matches('/').to_owned(),
            credentials,
            operator,
        })
    }

    pub(crate) fn operator(&self) -> &Operator {
        &self.operator
    }

    /// What the deployment says to the console's first question: its status and its words.
    pub(crate) async fn first_question(&self) -> Result<(StatusCode, Bytes), Error> {
        let mut request = Request::new(whole("{}"));
        *request.method_mut() = Method::POST;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json);
        let answer = self.send(request, "/rest/v1/rpc/console_start").await?;
        let status = answer.status();
        let body = answer.into_body().collect().await;
        Ok((status, body.map(|body| body.to_bytes()).unwrap_or_default()))
    }

    /// Passes a request of the page on, and the answer back, both as they arrive.
    pub(crate) async fn forward(&self, request: Request<Incoming>) -> Response<Body> {
        let path = request.uri().path_and_query();
        let path = path.map_or("/", |path| path.as_str()).to_owned();
        let (parts, body) = request.into_parts();
        let mut request = Request::new(body.map_err(io::Error::other).boxed_unsync());
        *request.method_mut() = parts.method;
        *request.headers_mut() = kept(&parts.headers);
        match self.send(request, &path).await {
            Ok(answer) => match self.elsewhere(&answer) {
                Some(place) => self.fetch(place).await,
                None => passed_back(answer),
            },
            Err(error) => {
                tracing::warn!(error = %chain(&error), "a request could not be forwarded");
                let message = format!("{error}. Is the deployment up, and its address right?");
                said(StatusCode::BAD_GATEWAY, "console_upstream", &message).map(whole)
            }
        }
    }

    /// Where the answer sends the caller for a file: under a signed link that needs no credentials. The page could not follow it, because it
    /// talks to nobody but this server.
    fn elsewhere(&self, answer: &Response<Incoming>) -> Option<Uri> {
        if !answer.status().is_redirection() {
            return None;
        }
        let place: Uri = answer
            .headers()
            .get(LOCATION)?
            .to_str()
            .ok()?
            .parse()
            .ok()?;
        let base: Uri = self.base.parse().ok()?;
        let is_known = place.scheme_str() == Some("https") || place.authority() == base.authority();
        is_known.then_some(place)
    }

    async fn fetch(&self, place: Uri) -> Response<Body> {
        let mut request = Request::new(whole(Bytes::new()));
        *request.uri_mut() = place;
        match self.client.request(request).await {
            Ok(answer) => passed_back(answer),
            Err(error) => {
                tracing::warn!(error = %chain(&error), "a file could not be fetched");
                let message = "The file could not be fetched from where it is stored. Try again.";
                said(StatusCode::BAD_GATEWAY, "console_upstream", message).map(whole)
            }
        }
    }

    async fn send(
        &self,
        mut request: Request<Body>,
        path: &str,
    ) -> Result<Response<Incoming>, Error> {
        let address = format!("{}{path}", self.base);
        let address: Uri = address.parse().map_err(|_| Error::Address(address))?;
        *request.uri_mut() = address;
        self.credentials
            .show(&self.operator, request.headers_mut())?;
        let answered = self.client.request(request).await;
        answered.map_err(|error| Error::Away(self.base.clone(), error))
    }
}

fn kept(headers: &HeaderMap) -> HeaderMap {
    let named = REQUEST.into_iter().filter_map(|name| {
        let value = headers.get(&name)?;
        Some((name, value.clone()))
    });
    named.collect()
}

fn passed_back(answer: Response<Incoming>) -> Response<Body> {
    let (parts, body) = answer.into_parts();
    let mut answer = Response::new(body.map_err(io::Error::other).boxed_unsync());
    *answer.status_mut() = parts.status;
    let headers = answer.headers_mut();
    guard(headers, "no-store");
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(DATA));
    for name in ANSWER {
        if let Some(value) = parts.headers.get(name) {
            headers.insert(HeaderName::from_static(name), value.clone());
        }
    }
    answer
}

pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

/// An error with what caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_console_asks_for_is_let_through() {
        for path in [
            "/rest/v1/rpc/console_start",
            "/rest/v1/rpc/console_set_queue",
        ] {
            assert!(is_let_through(&Method::POST, path), "{path}");
            assert!(!is_let_through(&Method::GET, path), "{path}");
        }
        for path in [
            "/rest/v1/rpc/submit_job",
            "/rest/v1/rpc/console_",
            "/rest/v1/rpc/console_x/../submit_job",
            "/rest/v1/rpc/console_x%2e",
            "/rest/v1/profiles",
            "/auth/v1/admin/users",
            "/functions/v1/enqueue",
            "/functions/v1/documents/../enqueue",
            "/functions/v1/documents/v1/documents/x/y/file",
            "/functions/v1/documents/v1/documents/../file",
            "/storage/v1/object/documents/a",
            "/",
        ] {
            assert!(!is_let_through(&Method::POST, path), "{path}");
            assert!(!is_let_through(&Method::GET, path), "{path}");
        }
        for path in [
            "/functions/v1/documents/v1/documents/01a1f024-6a34/file",
            "/functions/v1/export/v1/exports/01a1f024-6a34/download",
        ] {
            assert!(is_let_through(&Method::GET, path) && is_file(&Method::GET, path));
        }
    }

    #[test]
    fn the_browsers_cookies_and_tokens_stay_behind() {
        let mut headers = HeaderMap::new();
        for name in [
            "cookie",
            "authorization",
            "apikey",
            "x-gristmill-console-role",
            "x-gristmill-actor",
        ] {
            headers.insert(name, HeaderValue::from_static("mine"));
        }
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        let kept = kept(&headers);
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["accept"]);
    }
}
