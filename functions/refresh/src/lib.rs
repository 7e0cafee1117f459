//! `refresh`: tells watchers what was refreshed, for those without Supabase Realtime.

mod handler;

use gristmill_shared::edge::{Caller, Routes, get, post};
use worker::{Context, Env, Request, Response, event};

fn routes() -> Routes {
    Routes::new("refresh", "What was refreshed, as it happens")
        .also_known_as(ANALYTICS)
        .route(
            get("/v1/changes", handler::changes)
                .summary("Changes of what the caller watches, as server-sent events")
                .by(Caller::User)
                .answers_with(
                    200,
                    "text/event-stream",
                    "A change an event, until the stream ends after a minute",
                ),
        )
        .route(
            post("/", handler::count)
                .only_as(ANALYTICS)
                .summary("Counts watchers by symbol and type, for the service")
                .by(Caller::User)
                .answers_with(
                    200,
                    "application/json",
                    "{counted}, or {skipped} while another count is under way",
                ),
        )
}

/// The name under which older programs have watchers counted.
const ANALYTICS: &str = "refresh-analytics-from-presence-v2";

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
