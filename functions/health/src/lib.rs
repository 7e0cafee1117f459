//! `health`: says whether the whole system is well, for a monitor outside of it.

mod domain;
mod handler;

use gristmill_shared::edge::{Routes, get};
use worker::{Context, Env, Request, Response, event};

fn routes() -> Routes {
    Routes::new("health", "Says whether the whole system is well").route(
        get("/", handler::show)
            .summary("Every check by name")
            .answers::<domain::Health>(200, "All is well")
            .answers::<domain::Health>(503, "What is not well is named"),
    )
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
