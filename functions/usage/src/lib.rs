//! `usage`: shows people what they have used of their plan this month.

mod domain;
mod handler;
#[cfg(all(test, target_arch = "wasm32"))]
mod on_wasm;

use gristmill_edge::{Caller, Route, Routes, get};
use gristmill_rpc::ProfileUsage;
use worker::{Context, Env, Request, Response, event};

// On Supabase the function itself is /functions/v1/usage; on a host of its own it is /v1/usage.
fn routes() -> Routes {
    Routes::new("usage", "Shows what a profile has used of its plan")
        .route(shown(get("/", handler::show)))
        .route(shown(get("/v1/usage", handler::show)))
}

fn shown(route: Route) -> Route {
    route
        .summary("Shows what a profile has used this month, and the limits of its plan")
        .by(Caller::User)
        .query::<domain::Asked>()
        .answers::<ProfileUsage>(
            200,
            "Every meter with its limit, or tracking_disabled when the operator counts nothing",
        )
        .refuses(&[gristmill_core::Code::NotFound])
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
