//! Sends finished spans to a collector, in batches and in the background.
//!
//! Nothing waits for it: a span goes into a bounded queue or is dropped and counted, and a collector that does not answer costs memory for that queue and no more.
//! docs/traces.md says why it is not opentelemetry-otlp.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};

use super::settings::{Sampler, Settings};
use super::span::{self, Span};

/// Pauses before a batch is sent again, where the collector may take it later.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];

/// Longest that the end of the process waits for the last spans.
const LAST: Duration = Duration::from_secs(3);

/// How often a failure is logged.
const TELL: Duration = Duration::from_secs(60);

static QUEUE: OnceLock<Queue> = OnceLock::new();

struct Queue {
    sender: mpsc::Sender<Message>,
    sampler: Sampler,
    exported: AtomicU64,
    dropped: AtomicU64,
}

enum Message {
    Ended(Box<Span>),
    Flush(oneshot::Sender<()>),
}

/// Sends what is queued; made before there is a runtime, and run in it.
pub(super) struct Exporter {
    settings: Settings,
    messages: mpsc::Receiver<Message>,
}

/// Opens the queue. Once per process.
pub(super) fn open(settings: Settings) -> Option<Exporter> {
    let (sender, messages) = mpsc::channel(settings.queue);
    let queue = Queue {
        sender,
        sampler: settings.sampler,
        exported: AtomicU64::new(0),
        dropped: AtomicU64::new(0),
    };
    QUEUE.set(queue).ok()?;
    Some(Exporter { settings, messages })
}

/// Whether spans are exported at all.
pub fn is_on() -> bool {
    QUEUE.get().is_some()
}

/// Whether spans of a trace are exported. `parent_is_sampled` is what the caller's `traceparent` says, where it has sent one.
pub fn takes(trace: &[u8; 16], parent_is_sampled: Option<bool>) -> bool {
    QUEUE
        .get()
        .is_some_and(|queue| queue.sampler.takes(trace, parent_is_sampled))
}

/// Takes a finished span. Never waits.
pub fn export(span: Span) {
    if let Some(queue) = QUEUE.get()
        && queue
            .sender
            .try_send(Message::Ended(Box::new(span)))
            .is_err()
    {
        queue.dropped.fetch_add(1, Relaxed);
    }
}

/// How many spans a collector has taken, and how many were dropped, since the start. None where spans are not exported.
pub fn counts() -> Option<(u64, u64)> {
    let queue = QUEUE.get()?;
    Some((queue.exported.load(Relaxed), queue.dropped.load(Relaxed)))
}

/// Sends what is left, at the end of the process. Waits for a moment only.
pub async fn flush() {
    let Some(queue) = QUEUE.get() else {
        return;
    };
    let (done, sent) = oneshot::channel();
    let last = async {
        if queue.sender.send(Message::Flush(done)).await.is_ok() {
            let _ = sent.await;
        }
    };
    let _ = timeout(LAST, last).await;
}

impl Exporter {
    /// Runs as long as the process does.
    pub(super) async fn run(mut self) {
        let connector = crate::database::tls_config().map(|tls| {
            HttpsConnectorBuilder::new()
                .with_tls_config(tls)
                .https_or_http()
                .enable_http1()
                .build()
        });
        let connector = match connector {
            Ok(connector) => connector,
            Err(error) => {
                tracing::error!(%error, "no spans are exported");
                return;
            }
        };
        let client = Client::builder(TokioExecutor::new()).build(connector);
        let mut told: Option<Instant> = None;
        let mut batch = Vec::new();
        while let Some(message) = self.messages.recv().await {
            let mut flushed = self.collect(message, &mut batch).await;
            if let Err(cause) = self.send(&client, &batch, flushed.is_some()).await {
                count(|queue| &queue.dropped, batch.len() as u64);
                if told.is_none_or(|at| at.elapsed() > TELL) {
                    told = Some(Instant::now());
                    tracing::warn!(cause, spans = batch.len(), "spans could not be exported");
                }
            }
            batch.clear();
            if let Some(flushed) = flushed.take() {
                let _ = flushed.send(());
            }
        }
    }

    /// Fills a batch; says who waits for it, if somebody does.
    async fn collect(
        &mut self,
        first: Message,
        batch: &mut Vec<Span>,
    ) -> Option<oneshot::Sender<()>> {
        let due = Instant::now() + self.settings.delay;
        let mut next = Some(first);
        loop {
            match next {
                Some(Message::Ended(span)) => batch.push(*span),
                Some(Message::Flush(flushed)) => return Some(flushed),
                None => return None,
            }
            if batch.len() >= self.settings.batch {
                return None;
            }
            next = timeout_at(due, self.messages.recv()).await.ok().flatten();
        }
    }

    async fn send(
        &self,
        client: &Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
        batch: &[Span],
        is_last: bool,
    ) -> Result<(), String> {
        if batch.is_empty() {
            return Ok(());
        }
        let body = Bytes::from(span::body(&self.settings.resource, batch).to_string());
        let mut pauses = PAUSES.iter();
        loop {
            let refused =
                match timeout(self.settings.timeout, self.post(client, body.clone())).await {
                    Ok(Ok(rejected)) => {
                        let rejected = rejected.min(batch.len() as u64);
                        count(|queue| &queue.exported, batch.len() as u64 - rejected);
                        count(|queue| &queue.dropped, rejected);
                        return Ok(());
                    }
                    Ok(Err(refused)) => refused,
                    Err(_) => Refused::passing("the collector did not answer in time".to_owned()),
                };
            match pauses.next() {
                Some(pause) if refused.is_passing && !is_last => tokio::time::sleep(*pause).await,
                _ => return Err(refused.cause),
            }
        }
    }

    /// Answers how many spans the collector rejected of those that it understood.
    async fn post(
        &self,
        client: &Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
        body: Bytes,
    ) -> Result<u64, Refused> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.settings.endpoint.clone();
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in &self.settings.headers {
            headers.insert(name, value.clone());
        }
        let answer = client.request(request).await.map_err(Refused::passing)?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), 64 * 1024).collect().await;
        match status {
            _ if status.is_success() => Ok(body.map_or(0, |body| rejected(&body.to_bytes()))),
            // Those that OTLP says may be sent again.
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => Err(Refused::passing(format!("answered {status}"))),
            _ => Err(Refused::lasting(format!("answered {status}"))),
        }
    }
}

struct Refused {
    cause: String,
    is_passing: bool,
}

impl Refused {
    fn passing(cause: impl ToString) -> Self {
        Self {
            cause: cause.to_string(),
            is_passing: true,
        }
    }

    fn lasting(cause: impl ToString) -> Self {
        Self {
            cause: cause.to_string(),
            is_passing: false,
        }
    }
}

fn count(of: impl Fn(&Queue) -> &AtomicU64, number: u64) {
    if let Some(queue) = QUEUE.get() {
        of(queue).fetch_add(number, Relaxed);
    }
}

// {"partialSuccess": {"rejectedSpans": "3", "errorMessage": "…"}}; the number may be a string.
fn rejected(body: &[u8]) -> u64 {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let rejected = &body["partialSuccess"]["rejectedSpans"];
    let number = rejected.as_u64();
    number
        .or_else(|| rejected.as_str()?.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_a_collector_rejects_are_counted() {
        assert_eq!(rejected(br#"{"partialSuccess":{"rejectedSpans":"3"}}"#), 3);
        assert_eq!(rejected(br#"{"partialSuccess":{"rejectedSpans":2}}"#), 2);
        assert_eq!(rejected(b"{}"), 0);
        assert_eq!(rejected(b""), 0);
    }
}
