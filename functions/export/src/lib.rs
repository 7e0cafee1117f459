//! `export`: takes orders for PDFs, tells how far they are, and gives them out. The container worker makes them.
//!
//! The routes below `/api/v1/export` are the compatible ones, kept for clients that know them.

mod archive;
mod domain;
mod files;
mod handler;
mod names;
mod older;
#[cfg(all(test, target_arch = "wasm32"))]
mod on_wasm;

use gristmill_core::Code;
use gristmill_core::export::{Export, ExportBatch};
use gristmill_core::job::JobId;
use gristmill_edge::{Caller, Route, Routes, StreamQuery, delete, get, post};
use gristmill_rpc::Ticket;
use older::Both;
use uuid::Uuid;
use worker::{Context, Env, Request, Response, event};

const TICKET: &str =
    "Answers a ticket for the stream of events, which an EventSource sends in place of a token";
const TICKET_ANSWER: &str = "Good for a little more than a minute";

const REFUSED_ORDERS: &[Code] = &[
    Code::QueueFull,
    Code::DailyLimit,
    Code::StorageFull,
    Code::NotFound,
];

fn routes() -> Routes {
    let routes = Routes::new("export", "Documents to PDF")
        .route(
            post("/v1/exports", handler::request)
                .summary("Asks for a PDF of a document; the same one pending comes back as it is")
                .by(Caller::User)
                .json::<domain::Order>()
                .repeatable()
                .answers::<Export>(202, "It will be made")
                .refuses(REFUSED_ORDERS),
        )
        .route(
            get("/v1/exports", handler::list)
                .summary("The caller's exports, newest first")
                .by(Caller::User)
                .query::<domain::Page>()
                .answers::<Vec<Export>>(200, "A page of them"),
        )
        .route(
            post("/v1/exports/batch", handler::request_batch)
                .summary("Asks for PDFs of up to ten documents, all or none")
                .by(Caller::User)
                .json::<domain::BatchOrder>()
                .repeatable()
                .answers::<ExportBatch>(202, "They will be made")
                .refuses(REFUSED_ORDERS),
        )
        .route(one(get("/v1/exports/{id}", handler::show)
            .summary("Shows an export; made for polling with ETags")
            .answers::<Export>(200, "The export")
            .answers_with(304, "", "Nothing has changed")))
        .route(one(delete("/v1/exports/{id}", handler::cancel)
            .summary("Cancels an export")
            .answers::<Export>(200, "Cancelled, or about to be")
            .refuses(&[Code::AlreadyFinished])))
        .route(one(events(
            get("/v1/exports/{id}/events", handler::events)
                .summary("Events of an export as they happen"),
        )))
        .route(one(post("/v1/exports/{id}/events/ticket", handler::ticket)
            .summary(TICKET)
            .answers::<Ticket>(200, TICKET_ANSWER)))
        .route(one(get("/v1/exports/{id}/download", files::download)
            .summary("Redirects to the file, under a URL that is good for a minute")
            .answers_with(302, "", "To the file")
            .refuses(&[Code::Expired, Code::NotFinished])))
        .route(one(delete("/v1/exports/{id}/file", handler::delete_file)
            .summary("Deletes the file of an export, which frees its storage at once")
            .answers::<Export>(200, "The export without its file")))
        .route(batch(zip(
            get("/v1/exports/batch/{id}.zip", files::zip).summary("All PDFs of a batch in one ZIP")
        )))
        .route(batch(
            get("/v1/exports/batch/{id}", handler::show_batch)
                .summary("Shows a batch and its exports; made for polling with ETags")
                .answers::<ExportBatch>(200, "The batch")
                .answers_with(304, "", "Nothing has changed"),
        ))
        .route(batch(events(
            get("/v1/exports/batch/{id}/events", handler::batch_events)
                .summary("Events of all exports of a batch as they happen"),
        )))
        .route(batch(
            post(
                "/v1/exports/batch/{id}/events/ticket",
                handler::batch_ticket,
            )
            .summary(TICKET)
            .answers::<Ticket>(200, TICKET_ANSWER),
        ));
    compatible(routes)
}

// The routes that clients of the older system call.
fn compatible(routes: Routes) -> Routes {
    routes
        .route(
            post("/api/v1/export/pdf", older::request)
                .summary("As POST /v1/exports")
                .by(Caller::User)
                .json::<older::Order>()
                .repeatable()
                .answers::<Both<older::Ordered>>(202, "It will be made")
                .refuses(REFUSED_ORDERS),
        )
        .route(
            post("/api/v1/export/batch", older::request_batch)
                .summary("As POST /v1/exports/batch")
                .by(Caller::User)
                .json::<older::BatchOrder>()
                .repeatable()
                .answers::<Both<older::OrderedBatch>>(202, "They will be made")
                .refuses(REFUSED_ORDERS),
        )
        .route(one(get("/api/v1/export/job/{id}", older::show)
            .summary("As GET /v1/exports/{id}")
            .answers::<Both<older::Job>>(200, "The job")
            .answers_with(304, "", "Nothing has changed")))
        .route(one(delete("/api/v1/export/job/{id}", older::cancel)
            .summary("As DELETE /v1/exports/{id}")
            .answers::<Both<older::Cancelled>>(200, "Cancelled, or about to be")
            .refuses(&[Code::AlreadyFinished])))
        .route(one(get("/api/v1/export/job/{id}/stream", older::stream)
            .summary("Events of an export as they happen, in the compatible form")
            .header::<u64>("last-event-id", "Only what came after it is sent", false)
            .query::<StreamQuery>()
            .answers_with(
                200,
                "text/event-stream",
                "progress, completed, failed, cancelled, timeout, error",
            )
            .answers_with(204, "", "Nothing will come after that id")))
        .route(one(post(
            "/api/v1/export/job/{id}/stream/ticket",
            older::ticket,
        )
        .summary(TICKET)
        .answers::<Both<older::Ticket>>(200, TICKET_ANSWER)))
        .route(batch(zip(get(
            "/api/v1/export/batch/{id}/download",
            older::zip,
        )
        .summary("As GET /v1/exports/batch/{id}.zip")
        .answers::<Both<older::Partial>>(206, "Some are being made"))))
        .route(one(get("/api/v1/export/download/{id}", files::download)
            .summary("As GET /v1/exports/{id}/download")
            .answers_with(302, "", "To the file")
            .refuses(&[Code::Expired, Code::NotFinished])))
        .route(
            post("/api/v1/export/cleanup", older::cleanup)
                .summary("Removes files that have expired; for the service alone")
                .by(Caller::User)
                .answers::<Both<older::Deleted>>(200, "How many")
                .refuses(&[Code::StorageUnavailable]),
        )
}

fn one(route: Route) -> Route {
    route
        .by(Caller::User)
        .path_param::<JobId>("id", "As asking for it answered")
}

fn batch(route: Route) -> Route {
    route
        .by(Caller::User)
        .path_param::<Uuid>("id", "As asking for the batch answered")
}

fn events(route: Route) -> Route {
    route
        .header::<u64>("last-event-id", "Only what came after it is sent", false)
        .query::<StreamQuery>()
        .answers_with(
            200,
            "text/event-stream",
            "progress, completed, failed, cancelled",
        )
        .answers_with(204, "", "Nothing will come after that id")
}

fn zip(route: Route) -> Route {
    route
        .query::<domain::Part>()
        .answers_with(200, "application/zip", "One entry per document")
        .refuses(&[Code::NotFinished, Code::Expired])
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
