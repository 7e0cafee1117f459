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

const TICKET: &str = "Issues a ticket that opens the event stream. A browser's EventSource sends the ticket because it cannot send a token";
const TICKET_ANSWER: &str = "The ticket. It is valid for a little more than a minute";

const REFUSED_ORDERS: &[Code] = &[
    Code::QueueFull,
    Code::DailyLimit,
    Code::StorageFull,
    Code::NotFound,
];

fn routes() -> Routes {
    let routes = Routes::new("export", "Exports documents to PDF")
        .route(
            post("/v1/exports", handler::request)
                .summary("Requests a PDF of a document. While the same export is pending, the request answers that export")
                .by(Caller::User)
                .json::<domain::Order>()
                .repeatable()
                .answers::<Export>(202, "The export is enqueued")
                .refuses(REFUSED_ORDERS),
        )
        .route(
            get("/v1/exports", handler::list)
                .summary("Lists the caller's exports, newest first")
                .by(Caller::User)
                .query::<domain::Page>()
                .answers::<Vec<Export>>(200, "One page of exports"),
        )
        .route(
            post("/v1/exports/batch", handler::request_batch)
                .summary("Requests PDFs of up to ten documents. If one document is refused, no export is made")
                .by(Caller::User)
                .json::<domain::BatchOrder>()
                .repeatable()
                .answers::<ExportBatch>(202, "The exports are enqueued")
                .refuses(REFUSED_ORDERS),
        )
        .route(one(get("/v1/exports/{id}", handler::show)
            .summary("Shows an export. To poll, send If-None-Match with the ETag of the last answer")
            .answers::<Export>(200, "The export")
            .answers_with(304, "", "The export has not changed since that ETag")))
        .route(one(delete("/v1/exports/{id}", handler::cancel)
            .summary("Cancels an export")
            .answers::<Export>(200, "The export is cancelled, or its worker is told to stop")
            .refuses(&[Code::AlreadyFinished])))
        .route(one(events(
            get("/v1/exports/{id}/events", handler::events)
                .summary("Streams the progress of an export as server-sent events"),
        )))
        .route(one(post("/v1/exports/{id}/events/ticket", handler::ticket)
            .summary(TICKET)
            .answers::<Ticket>(200, TICKET_ANSWER)))
        .route(one(get("/v1/exports/{id}/download", files::download)
            .summary("Redirects to the PDF. The link expires after one minute")
            .answers_with(302, "", "The Location header has the link")
            .refuses(&[Code::Expired, Code::NotFinished])))
        .route(one(delete("/v1/exports/{id}/file", handler::delete_file)
            .summary("Deletes the file of an export, which frees its storage at once")
            .answers::<Export>(200, "The export without its file")))
        .route(batch(zip(
            get("/v1/exports/batch/{id}.zip", files::zip).summary("Downloads all PDFs of a batch as one ZIP")
        )))
        .route(batch(
            get("/v1/exports/batch/{id}", handler::show_batch)
                .summary("Shows a batch and its exports. To poll, send If-None-Match with the ETag of the last answer")
                .answers::<ExportBatch>(200, "The batch")
                .answers_with(304, "", "The batch has not changed since that ETag"),
        ))
        .route(batch(events(
            get("/v1/exports/batch/{id}/events", handler::batch_events)
                .summary("Streams the progress of all exports of a batch as server-sent events"),
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
                .summary("Does the same as POST /v1/exports, in the compatible form")
                .by(Caller::User)
                .json::<older::Order>()
                .repeatable()
                .answers::<Both<older::Ordered>>(202, "The export is enqueued")
                .refuses(REFUSED_ORDERS),
        )
        .route(
            post("/api/v1/export/batch", older::request_batch)
                .summary("Does the same as POST /v1/exports/batch, in the compatible form")
                .by(Caller::User)
                .json::<older::BatchOrder>()
                .repeatable()
                .answers::<Both<older::OrderedBatch>>(202, "The exports are enqueued")
                .refuses(REFUSED_ORDERS),
        )
        .route(one(get("/api/v1/export/job/{id}", older::show)
            .summary("Does the same as GET /v1/exports/{id}, in the compatible form")
            .answers::<Both<older::Job>>(200, "The job")
            .answers_with(304, "", "The export has not changed since that ETag")))
        .route(one(delete("/api/v1/export/job/{id}", older::cancel)
            .summary("Does the same as DELETE /v1/exports/{id}, in the compatible form")
            .answers::<Both<older::Cancelled>>(200, "The export is cancelled, or its worker is told to stop")
            .refuses(&[Code::AlreadyFinished])))
        .route(one(get("/api/v1/export/job/{id}/stream", older::stream)
            .summary("Streams the progress of an export as server-sent events, in the compatible form")
            .header::<u64>("last-event-id", "The id of the last event that the caller has received. The stream sends only later events", false)
            .query::<StreamQuery>()
            .answers_with(
                200,
                "text/event-stream",
                "Events named progress, completed, failed, cancelled, timeout or error",
            )
            .answers_with(204, "", "The caller has received the last event. Do not reconnect")))
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
        .summary("Does the same as GET /v1/exports/batch/{id}.zip, in the compatible form")
        .answers::<Both<older::Partial>>(206, "Some exports of the batch are not finished yet"))))
        .route(one(get("/api/v1/export/download/{id}", files::download)
            .summary("Does the same as GET /v1/exports/{id}/download")
            .answers_with(302, "", "The Location header has the link")
            .refuses(&[Code::Expired, Code::NotFinished])))
        .route(
            post("/api/v1/export/cleanup", older::cleanup)
                .summary("Removes exported files that have expired. Only the service role may call this")
                .by(Caller::User)
                .answers::<Both<older::Deleted>>(200, "How many files were removed")
                .refuses(&[Code::StorageUnavailable]),
        )
}

fn one(route: Route) -> Route {
    route
        .by(Caller::User)
        .path_param::<JobId>("id", "The id that requesting the export answered")
}

fn batch(route: Route) -> Route {
    route
        .by(Caller::User)
        .path_param::<Uuid>("id", "The id that requesting the batch answered")
}

fn events(route: Route) -> Route {
    route
        .header::<u64>("last-event-id", "The id of the last event that the caller has received. The stream sends only later events", false)
        .query::<StreamQuery>()
        .answers_with(
            200,
            "text/event-stream",
            "Events named progress, completed, failed or cancelled",
        )
        .answers_with(204, "", "The caller has received the last event. Do not reconnect")
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
