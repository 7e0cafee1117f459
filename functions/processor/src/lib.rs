//! `processor`: claims one batch of light jobs, does them, settles them, and exits.
//!
//! A cron trigger runs the schedules of `mill.schedule` that it mirrors, for deployments without pg_cron.

mod handler;
mod jobs;
#[cfg(all(test, target_arch = "wasm32"))]
mod on_wasm;
mod refresh;
mod transport;

use gristmill_edge::{Caller, Routes, post};
use worker::{Context, Env, Request, Response, ScheduleContext, ScheduledEvent, event};

fn routes() -> Routes {
    Routes::new("processor", "Runs one batch of light jobs per invocation")
        .also_known_as("queue-processor")
        .route(
            post("/", handler::invoked)
                .summary("Runs one batch of jobs. Only Postgres may call this, with its signature")
                .by(Caller::Postgres)
                .json::<gristmill::Invocation>()
                .answers::<gristmill::Report>(200, "The result of the batch"),
        )
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}

#[event(scheduled)]
async fn scheduled(event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    handler::scheduled(&env.into(), &event.cron()).await;
}
