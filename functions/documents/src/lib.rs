//! `documents`: documents come in, and what was found in them goes out.
//!
//! An upload is two-phase: Postgres registers it, the object is stored, Postgres marks it stored and enqueues the first
//! stage. If the function dies in between, the sweep of the container worker repairs it later: it registers an object without a row, and ends a row without an object. Also known as `upload` and `shell-file-processor-v3`.
//!
//! It holds the anon key and forwards the caller's token: row level security decides. Where files lie in R2 it also
//! serves them under signed links, see `objects`.

mod body;
mod domain;
mod handler;
mod objects;
#[cfg(all(test, target_arch = "wasm32"))]
mod on_wasm;
mod receive;
mod shell_file;

use gristmill_core::Code;
use gristmill_edge::{Caller, Route, Routes, StreamQuery, delete, get, post};
use gristmill_rpc::Ticket;
use worker::{Context, Env, Request, Response, event};

fn routes() -> Routes {
    let id = "The id that the upload answered";
    Routes::new("documents", "Takes documents and shows what was found in them")
        .also_known_as("upload")
        .keys_kept_as("upload")
        .also_known_as(domain::SHELL_FILE_PROCESSOR)
        .route(
            post("/v1/documents", receive::receive)
                .summary("Uploads a file, as the raw body or as a multipart form. Without profile_id the document belongs to the caller's default profile")
                .by(Caller::User)
                .query::<domain::Naming>()
                .keyed("A retry with the same key gets the first document, as long as that document exists. A key is unique per profile")
                .body("application/octet-stream")
                .answers::<domain::Accepted>(202, "The file is stored, and its processing is enqueued")
                .refuses(&[
                    Code::TooLarge,
                    Code::EmptyBody,
                    Code::UnsupportedType,
                    Code::IncompleteBody,
                    Code::NotFound,
                    Code::PlanLimit,
                    Code::StorageUnavailable,
                ]),
        )
        .route(
            post("/", shell_file::process)
                .only_as(domain::SHELL_FILE_PROCESSOR)
                .summary("Creates a document from a file. Send the file as the raw body, as a multipart form, or as a JSON reference to a file in the bucket medical-docs")
                .by(Caller::User)
                .query::<domain::Naming>()
                .keyed("A retry with the same key gets the first document, as long as that document exists. A key is unique per profile")
                .json::<domain::Reference>()
                .answers::<domain::ShellFile>(202, "The file is stored, and its processing is enqueued")
                .refuses(&[
                    Code::TooLarge,
                    Code::EmptyBody,
                    Code::UnsupportedType,
                    Code::IncompleteBody,
                    Code::NotFound,
                    Code::PlanLimit,
                    Code::StorageUnavailable,
                ]),
        )
        .route(
            get("/v1/documents", handler::list)
                .summary("Lists the caller's documents, newest first")
                .by(Caller::User)
                .query::<domain::Listing>()
                .answers::<Vec<serde_json::Value>>(200, "The documents, without their content"),
        )
        .route(
            get("/v1/documents/{id}", handler::show)
                .summary("Shows a document: status, stage, percent, entities, facts, narrative, doubts, errors. A processed document with doubts has the status needs_review, one without doubts completed")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .answers::<serde_json::Value>(200, "The document"),
        )
        .route(
            get("/v1/documents/{id}/events", handler::events)
                .summary("Streams the progress of a document as server-sent events, until its processing has ended")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .query::<StreamQuery>()
                .answers_with(200, "text/event-stream", "One event per change. The stream closes after 60 seconds; reconnect with Last-Event-ID"),
        )
        .route(
            post("/v1/documents/{id}/events/ticket", handler::ticket)
                .summary("Issues a ticket that opens the event stream. A browser's EventSource sends the ticket because it cannot send a token")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .answers::<Ticket>(200, "The ticket. It is valid for a little more than a minute"),
        )
        .route(
            get("/v1/documents/{id}/file", handler::file)
                .summary("Redirects to the uploaded file. The link expires after five minutes")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .answers_with(302, "", "The Location header has the link")
                .refuses(&[Code::NotFinished]),
        )
        .route(
            post("/v1/documents/{id}/reprocess", handler::reprocess)
                .summary("Processes a finished or failed document again")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .answers::<serde_json::Value>(202, "The new run")
                .repeatable()
                .refuses(&[Code::NotFinished]),
        )
        .route(
            post("/v1/documents/{id}/review", handler::review)
                .summary("Ends the review of a document with the status needs_review. The decision says whether the extracted data is right. The document is then completed")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .json::<domain::Review>()
                .answers::<serde_json::Value>(200, "The review: its decision, its note, who reviewed, and when")
                .refuses(&[Code::NotFinished]),
        )
        .route(
            delete("/v1/documents/{id}", handler::erase)
                .summary("Erases a document: its file, its rows and all extracted data")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .answers_with(204, "", "The document is erased")
                .refuses(&[Code::StorageUnavailable]),
        )
        .route(signed(
            get("/objects", objects::read)
                .summary("Reads one object of R2, or lists objects, through a signed link")
                .header::<String>("range", "Reads only this range of bytes; one range per request", false)
                .answers_with(200, "application/octet-stream", "The object, or the list as JSON")
                .answers_with(206, "application/octet-stream", "The range that was asked for")
                .answers_with(416, "", "The range begins after the end of the object"),
        ))
        .route(signed(
            post("/objects", objects::write)
                .summary("Stores an object in R2 through a signed link")
                .body("application/octet-stream")
                .answers_with(200, "application/json", "The object is stored"),
        ))
        .route(signed(
            delete("/objects", objects::remove)
                .summary("Removes an object from R2 through a signed link")
                .answers_with(200, "application/json", "The object is removed"),
        ))
}

fn signed(route: Route) -> Route {
    route.refuses(&[Code::BadSignature, Code::NotFound, Code::StorageUnavailable])
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
