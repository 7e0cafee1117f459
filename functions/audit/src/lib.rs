//! `audit`, also known as audit-logger-v3: appends to the audit log and verifies its chain.
//!
//! It holds no service key: the caller's token goes on to Postgres, which lets nobody but the service near the log.

mod domain;
mod handler;
#[cfg(all(test, target_arch = "wasm32"))]
mod on_wasm;

use gristmill_edge::{Caller, Routes, get, post};
use gristmill_rpc::AuditVerdict;
use worker::{Context, Env, Request, Response, event};

fn routes() -> Routes {
    Routes::new("audit", "Appends to the audit log and verifies its hash chain")
        .also_known_as("audit-logger-v3")
        .route(
            post("/", handler::append)
                .summary("Appends an event to the audit log. Send the token of the service")
                .by(Caller::User)
                .json::<domain::NewEvent>()
                .repeatable()
                .answers::<domain::Appended>(201, "The event is in the log and cannot be changed"),
        )
        .route(
            get("/verify", handler::verify)
                .summary("Verifies the hash chain of the audit log for a range of days. Send the token of the service")
                .by(Caller::User)
                .query::<domain::Range>()
                .answers::<AuditVerdict>(200, "The findings, and the last link of the chain"),
        )
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
