//! One call: ten seconds for all of it, and every byte counted.

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use serde::Serialize;
use url::Url;

use super::asked::Asked;
use super::refusal::{Refusal, Refused};
use gristmill_core::sleep::within;

/// From the first byte of the request to the last of the response.
pub const LONGEST_CALL: Duration = Duration::from_secs(10);

/// What is read of a response at the most.
pub const LARGEST_BODY: u64 = 4 * 1024 * 1024;

/// What is sent.
pub struct Request {
    /// Where to.
    pub url: Url,
    /// Our key, for the header `apikey`.
    pub key: Option<String>,
}

/// What a transport brings back, its body unread.
pub struct Reply {
    /// The status as it came: redirects are not followed.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, in pieces.
    pub body: Pin<Box<dyn Stream<Item = Result<Vec<u8>, String>>>>,
}

/// The way out: `fetch` at the edge, something else in tests. Dropping the future ends the call.
pub trait Transport {
    /// Sends a GET and gives the response's head.
    fn get(&self, request: Request) -> impl Future<Output = Result<Reply, String>>;
}

/// Bytes that the wire carried. Only counting makes one: the length of something written again is not it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct WireBytes(u64);

impl WireBytes {
    /// As a number.
    pub fn get(self) -> u64 {
        self.0
    }
}

/// A whole response that came in time. Only [`call`] makes one.
#[derive(Debug)]
pub struct Arrived {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    pub(super) bytes: WireBytes,
    pub(super) length_was_missing: bool,
}

impl Arrived {
    /// One header.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// Calls what was asked for. A slow provider is a failure at [`LONGEST_CALL`], wherever it is slow.
pub async fn call(transport: &impl Transport, asked: &Asked) -> Result<Arrived, Refused> {
    within(LONGEST_CALL, exchange(transport, asked))
        .await
        .unwrap_or_else(|_| Err(Refusal::Slow.after_the_call(None)))
}

async fn exchange(transport: &impl Transport, asked: &Asked) -> Result<Arrived, Refused> {
    let broken = |error| Refusal::Broken(error).after_the_call(None);
    let mut reply = transport.get(asked.request()).await.map_err(broken)?;
    let announced = find(&reply.headers, "content-length").and_then(|text| text.parse().ok());
    if announced.is_some_and(|length: u64| length > LARGEST_BODY) {
        return Err(Refusal::TooLarge(LARGEST_BODY).after_the_call(None));
    }
    let mut body = Vec::new();
    while let Some(piece) = reply.body.next().await {
        body.extend_from_slice(&piece.map_err(broken)?);
        if body.len() as u64 > LARGEST_BODY {
            let bytes = WireBytes(body.len() as u64);
            return Err(Refusal::TooLarge(LARGEST_BODY).after_the_call(Some(bytes)));
        }
    }
    let is_encoded = find(&reply.headers, "content-encoding").is_some_and(|it| it != "identity");
    // Compressed, the header is what the wire carried and the body is not; otherwise the two must agree.
    if !is_encoded && announced.is_some_and(|length| length != body.len() as u64) {
        return Err(broken("the body is shorter than announced".into()));
    }
    Ok(Arrived {
        status: reply.status,
        bytes: WireBytes(announced.unwrap_or(body.len() as u64)),
        length_was_missing: announced.is_none(),
        headers: reply.headers,
        body,
    })
}
