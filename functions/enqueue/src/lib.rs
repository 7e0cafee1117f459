//! `enqueue`: takes jobs over HTTP and shows what became of them.

mod domain;
mod handler;
#[cfg(all(test, target_arch = "wasm32"))]
mod on_wasm;

use gristmill_core::Code;
use gristmill_core::job::{Job, JobId, Submitted};
use gristmill_edge::{Caller, Routes, get, post};
use worker::{Context, Env, Request, Response, event};

fn routes() -> Routes {
    Routes::new("enqueue", "Takes jobs and shows what became of them")
        .route(
            post("/", handler::submit)
                .summary("Submits one job")
                .by(Caller::User)
                .json::<domain::Submission>()
                .repeatable()
                .answers::<Submitted>(
                    202,
                    "The job is enqueued, or a live job has the same dedupe_key",
                )
                .refuses(&[
                    Code::UnknownKind,
                    Code::EmptyPayload,
                    Code::QueueFull,
                    Code::TooMany,
                ]),
        )
        .route(
            get("/{id}", handler::show)
                .summary("Shows one of the caller's jobs")
                .by(Caller::User)
                .path_param::<JobId>("id", "The id that submitting the job answered")
                .query::<domain::Showing>()
                .answers::<Job>(200, "The job"),
        )
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> worker::Result<Response> {
    routes().wakes(context).serve(request, env).await
}
