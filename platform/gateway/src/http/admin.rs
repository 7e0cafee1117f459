//! The admin address: is the process alive, is it of use, what has it counted.

use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Request, Response, StatusCode};

use super::{Answer, body};
use crate::Gateway;
use crate::metrics::MemoryGauge;

/// Answers without waiting for anything, so that a probe never hangs behind the work.
pub(crate) fn answer<B>(gateway: &Gateway, request: &Request<B>) -> Answer {
    let ready = gateway.catalog.is_ready();
    let (status, text) = match request.uri().path() {
        "/live" => (StatusCode::OK, "live\n".to_owned()),
        "/ready" if ready => (StatusCode::OK, "ready\n".to_owned()),
        "/ready" => (
            StatusCode::SERVICE_UNAVAILABLE,
            "waiting for Postgres and its schema\n".to_owned(),
        ),
        "/metrics" => (
            StatusCode::OK,
            gateway.metrics.render(
                gateway.pool.counts(),
                &gateway.pool.gauge(),
                &MemoryGauge {
                    bodies: gateway.bodies.held(),
                    answers: gateway.answers.held(),
                },
                ready,
            ),
        ),
        _ => (
            StatusCode::NOT_FOUND,
            "try /live, /ready or /metrics\n".to_owned(),
        ),
    };
    let mut answer = Response::new(body::whole(text));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    let plain = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    headers.insert(CONTENT_TYPE, plain);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    answer
}
