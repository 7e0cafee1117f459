//! A plain HTTP server for the commands that need no more than that: storage, and the worker's own ports.

use std::convert::Infallible;
use std::future::Future;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::patient::Patient;

/// What a handler answers.
pub type Answer = Response<Body>;
/// A whole body, or a file on its way.
pub type Body = UnsyncBoxBody<Bytes, std::io::Error>;

/// Longest a request's head may take to arrive, and a kept connection may stay quiet.
const HEAD_ARRIVAL: Duration = Duration::from_secs(75);

/// Longest a client may take nothing of its answer.
const STALLED: Duration = Duration::from_secs(60);

/// How long an address that is taken is waited for. One that was killed may, while it started a child, have left the socket to that,
/// until the child becomes another program; so it seems: a worker that started right after was once refused its address.
const TAKEN: Duration = Duration::from_secs(3);

/// The address is taken or not ours.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}")]
pub struct ListenError {
    address: SocketAddr,
    #[source]
    source: std::io::Error,
}

/// Takes an address; port 0 takes a free one.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, ListenError> {
    let given_up = Instant::now() + TAKEN;
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == ErrorKind::AddrInUse && Instant::now() < given_up => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Err(source) => return Err(ListenError { address, source }),
        }
    }
}

/// Answers requests until `stop`, then lets those under way finish within `drain`.
pub async fn serve<H, A>(
    listener: TcpListener,
    handle: H,
    stop: impl Future<Output = ()>,
    drain: Duration,
) where
    H: Fn(Request<Incoming>) -> A + Clone + Send + 'static,
    A: Future<Output = Answer> + Send,
{
    let connections = GracefulShutdown::new();
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of file descriptors, most likely: accepting at once again would only spin.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let handle = handle.clone();
        let service = service_fn(move |request| {
            let answer = handle(request);
            async move { Ok::<_, Infallible>(answer.await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_ARRIVAL)
            .serve_connection(TokioIo::new(Patient::new(stream, STALLED)), service);
        // An error is the client's connection ending; nobody is left to tell.
        let connection = connections.watch(connection);
        tokio::spawn(async move { drop(connection.await) });
    }
    drop(listener);
    if tokio::time::timeout(drain, connections.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not finish in time and were cut off");
    }
}

/// A body that is all there.
pub fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

/// Plain text.
pub fn text(status: StatusCode, text: impl Into<Bytes>) -> Answer {
    typed(status, "text/plain; charset=utf-8", text)
}

/// JSON.
pub fn json(status: StatusCode, value: &serde_json::Value) -> Answer {
    typed(status, "application/json; charset=utf-8", value.to_string())
}

fn typed(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(whole(body));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_that_becomes_free_is_taken() {
        let before = bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = before.local_addr().unwrap();
        let leave = async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            drop(before);
        };
        let (bound, ()) = tokio::join!(bind(address), leave);
        assert_eq!(bound.unwrap().local_addr().unwrap(), address);
    }

    #[tokio::test]
    async fn an_address_that_stays_taken_is_an_error() {
        let before = bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let error = bind(before.local_addr().unwrap()).await.unwrap_err();
        assert_eq!(error.source.kind(), ErrorKind::AddrInUse);
    }
}
