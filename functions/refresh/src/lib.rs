//! `refresh`: tells watchers what was refreshed, for those without Supabase Realtime.

mod handler;

use gristmill_shared::edge::{Caller, Routes, get};
use worker::{Context, Env, Request, Response, event};

fn routes() -> Routes {
    Routes::new("refresh", "What was refreshed, as it happens").route(
        get("/v1/changes", handler::changes)
            .summary("Changes of what the caller watches, as server-sent events")
            .by(Caller::User)
            .answers_with(
                200,
                "text/event-stream",
                "A change an event, until the stream ends after a minute",
            ),
    )
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
