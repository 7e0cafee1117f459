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
    Routes::new("workflows", "Runs jobs of many tasks")
        .also_known_as("jobs")
        .keys_kept_as("jobs")
        .route(start(
            post("/v1/jobs", handler::start)
                .summary("Starts a workflow job of the given type")
                .answers::<StartedWorkflow>(202, "The job is started, or was started before under the same idempotency key"),
        ))
        .route(
            get("/v1/jobs", handler::list)
                .summary("Lists the caller's jobs, newest first")
                .by(Caller::User)
                .query::<domain::Page>()
                .answers::<Vec<WorkflowState>>(200, "One page of jobs")
                .answers_with(304, "", "The list has not changed since that ETag"),
        )
        .route(one(get("/v1/jobs/{id}", handler::show)
            .summary(
                "Shows a job with its steps, tasks and artifacts. The URLs of artifacts expire",
            )
            .query::<domain::Look>()
            .answers::<domain::Shown>(200, "The job")
            .answers_with(304, "", "The job has not changed since that ETag, and the URLs are still valid")))
        .route(one(get("/v1/jobs/{id}/events", handler::events)
            .summary(
                "Streams the progress of a job as server-sent events",
            )
            .query::<StreamQuery>()
            .answers_with(200, "text/event-stream", "Events named progress, completed, failed or cancelled")
            .answers_with(
                204,
                "",
                "The job has ended, and the caller has received its last event. Do not reconnect",
            )))
        .route(one(post("/v1/jobs/{id}/events/ticket", handler::ticket)
            .summary("Issues a ticket that opens the event stream. A browser's EventSource sends the ticket because it cannot send a token")
            .answers::<Ticket>(200, "The ticket. It is valid for a little more than a minute")))
        .route(one(delete("/v1/jobs/{id}", handler::cancel)
            .summary("Cancels a job: its waiting tasks never run. The answer lists the tasks that are still running")
            .answers::<CancelledWorkflow>(200, "The job is cancelled")
            .refuses(&[Code::WrongState])))
        .route(one(post("/v1/jobs/{id}/retry", handler::retry)
            .summary("Resumes a failed job: its failed tasks run again, its completed tasks do not")
            .answers::<WorkflowState>(202, "The job runs again")
            .repeatable()
            .refuses(&[Code::WrongState])))
        .route(start(
            post("/api/jobs/start", handler::start)
                .summary("Does the same as POST /v1/jobs")
                .answers::<StartedWorkflow>(202, "The job is started, or was started before under the same idempotency key"),
        ))
        .route(one(get("/api/jobs/{id}", legacy::show)
            .summary("Does the same as GET /v1/jobs/{id}, in the compatible form")
            .answers::<legacy::Job>(200, "The job")
            .answers_with(304, "", "The job has not changed since that ETag, and the URLs are still valid")))
}

fn start(route: Route) -> Route {
    route
        .by(Caller::User)
        .keyed("A retry with the same key gets the first job, as long as that job exists. A key is unique per caller")
        .json::<domain::Order>()
        .refuses(&[Code::UnknownKind, Code::UnfitParams])
}

fn one(route: Route) -> Route {
    route
        .by(Caller::User)
        .path_param::<JobId>("id", "The id that starting the job answered")
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
