//! `cleanup`: removes expired files, rows and logs, step by step.
//!
//! The steps are rows of `mill.cleanup_step`; each part of the system brings its own. Postgres invokes this by schedule; a
//! cron trigger does the same where Postgres has no cron.

mod domain;
mod handler;
#[cfg(all(test, target_arch = "wasm32"))]
mod on_wasm;

use gristmill_core::Code;
use gristmill_edge::{Caller, Routes, post};
use worker::{Context, Env, Request, Response, ScheduleContext, ScheduledEvent, event};

fn routes() -> Routes {
    Routes::new("cleanup", "Removes expired files, rows and logs")
        .also_known_as("cleanup-exports")
        .route(
            post("/", handler::invoked)
                .summary("Runs all cleanup steps once. Only Postgres may call this, with its signature")
                .by(Caller::Postgres)
                .json::<handler::Invocation>()
                .answers::<domain::Report>(200, "The result of each step"),
        )
        .route(
            post("/", handler::exports)
                .only_as("cleanup-exports")
                .summary("Removes exported files that have expired. The caller is the service with its key, or Postgres with its signature")
                .by(Caller::Holder("SUPABASE_SERVICE_ROLE_KEY"))
                .answers::<domain::Deleted>(200, "How many files were removed")
                .refuses(&[Code::BadSignature, Code::DatabaseUnavailable, Code::StorageUnavailable]),
        )
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}

#[event(scheduled)]
async fn scheduled(_event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    handler::scheduled(&env.into()).await;
}
