//! The function that tests/conformance plays its scenarios against, in workerd.
#![cfg(target_arch = "wasm32")]

use worker::{Context, Env, Request, Response, event};

#[event(fetch)]
async fn fetch(request: Request, env: Env, _: Context) -> worker::Result<Response> {
    gristmill::edge::serve(request, env, gristmill_conformance::conform()).await
}
