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
    let id = "As uploading it answered";
    Routes::new("documents", "Takes documents and shows what was found in them")
        .also_known_as("upload")
        .keys_kept_as("upload")
        .also_known_as(domain::SHELL_FILE_PROCESSOR)
        .route(
            post("/v1/documents", receive::receive)
                .summary("Uploads a file, raw or as a form; the caller's default profile unless profile_id names another")
                .by(Caller::User)
                .query::<domain::Naming>()
                .keyed("Makes a retry answer with the first document, for as long as that is there; unique in a profile")
                .body("application/octet-stream")
                .answers::<domain::Accepted>(202, "Stored; its stages follow")
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
                .summary("Makes a document of a file, raw or as a form, or of a reference to one in medical-docs, as JSON")
                .by(Caller::User)
                .query::<domain::Naming>()
                .keyed("Makes a retry answer with the first document, for as long as that is there; unique in a profile")
                .json::<domain::Reference>()
                .answers::<domain::ShellFile>(202, "Stored; its stages follow")
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
                .summary("Lists documents, newest first")
                .by(Caller::User)
                .query::<domain::Listing>()
                .answers::<Vec<serde_json::Value>>(200, "The documents, without their content"),
        )
        .route(
            get("/v1/documents/{id}", handler::show)
                .summary("Shows a document: status, stage, percent, entities, facts, narrative, doubts, errors. A document with doubts ends as needs_review, any other as completed")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .answers::<serde_json::Value>(200, "The document"),
        )
        .route(
            get("/v1/documents/{id}/events", handler::events)
                .summary("Streams progress as server-sent events until the document has ended")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .query::<StreamQuery>()
                .answers_with(200, "text/event-stream", "One event per change"),
        )
        .route(
            post("/v1/documents/{id}/events/ticket", handler::ticket)
                .summary("Answers a ticket for the stream of events, which an EventSource sends in place of a token")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .answers::<Ticket>(200, "Good for a little more than a minute"),
        )
        .route(
            get("/v1/documents/{id}/file", handler::file)
                .summary("Redirects to the file itself, under a link that expires")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .answers_with(302, "", "Elsewhere, for five minutes")
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
                .summary("Ends the review of a document that needs one: what was read is right, or must not be relied on. The document is then completed")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .json::<domain::Review>()
                .answers::<serde_json::Value>(200, "The decision, the note, who and when")
                .refuses(&[Code::NotFinished]),
        )
        .route(
            delete("/v1/documents/{id}", handler::erase)
                .summary("Erases the file, its rows and everything that was read out of it")
                .by(Caller::User)
                .path_param::<uuid::Uuid>("id", id)
                .answers_with(204, "", "Gone")
                .refuses(&[Code::StorageUnavailable]),
        )
        .route(signed(
            get("/objects", objects::read)
                .summary("Reads an object of R2, or lists them, under a signed link")
                .header::<String>("range", "One range of bytes", false)
                .answers_with(200, "application/octet-stream", "The object, or the list as JSON")
                .answers_with(206, "application/octet-stream", "The range that was asked for")
                .answers_with(416, "", "The object is shorter"),
        ))
        .route(signed(
            post("/objects", objects::write)
                .summary("Stores an object in R2 under a signed link")
                .body("application/octet-stream")
                .answers_with(200, "application/json", "Stored"),
        ))
        .route(signed(
            delete("/objects", objects::remove)
                .summary("Removes an object of R2 under a signed link")
                .answers_with(200, "application/json", "Removed"),
        ))
}

fn signed(route: Route) -> Route {
    route.refuses(&[Code::BadSignature, Code::NotFound, Code::StorageUnavailable])
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    routes().serve(request, env).await
}
