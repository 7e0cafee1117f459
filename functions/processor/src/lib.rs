//! `processor`: claims one batch of light jobs, does them, settles them, and exits.
//!
//! - `POST /` an invocation, signed by Postgres
//! - scheduled: one round of the pump, for deployments without pg_cron

mod handler;
mod jobs;

use gristmill_shared::edge;
use worker::{Context, Env, Request, Response, ScheduleContext, ScheduledEvent, event};

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    edge::serve("processor", request, env, handler::route).await
}

#[event(scheduled)]
async fn scheduled(_event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    handler::tick(&env.into()).await;
}
