//! `workflows`: starts jobs of many tasks, tells how far they are, and gives out what they made.
//!
//! Also known as `jobs`. The routes below `/api/jobs` are kept for clients of the compatible system.

mod domain;
mod handler;
mod legacy;
#[cfg(all(test, target_arch = "wasm32"))]
mod on_wasm;

use gristmill_core::Code;
use gristmill_core::job::JobId;
use gristmill_edge::{Caller, Route, Routes, StreamQuery, delete, get, post};
use gristmill_rpc::{CancelledWorkflow, StartedWorkflow, Ticket, WorkflowState};
use worker::{Context, Env, Request, Response, event};

fn routes() -> Routes {
    Routes::new("workflows", "Jobs of many tasks")
        .also_known_as("jobs")
        .keys_kept_as("jobs")
        .route(start(
            post("/v1/jobs", handler::start)
                .summary("Starts a job of a workflow type")
                .answers::<StartedWorkflow>(202, "Started, or found under its idempotency key"),
        ))
        .route(
            get("/v1/jobs", handler::list)
                .summary("The caller's jobs, newest first")
                .by(Caller::User)
                .query::<domain::Page>()
                .answers::<Vec<WorkflowState>>(200, "A page of them")
                .answers_with(304, "", "Nothing has changed"),
        )
        .route(one(get("/v1/jobs/{id}", handler::show)
            .summary(
                "Shows a job with its steps, tasks and artifacts, these under URLs that expire",
            )
            .query::<domain::Look>()
            .answers::<domain::Shown>(200, "The job")
            .answers_with(304, "", "Nothing has changed, and the URLs are still good")))
        .route(one(get("/v1/jobs/{id}/events", handler::events)
            .summary(
                "Progress of a job as it happens: events progress, completed, failed, cancelled",
            )
            .query::<StreamQuery>()
            .answers_with(200, "text/event-stream", "Server-sent events")
            .answers_with(
                204,
                "",
                "It has ended, and the caller has seen it",
            )))
        .route(one(post("/v1/jobs/{id}/events/ticket", handler::ticket)
            .summary("Answers a ticket for the stream of events, which an EventSource sends in place of a token")
            .answers::<Ticket>(200, "Good for a little more than a minute")))
        .route(one(delete("/v1/jobs/{id}", handler::cancel)
            .summary("Cancels what has not run, and tells what is running")
            .answers::<CancelledWorkflow>(200, "Cancelled")
            .refuses(&[Code::WrongState])))
        .route(one(post("/v1/jobs/{id}/retry", handler::retry)
            .summary("Resumes a failed job from its failed tasks, keeping what is done")
            .answers::<WorkflowState>(202, "It goes on")
            .repeatable()
            .refuses(&[Code::WrongState])))
        .route(start(
            post("/api/jobs/start", handler::start)
                .summary("As POST /v1/jobs")
                .answers::<StartedWorkflow>(202, "Started, or found under its idempotency key"),
        ))
        .route(one(get("/api/jobs/{id}", legacy::show)
            .summary("As GET /v1/jobs/{id}, in the compatible form")
            .answers::<legacy::Job>(200, "The job")
            .answers_with(304, "", "Nothing has changed, and the URLs are still good")))
}

fn start(route: Route) -> Route {
    route
        .by(Caller::User)
        .keyed("Makes a retry answer with the first job, for as long as that is there; the caller's own")
        .json::<domain::Order>()
        .refuses(&[Code::UnknownKind, Code::UnfitParams])
}

fn one(route: Route) -> Route {
    route
        .by(Caller::User)
        .path_param::<JobId>("id", "As starting it answered")
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
