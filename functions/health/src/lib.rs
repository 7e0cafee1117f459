//! `health`: says whether the whole system is well, for a monitor outside of it.

mod cron;
mod domain;
mod handler;
mod metrics;
#[cfg(all(test, target_arch = "wasm32"))]
mod on_wasm;

use gristmill_edge::{Caller, Route, Routes, get, post};
use worker::{Context, Env, Request, Response, event};

fn routes() -> Routes {
    Routes::new("health", "Says whether the whole system is well")
        .also_known_as(CHECK)
        .route(schedules(get("/", handler::check_cron)))
        .route(schedules(post("/", handler::check_cron)))
        .route(whole(get("/", handler::show)))
        .route(whole(get("/health", handler::show)))
        .route(
            get("/metrics", handler::metrics)
                .summary("Shows the metrics in the text format of Prometheus")
                .by(Caller::Holder("METRICS_TOKEN"))
                .answers_with(
                    200,
                    "text/plain",
                    "Gauges by queue, target, schedule and rule",
                )
                .refuses(&[gristmill_core::Code::DatabaseUnavailable]),
        )
}

/// The name under which older programs ask whether cron runs.
const CHECK: &str = "health-check";

fn schedules(route: Route) -> Route {
    route
        .only_as(CHECK)
        .summary("Says whether every critical schedule runs on time")
        .answers::<cron::Healthy>(200, "Every critical schedule ran on time")
        .answers::<cron::Stale>(
            503,
            "The answer names the schedules that did not run on time",
        )
}

fn whole(route: Route) -> Route {
    route
        .summary("Shows every check by name. With HEALTH_TOKEN the answer also says what is wrong")
        .answers::<domain::Health>(200, "Every check is well")
        .answers::<domain::Health>(503, "At least one check failed; the answer names each")
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
