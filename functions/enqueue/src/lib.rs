//! `enqueue`: takes jobs over HTTP and shows what became of them.
//!
//! - `POST /` submits one job: 202 with its id
//! - `GET /{id}` shows one job of the caller's

mod domain;
mod handler;

use gristmill_shared::edge;
use worker::{Context, Env, Request, Response, event};

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    edge::serve("enqueue", request, env, handler::route).await
}
