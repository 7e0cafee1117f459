//! The worker's own port: `/live`, `/ready`, `/metrics` and `POST /wake`.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::time::Instant;

use super::{Error, Status};
use crate::cancellation::Cancellation;

/// How long an address that is taken is waited for: a worker that was killed may have left it to a child for a moment.
const TAKEN: Duration = Duration::from_secs(3);

/// Longest a request's head may take to arrive, and a kept connection may stay quiet.
const HEAD_ARRIVAL: Duration = Duration::from_secs(75);

pub(super) async fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    let given_up = Instant::now() + TAKEN;
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == ErrorKind::AddrInUse && Instant::now() < given_up => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Err(source) => return Err(Error::Listen { address, source }),
        }
    }
}

pub(super) async fn serve(listener: TcpListener, status: Arc<Status>, stop: Cancellation) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, most likely: accepting at once again would only spin.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let status = status.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let answer = answer(&status, &request);
            async move { Ok::<_, Infallible>(answer) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_ARRIVAL)
            .serve_connection(TokioIo::new(stream), service);
        // An error is the client's connection ending; nobody is left to tell.
        tokio::spawn(async move { drop(connection.await) });
    }
}

fn answer(status: &Status, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/live") => text(StatusCode::OK, "live\n"),
        (&Method::GET, "/ready") if status.is_ready() => text(StatusCode::OK, "ready\n"),
        (&Method::GET, "/ready") => text(
            StatusCode::SERVICE_UNAVAILABLE,
            "Postgres has not answered the last claim\n",
        ),
        (&Method::GET, "/metrics") => text(StatusCode::OK, status.metrics()),
        // It only makes lanes look earlier than they would have: nothing to protect.
        (&Method::POST, "/wake") => {
            status.wake();
            text(StatusCode::ACCEPTED, "woken\n")
        }
        _ => text(
            StatusCode::NOT_FOUND,
            "try /live, /ready, /metrics or POST /wake\n",
        ),
    }
}

fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(text.into()));
    *answer.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, plain);
    answer
}
