//! `health`: says whether the whole system is well, for a monitor outside of it.

mod domain;
mod handler;
mod metrics;

use gristmill_shared::edge::{Caller, Routes, get};
use worker::{Context, Env, Request, Response, event};

fn routes() -> Routes {
    Routes::new("health", "Says whether the whole system is well")
        .route(
            get("/", handler::show)
                .summary("Every check by name; what is wrong in words for holders of HEALTH_TOKEN")
                .answers::<domain::Health>(200, "All is well")
                .answers::<domain::Health>(503, "What is not well is named"),
        )
        .route(
            get("/metrics", handler::metrics)
                .summary("Numbers in Prometheus' text format")
                .by(Caller::Holder("METRICS_TOKEN"))
                .answers_with(
                    200,
                    "text/plain",
                    "Gauges by queue, target, schedule and rule",
                )
                .refuses(&[gristmill_shared::Code::DatabaseUnavailable]),
        )
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
