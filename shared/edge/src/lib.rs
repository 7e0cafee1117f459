//! The glue to the edge runtime: a request taken apart, an answer put together, bindings by name.
//!
//! The same code runs in workerd and, through the adapter in `shared/edge/js`, under Deno.

mod alive;
mod call;
mod config;
mod cors;
mod guard;
mod idempotency;
mod openapi;
mod reply;
mod route;
mod routes;
pub mod sse;
pub mod storage;
mod ticket;
mod wake;

use std::ops::AsyncFnOnce;

use worker::{Context, Env, Method, Request, Response};

pub use call::{Call, MAX_BODY};
pub use config::Config;
pub use idempotency::IdempotencyKey;
pub use reply::{Bytes, Reply};
pub use route::{Caller, Route, delete, get, post, put};
pub use routes::Routes;
pub use ticket::StreamQuery;

use gristmill_core::Problem;

/// Runs a handler for one request: correlation id, answer or problem, one log line without content.
async fn serve(
    names: &[&'static str],
    request: Request,
    env: Env,
    after: Option<Context>,
    handle: impl AsyncFnOnce(&mut Call, &Config) -> Result<Reply, Problem>,
) -> worker::Result<Response> {
    let started = worker::Date::now().as_millis();
    let deployed_as = env.var("FUNCTION_NAME").ok().map(|name| name.to_string());
    let mut call = Call::new(names, deployed_as.as_deref(), request);
    let function = call.name();
    let config = Config::new(env, &call.correlation_id, call.traceparent);

    let (reply, problem) = if call.is_preflight() {
        (Reply::empty(204), None)
    } else {
        match handle(&mut call, &config).await {
            Ok(reply) => (reply, None),
            Err(problem) => (
                Reply::problem(&problem, &call.correlation_id),
                Some(problem),
            ),
        }
    };

    if let Some(context) = after {
        wake::after_answer(context, &config, function);
    }
    let response = Response::builder().with_header("x-correlation-id", &call.correlation_id)?;
    let response = cors::open(&call, &config, response)?;

    let elapsed = worker::Date::now().as_millis().saturating_sub(started);
    log(function, &call, reply.status(), elapsed, problem.as_ref());
    let reply = if call.method == Method::Head {
        reply.without_body()
    } else {
        reply
    };
    reply.into_response(response)
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
