//! `health`: says whether the whole system is well, for a monitor outside of it.
//!
//! - `GET /` 200 or 503, with each check named

mod domain;
mod handler;

use gristmill_shared::edge;
use worker::{Context, Env, Request, Response, event};

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    edge::serve("health", request, env, handler::route).await
}
