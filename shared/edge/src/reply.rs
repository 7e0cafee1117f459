//! What a handler answers: JSON, nothing, a redirect or a stream.

use std::pin::Pin;

use futures_util::Stream;
use serde::Serialize;
use sha2::{Digest, Sha256};
use worker::{Response, ResponseBody, ResponseBuilder};

use super::Call;
use gristmill_core::download::is_seen;
use gristmill_core::{Code, Problem};

/// Bytes as they come, of a body whose whole never is in memory.
pub type Bytes = Pin<Box<dyn Stream<Item = worker::Result<Vec<u8>>>>>;

enum Body {
    Empty,
    Whole(Vec<u8>),
    Stream(Bytes),
    Native(ResponseBody),
}

/// What a handler answers.
pub struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Body,
}

impl Reply {
    /// JSON under a status.
    pub fn json(status: u16, body: &impl Serialize) -> Result<Self, Problem> {
        let body = serde_json::to_vec(body).map_err(|error| {
            Problem::new(Code::Internal, "The answer could not be written.").because(error)
        })?;
        let reply = Self::new(status, Body::Whole(body));
        Ok(reply.with("content-type", "application/json"))
    }

    /// JSON that is polled: it has an ETag, and a caller who has seen it already gets an empty 304.
    pub fn json_unless_seen(call: &Call, body: &impl Serialize) -> Result<Self, Problem> {
        let reply = Self::json(200, body)?;
        let Body::Whole(bytes) = &reply.body else {
            return Ok(reply);
        };
        let tag = etag(bytes);
        Ok(Self::if_seen(call, &tag).unwrap_or_else(|| reply.tagged(&tag)))
    }

    /// The ETag of an answer that changes whenever this does.
    pub fn tag_of(what: &impl Serialize) -> Result<String, Problem> {
        let bytes = serde_json::to_vec(what).map_err(|error| {
            Problem::new(Code::Internal, "The answer could not be written.").because(error)
        })?;
        Ok(etag(&bytes))
    }

    /// An empty 304 for a caller who has seen the answer of this tag already.
    pub fn if_seen(call: &Call, tag: &str) -> Option<Self> {
        let seen = is_seen(call.header("if-none-match").as_deref(), tag);
        seen.then(|| Self::empty(304).tagged(tag))
    }

    /// The same with an ETag. no-cache, not no-store: it may be kept, but must be asked for again each time.
    pub fn tagged(self, tag: &str) -> Self {
        self.with("etag", tag)
            .with("cache-control", "private, no-cache")
    }

    /// Text of another media type than JSON.
    pub fn text(status: u16, content_type: &'static str, body: String) -> Self {
        Self::new(status, Body::Whole(body.into_bytes())).with("content-type", content_type)
    }

    /// A status without a body.
    pub fn empty(status: u16) -> Self {
        Self::new(status, Body::Empty)
    }

    /// Elsewhere, for this time only.
    pub fn redirect(to: impl Into<String>) -> Self {
        Self::empty(302).with("location", to)
    }

    /// A body that is made while it is sent. An error in it breaks the connection: the caller sees that it is not whole.
    pub fn stream(
        content_type: &'static str,
        body: impl Stream<Item = worker::Result<Vec<u8>>> + 'static,
    ) -> Self {
        Self::new(200, Body::Stream(Box::pin(body))).with("content-type", content_type)
    }

    /// A body that the runtime has and sends by itself, such as an object of R2.
    pub fn native(status: u16, body: ResponseBody) -> Self {
        Self::new(status, Body::Native(body))
    }

    pub(super) fn problem(problem: &Problem, correlation_id: &str) -> Self {
        let body = Body::Whole(problem.body(correlation_id).into_bytes());
        let reply =
            Self::new(problem.code.status(), body).with("content-type", "application/problem+json");
        let reply = match problem.retry_after() {
            Some(seconds) => reply.with("retry-after", seconds.to_string()),
            None => reply,
        };
        match &problem.allow {
            Some(methods) => reply.with("allow", methods.as_ref()),
            None => reply,
        }
    }

    /// Sets a header, also in place of one that every answer has.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.into()));
        self
    }

    /// Says whether this answer was given before, under the same Idempotency-Key.
    pub fn replayed(self, is_replay: bool) -> Self {
        if is_replay {
            self.with(super::idempotency::REPLAYED, "true")
        } else {
            self
        }
    }

    fn new(status: u16, body: Body) -> Self {
        let headers = vec![
            ("cache-control", "no-store".to_owned()),
            ("x-content-type-options", "nosniff".to_owned()),
        ];
        Self {
            status,
            headers,
            body,
        }
    }

    pub(super) fn without_body(mut self) -> Self {
        self.body = Body::Empty;
        self
    }

    pub(super) fn status(&self) -> u16 {
        self.status
    }

    pub(super) fn into_response(self, mut builder: ResponseBuilder) -> worker::Result<Response> {
        builder = builder.with_status(self.status);
        for (name, value) in &self.headers {
            builder = builder.with_header(name, value)?;
        }
        match self.body {
            Body::Empty => Ok(builder.empty()),
            // Not from_bytes: it would call everything an octet stream.
            Body::Whole(bytes) => Ok(builder.fixed(bytes)),
            Body::Stream(stream) => builder.from_stream(stream),
            Body::Native(body) => Ok(builder.body(body)),
        }
    }
}

// Of the bytes themselves: two answers with one tag are the same answer.
fn etag(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let hex: String = digest[..12]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("\"{hex}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_body_has_another_tag() {
        assert_ne!(etag(b"{}"), etag(b"{ }"));
    }
}
