//! The glue to the edge runtime: a request taken apart, an answer put together, bindings by name.
//!
//! The same code runs in workerd and, through the adapter in `shared/js`, under Deno.

mod call;
mod config;
mod openapi;
mod route;

use std::ops::AsyncFnOnce;

use worker::{Env, Method, Request, Response};

pub use call::{Call, MAX_BODY};
pub use config::Config;
pub use route::{Caller, Route, Routes, delete, get, post, put};

use crate::Problem;

/// What a handler answers: a status and JSON, already written.
pub struct Reply {
    status: u16,
    body: String,
}

impl Reply {
    /// JSON under a status.
    pub fn json(status: u16, body: &impl serde::Serialize) -> Result<Self, Problem> {
        let body = serde_json::to_string(body).map_err(|error| {
            Problem::new(crate::Code::Internal, "The answer could not be written.").because(error)
        })?;
        Ok(Self { status, body })
    }
}

/// Runs a handler for one request: correlation id, answer or problem, one log line without content.
pub async fn serve(
    function: &'static str,
    request: Request,
    env: Env,
    handle: impl AsyncFnOnce(&mut Call, &Config) -> Result<Reply, Problem>,
) -> worker::Result<Response> {
    let started = worker::Date::now().as_millis();
    let mut call = Call::new(function, request);
    let config = Config::new(env, &call.correlation_id);
    let origin = config.optional("CORS_ORIGIN");

    let (status, content_type, body, problem) = if call.is_preflight() {
        (204, None, String::new(), None)
    } else {
        match handle(&mut call, &config).await {
            Ok(reply) => (reply.status, Some("application/json"), reply.body, None),
            Err(problem) => {
                let body = problem.body(&call.correlation_id);
                (
                    problem.code.status(),
                    Some("application/problem+json"),
                    body,
                    Some(problem),
                )
            }
        }
    };

    let mut response = Response::builder()
        .with_status(status)
        .with_header("x-correlation-id", &call.correlation_id)?
        .with_header("cache-control", "no-store")?
        .with_header("x-content-type-options", "nosniff")?;
    if let Some(content_type) = content_type {
        response = response.with_header("content-type", content_type)?;
    }
    if let Some(seconds) = problem.as_ref().and_then(Problem::retry_after) {
        response = response.with_header("retry-after", &seconds.to_string())?;
    }
    if let Some(allowed) = problem
        .as_ref()
        .and_then(|problem| problem.allow.as_deref())
    {
        response = response.with_header("allow", allowed)?;
    }
    if let Some(origin) = origin {
        response = response
            .with_header("access-control-allow-origin", &origin)?
            .with_header(
                "access-control-allow-methods",
                "GET, POST, PUT, DELETE, OPTIONS",
            )?
            .with_header(
                "access-control-allow-headers",
                "authorization, apikey, content-type, x-client-info, x-correlation-id",
            )?
            .with_header("vary", "origin")?;
    }

    let elapsed = worker::Date::now().as_millis().saturating_sub(started);
    log(function, &call, status, elapsed, problem.as_ref());
    // Not from_bytes: it would call everything an octet stream.
    Ok(if status == 204 || call.method == Method::Head {
        response.empty()
    } else {
        response.fixed(body.into_bytes())
    })
}

// Client mistakes are no errors of ours: they are logged as information, without their cause.
fn log(function: &str, call: &Call, status: u16, elapsed: u64, problem: Option<&Problem>) {
    let line = serde_json::json!({
        "function": function,
        "method": call.method.as_ref(),
        "status": status,
        "code": problem.map(|problem| problem.code.as_str()),
        "cause": problem.filter(|_| status >= 500).and_then(|problem| problem.cause.as_deref()),
        "ms": elapsed,
        "correlation_id": call.correlation_id,
    })
    .to_string();
    if status >= 500 {
        worker::console_error!("{line}")
    } else {
        worker::console_log!("{line}")
    }
}
