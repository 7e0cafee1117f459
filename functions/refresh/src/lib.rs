//! `refresh`: tells watchers what was refreshed, for those without Supabase Realtime.

mod handler;
#[cfg(all(test, target_arch = "wasm32"))]
mod on_wasm;

use gristmill_core::Code;
use gristmill_edge::{Caller, Routes, StreamQuery, get, post};
use gristmill_rpc::Ticket;
use worker::{Context, Env, Request, Response, event};

fn routes() -> Routes {
    Routes::new("refresh", "Streams the refreshes of watched data as they happen")
        .also_known_as(ANALYTICS)
        .route(
            get("/v1/changes", handler::changes)
                .summary("Streams changes of the data that the caller watches, as server-sent events")
                .by(Caller::User)
                .query::<StreamQuery>()
                .answers_with(
                    200,
                    "text/event-stream",
                    "Streams one event per change. The stream closes after 60 seconds; reconnect with Last-Event-ID.",
                ),
        )
        .route(
            post("/v1/changes/ticket", handler::ticket)
                .summary("Issues a ticket that opens the stream of changes. A browser's EventSource sends the ticket because it cannot send a token")
                .by(Caller::User)
                .answers::<Ticket>(200, "The ticket. It is valid for a little more than a minute")
                .refuses(&[Code::NotFound]),
        )
        .route(
            post("/", handler::count)
                .only_as(ANALYTICS)
                .summary("Counts watchers per symbol and data type. Only the service role may call this")
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
