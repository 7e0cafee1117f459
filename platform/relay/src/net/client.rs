//! Sends one request as pg_net's curl would, with redirects kept away from inner addresses.
//!
//! Redirects are followed here and not by a library, because the decision needs the address that a
//! name resolved to: of the first answer's peer, and of each next host before it is connected to.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue, LOCATION,
    USER_AGENT,
};
use http::{Method, StatusCode};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper_util::client::legacy::connect::HttpInfo;
use serde_json::{Map, Value};
use url::{Host, Url};

use super::address;
use super::failure::Failure;
use super::pool::{self, Pool, Privacy, Reach};
use super::queue::{Answer, Request};
use super::timing::Timing;

/// curl's own limit since 8.3.
const MOST_REDIRECTS: usize = 30;
/// curl takes 0 for "no limit"; a slot must come back some day.
const LONGEST: Duration = Duration::from_secs(3600);
const AGENT: &str = concat!("pg_net/0.20.0 gristmill-relay/", env!("CARGO_PKG_VERSION"));

/// Two pools, because a connection's right to exist is decided when it is made: `any` connects anywhere,
/// `public` to public addresses only.
#[derive(Clone)]
pub(super) struct HttpClient {
    any: Pool,
    public: Pool,
    is_private: Privacy,
    allow_private: bool,
    longest_body: usize,
}

impl HttpClient {
    /// A client that trusts the system's certificate authorities.
    pub(super) fn new(allow_private: bool, longest_body: usize) -> Result<Self, rustls::Error> {
        Self::with_privacy(address::is_private, allow_private, longest_body)
    }

    fn with_privacy(
        is_private: Privacy,
        allow_private: bool,
        longest_body: usize,
    ) -> Result<Self, rustls::Error> {
        let tls = pool::tls()?;
        Ok(Self {
            any: pool::new(&tls, Reach::Anywhere),
            public: pool::new(&tls, Reach::NotTo(is_private)),
            is_private,
            allow_private,
            longest_body,
        })
    }

    /// Sends a request and tells what came of it; never fails.
    pub(super) async fn send(&self, request: Request) -> Answer {
        let begun = Instant::now();
        let limit = u64::try_from(request.timeout_milliseconds)
            .ok()
            .filter(|milliseconds| *milliseconds > 0)
            .map_or(LONGEST, Duration::from_millis);
        let timing = Arc::new(Timing::default());
        let watched = Arc::clone(&timing).watch(self.exchange(&request));
        let mut answer = match tokio::time::timeout(limit, watched).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(failure)) => Answer {
                error: Some(failure.to_string()),
                ..Answer::default()
            },
            Err(_) => Answer {
                timed_out: true,
                error: Some(timing.timeout_message(request.timeout_milliseconds, begun.elapsed())),
                ..Answer::default()
            },
        };
        // No path, query, header or body: any of them may carry a secret.
        tracing::debug!(
            id = request.id,
            method = request.method,
            target = request.target,
            status = answer.status_code,
            timed_out = answer.timed_out,
            milliseconds = begun.elapsed().as_millis(),
            "sent"
        );
        answer.id = request.id;
        answer.target = request.target;
        answer
    }

    async fn exchange(&self, request: &Request) -> Result<Answer, Failure> {
        let mut hop = Hop::first(request)?;
        let mut public_only = false;
        for redirects in 0..=MOST_REDIRECTS {
            // A literal address never meets the resolver, so it is looked at here.
            if public_only && hop.literal_address().is_some_and(self.is_private) {
                return Err(Failure::PrivateRedirect);
            }
            let pool = if public_only { &self.public } else { &self.any };
            let response = pool
                .request(hop.to_http()?)
                .await
                .map_err(|error| Failure::of(&error))?;
            let Some(location) = redirect_of(&response) else {
                return self.read(response).await;
            };
            if redirects == 0 {
                public_only = !self.allow_private && !peer(&response).is_some_and(self.is_private);
            }
            hop = hop.redirected(response.status(), &location)?;
        }
        Err(Failure::Redirects)
    }

    /// The answer as a row. A body past the limit leaves status and headers, and curl's word for it.
    async fn read<B>(&self, response: http::Response<B>) -> Result<Answer, Failure>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let (head, body) = response.into_parts();
        let mut answer = Answer {
            status_code: Some(i32::from(head.status.as_u16())),
            content_type: head.headers.get(CONTENT_TYPE).map(text),
            headers: Some(headers_as_json(&head.headers)),
            ..Answer::default()
        };
        match Limited::new(body, self.longest_body).collect().await {
            Ok(body) => answer.content = content(&body.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => {
                answer.error = Some(Failure::Size.to_string());
            }
            Err(error) => return Err(Failure::of(error.as_ref())),
        }
        Ok(answer)
    }
}

/// One request on the wire; a redirect makes the next.
struct Hop {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<Bytes>,
}

impl Hop {
    fn first(request: &Request) -> Result<Self, Failure> {
        let method = match request.method.as_str() {
            "GET" => Method::GET,
            "POST" => Method::POST,
            "DELETE" => Method::DELETE,
            _ => return Err(Failure::Argument),
        };
        let body = request.body.clone().map(Bytes::from);
        let mut headers = headers_of(request.headers.as_ref())?;
        headers
            .entry(USER_AGENT)
            .or_insert(HeaderValue::from_static(AGENT));
        headers
            .entry(ACCEPT)
            .or_insert(HeaderValue::from_static("*/*"));
        if body.is_some() {
            // What curl says of a body that nobody described.
            headers
                .entry(CONTENT_TYPE)
                .or_insert(HeaderValue::from_static(
                    "application/x-www-form-urlencoded",
                ));
        }
        Ok(Self {
            method,
            url: parse(&request.url)?,
            headers,
            body,
        })
    }

    fn to_http(&self) -> Result<http::Request<Full<Bytes>>, Failure> {
        let mut url = self.url.clone();
        url.set_fragment(None);
        let mut request = http::Request::builder()
            .method(self.method.clone())
            .uri(url.as_str())
            .body(Full::new(self.body.clone().unwrap_or_default()))
            .map_err(|_| Failure::Url)?;
        *request.headers_mut() = self.headers.clone();
        Ok(request)
    }

    /// As curl does: 301, 302 and 303 drop the body and turn POST into GET, DELETE stays; the others
    /// repeat everything; another host does not get the credentials.
    fn redirected(mut self, status: StatusCode, location: &str) -> Result<Self, Failure> {
        let next = self.url.join(location).map_err(|_| Failure::Url)?;
        check_scheme(&next)?;
        if matches!(
            status,
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER
        ) {
            self.body = None;
            if self.method == Method::POST {
                self.method = Method::GET;
            }
        }
        if next.host() != self.url.host()
            || next.port_or_known_default() != self.url.port_or_known_default()
        {
            self.headers.remove(AUTHORIZATION);
            self.headers.remove(COOKIE);
        }
        self.url = next;
        Ok(self)
    }

    /// The address that the URL itself names; odd notations (0x7f.1, 2130706433) are read as such too.
    fn literal_address(&self) -> Option<IpAddr> {
        match self.url.host()? {
            Host::Ipv4(v4) => Some(IpAddr::V4(v4)),
            Host::Ipv6(v6) => Some(IpAddr::V6(v6)),
            Host::Domain(_) => None,
        }
    }
}

fn parse(text: &str) -> Result<Url, Failure> {
    let url = Url::parse(text.trim()).map_err(|_| Failure::Url)?;
    check_scheme(&url)?;
    Ok(url)
}

fn check_scheme(url: &Url) -> Result<(), Failure> {
    match url.scheme() {
        "http" | "https" => Ok(()),
        _ => Err(Failure::Protocol),
    }
}

fn redirect_of<B>(response: &http::Response<B>) -> Option<String> {
    response
        .status()
        .is_redirection()
        .then(|| response.headers().get(LOCATION).map(text))
        .flatten()
}

fn peer<B>(response: &http::Response<B>) -> Option<IpAddr> {
    let info = response.extensions().get::<HttpInfo>()?;
    Some(info.remote_addr().ip())
}

fn headers_of(json: Option<&Value>) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for (name, value) in json.and_then(Value::as_object).into_iter().flatten() {
        let value = match value {
            // key || ': ' || null is null, and pg_net skips it.
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        // Refused here is also what would split a header: CR, LF and NUL.
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Failure::Argument)?;
        let value =
            HeaderValue::from_bytes(value.trim().as_bytes()).map_err(|_| Failure::Argument)?;
        headers.append(name, value);
    }
    Ok(headers)
}

/// Of a repeated header the last one stays, as in pg_net's jsonb.
fn headers_as_json(headers: &HeaderMap) -> Value {
    let object: Map<String, Value> = headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), Value::String(text(value))))
        .collect();
    Value::Object(object)
}

fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

/// Postgres' text holds neither NUL nor broken UTF-8: pg_net ends the text at the first NUL; bytes that
/// are no UTF-8 become U+FFFD. Nothing is null.
fn content(body: &[u8]) -> Option<String> {
    let upto = body
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(body.len());
    (upto > 0).then(|| String::from_utf8_lossy(&body[..upto]).into_owned())
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// Takes 127.0.0.2 for the internet and the rest of loopback for what it is.
    fn all_but_two(address: IpAddr) -> bool {
        address != IpAddr::from([127, 0, 0, 2])
    }

    /// Answers every connection with one text; `{port}` is its own port.
    async fn server(host: [u8; 4], reply: &str) -> SocketAddr {
        let listener = TcpListener::bind((IpAddr::from(host), 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let reply = reply.to_owned();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(reply.as_bytes()).await;
            }
        });
        address
    }

    const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";

    fn redirect(location: &str) -> String {
        format!(
            "HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
    }

    async fn get(client: &HttpClient, url: String) -> Answer {
        let request = Request {
            id: 1,
            method: "GET".to_owned(),
            url,
            headers: None,
            body: None,
            timeout_milliseconds: 2000,
            target: String::new(),
        };
        client.send(request).await
    }

    #[tokio::test]
    async fn a_public_host_cannot_redirect_inwards_however_the_address_is_written() {
        let client = HttpClient::with_privacy(all_but_two, false, 1000).unwrap();
        let inner = server([127, 0, 0, 1], OK).await.port();
        for host in [
            "127.0.0.1",
            "localhost",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "[::ffff:127.0.0.1]",
            "[::1]",
            "0.0.0.0",
            "127.0.0.1.",
            "user@127.0.0.1",
        ] {
            let outer = server(
                [127, 0, 0, 2],
                &redirect(&format!("http://{host}:{inner}/")),
            )
            .await;
            let answer = get(&client, format!("http://{outer}/")).await;
            let error = answer.error.unwrap_or_default();
            assert_eq!(error, "Redirect to a private address refused", "{host}");
        }
    }

    #[tokio::test]
    async fn a_server_that_hangs_up_is_told_in_curls_words() {
        let client = HttpClient::new(false, 1000).unwrap();
        let silent = server([127, 0, 0, 1], "").await;
        let cut = server(
            [127, 0, 0, 1],
            "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok",
        )
        .await;
        let plain = server([127, 0, 0, 1], OK).await;
        for (url, words) in [
            (
                format!("http://{silent}/"),
                "Server returned nothing (no headers, no data)",
            ),
            (
                format!("http://{cut}/"),
                "Failure when receiving data from the peer",
            ),
            (format!("https://{plain}/"), "SSL connect error"),
        ] {
            let error = get(&client, url).await.error.unwrap_or_default();
            assert_eq!(error, words);
        }
    }

    #[tokio::test]
    async fn a_second_hop_is_looked_at_too() {
        let client = HttpClient::with_privacy(all_but_two, false, 1000).unwrap();
        let inner = server([127, 0, 0, 1], OK).await;
        let second = server([127, 0, 0, 2], &redirect(&format!("http://{inner}/"))).await;
        let first = server([127, 0, 0, 2], &redirect(&format!("http://{second}/"))).await;
        let answer = get(&client, format!("http://{first}/")).await;
        assert!(answer.error.is_some());
    }

    #[tokio::test]
    async fn a_private_host_may_redirect_anywhere() {
        let client = HttpClient::with_privacy(all_but_two, false, 1000).unwrap();
        let inner = server([127, 0, 0, 1], OK).await;
        let first = server([127, 0, 0, 1], &redirect(&format!("http://{inner}/"))).await;
        assert_eq!(
            get(&client, format!("http://{first}/")).await.status_code,
            Some(200)
        );
    }

    #[tokio::test]
    async fn inward_redirects_can_be_allowed() {
        let client = HttpClient::with_privacy(all_but_two, true, 1000).unwrap();
        let inner = server([127, 0, 0, 1], OK).await;
        let outer = server([127, 0, 0, 2], &redirect(&format!("http://{inner}/"))).await;
        assert_eq!(
            get(&client, format!("http://{outer}/")).await.status_code,
            Some(200)
        );
    }

    #[tokio::test]
    async fn a_public_host_may_redirect_to_a_public_one() {
        let client = HttpClient::with_privacy(all_but_two, false, 1000).unwrap();
        let second = server([127, 0, 0, 2], OK).await;
        let first = server([127, 0, 0, 2], &redirect(&format!("http://{second}/"))).await;
        assert_eq!(
            get(&client, format!("http://{first}/")).await.status_code,
            Some(200)
        );
    }
}
