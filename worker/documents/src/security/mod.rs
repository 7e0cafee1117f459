//! Is it a file that we dare to read? A scanner is asked where there is one; [`file`] looks at the file itself, and
//! [`pdf`] finds out by poppler and by [`objects`], in processes that may die of it, what can only be known by parsing.

mod file;
mod objects;
mod pdf;

pub use objects::{Args as InspectArgs, run as inspect_pdf};

use gristmill_core::job::Failure;
use gristmill_files::ObjectKey;
use gristmill_rpc::{Measured, RefusedDocument};
use serde_json::json;
use tokio::io::AsyncReadExt;

use super::file::{Fetched, fetch};
use super::{Stage, Trouble};
use gristmill_files::ObjectsError;
use gristmill_native::clamd::{self, Verdict};

/// The file that every scanner must know, so that scanning can be tried; also where no clamd is configured.
const EICAR: &[u8] = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*";

/// Why a file is not read.
#[derive(Debug, PartialEq)]
struct Refusal {
    infected: bool,
    reason: &'static str,
    message: String,
}

fn refuse(reason: &'static str, message: impl Into<String>) -> Refusal {
    Refusal {
        infected: false,
        reason,
        message: message.into(),
    }
}

fn infected(scanner: &str, name: &str) -> Refusal {
    Refusal {
        infected: true,
        reason: "infected",
        message: format!("{scanner} found {name}"),
    }
}

pub(super) async fn run(stage: &Stage<'_>) -> Result<(), Trouble> {
    let fetched = match fetch(stage).await {
        Err(Trouble::Objects(ObjectsError::NotFound)) if !stage.document.is_scanned => {
            return missing(stage).await;
        }
        fetched => fetched?,
    };
    stage.context.progress(30, "scanning");
    match judge(stage, &fetched).await? {
        Ok(pages) => keep(stage, &fetched, pages).await,
        Err(refusal) => quarantine(stage, &fetched, &refusal).await,
    }
}

// An upload was said to have ended, and nothing lies at its place: it takes up no storage, whatever was said.
async fn missing(stage: &Stage<'_>) -> Result<(), Trouble> {
    let refusal = refuse("missing", "no file is stored at the place of the upload");
    let measured = Measured {
        size: 0,
        sha256: None,
        mime_type: None,
    };
    end(stage, &refusal, &stage.document.storage_path, &measured).await
}

// Its number of pages, or why it is refused. The file's own bytes say what type it is: the uploader could have said anything.
async fn judge(stage: &Stage<'_>, fetched: &Fetched) -> Result<Result<u32, Refusal>, Trouble> {
    let measured = &fetched.measured;
    if measured.size > stage.document.max_bytes {
        let message = format!(
            "it has {} bytes, and {} are read",
            measured.size, stage.document.max_bytes
        );
        return Ok(Err(refuse("too_large", message)));
    }
    if let Some(refusal) = scan(stage, fetched).await? {
        return Ok(Err(refusal));
    }
    match measured.mime_type {
        Some(mime_type) => file::inspect(stage, fetched, mime_type).await,
        None => Ok(Err(refuse(
            "unsupported",
            "by its first bytes it is no file that is read here",
        ))),
    }
}

// What is given out from now on are the bytes that were scanned, at a place where no user could ever write. Whatever happens to the
// object at the place of the upload, by a sender who held the end of it back or by a link to upload that is still good, happens to nobody's file.
async fn keep(stage: &Stage<'_>, fetched: &Fetched, pages: u32) -> Result<(), Trouble> {
    let storage = &stage.context.storage;
    let Measured {
        size,
        sha256,
        mime_type,
    } = &fetched.measured;
    if let Some(place) = &stage.document.keep_at {
        let bytes = tokio::fs::read(&fetched.path).await?;
        let mime_type = mime_type.unwrap_or("application/octet-stream");
        storage.put(place, mime_type, bytes).await?;
    }
    let scanner = stage.settings.clamd.as_ref().map_or("none", |_| "clamd");
    let verdict = json!({ "safe": true, "scanner": scanner });
    let found = json!({
        "verdict": verdict, "page_count": pages, "size": size, "sha256": sha256, "mime_type": mime_type,
        "place": stage.document.keep_at,
    });
    let finished = stage
        .finish(&found, &json!({ "safe": true, "pages": pages }))
        .await;
    // Best effort: the sweep finds what is left.
    match (&finished, &stage.document.keep_at) {
        (Ok(()), Some(_)) => {
            let from = &stage.document.storage_path;
            let _ = storage.remove(std::slice::from_ref(from)).await;
        }
        (Err(Trouble::Lost), Some(place)) => {
            let _ = storage.remove(std::slice::from_ref(place)).await;
        }
        _ => {}
    }
    finished
}

async fn scan(stage: &Stage<'_>, fetched: &Fetched) -> Result<Option<Refusal>, Trouble> {
    if let Some(address) = &stage.settings.clamd {
        match clamd::scan(address, &fetched.path).await {
            Ok(Verdict::Clean) => {}
            Ok(Verdict::Found(name)) => return Ok(Some(infected("clamd", &name))),
            Ok(Verdict::Unscannable(limit)) => {
                let message = format!("clamd scans no such file, because of its limit {limit}");
                return Ok(Some(refuse("unscannable", message)));
            }
            // Unscanned files are never let through: the job comes back.
            Err(error) => {
                let message = format!("clamd could not scan it: {error}");
                return Err(Trouble::Failed(Failure::retryable(
                    "network_error",
                    message,
                )));
            }
        }
    }
    let mut head = [0; 256];
    let length = tokio::fs::File::open(&fetched.path)
        .await?
        .read(&mut head)
        .await?;
    let is_test_file = head[..length]
        .windows(EICAR.len())
        .any(|window| window == EICAR);
    Ok(is_test_file.then(|| infected("the worker", "EICAR-Test-File")))
}

// The object moves out of its owner's reach before the row says so; a repeated attempt moves it again. One that is too large was not
// read whole: it stays where it is, and nothing serves it.
async fn quarantine(
    stage: &Stage<'_>,
    fetched: &Fetched,
    refusal: &Refusal,
) -> Result<(), Trouble> {
    let from = &stage.document.storage_path;
    let name = from.name().rsplit('/').next().unwrap_or_default();
    let place = match &fetched.measured.sha256 {
        None => from.clone(),
        Some(_) => ObjectKey::within(
            from.bucket(),
            &format!("quarantine/{}/{name}", stage.document.id),
        )
        .map_err(|_| Trouble::Failed(Failure::permanent("internal", "no place in quarantine")))?,
    };
    if place != *from {
        let bytes = tokio::fs::read(&fetched.path).await?;
        let storage = &stage.context.storage;
        storage
            .put(&place, "application/octet-stream", bytes)
            .await?;
    }
    end(stage, refusal, &place, &fetched.measured).await?;
    // Nothing names the old place any more, and the job has ended: what is left here, the sweep removes.
    if place != *from {
        let _ = stage
            .context
            .storage
            .remove(std::slice::from_ref(from))
            .await;
    }
    Ok(())
}

async fn end(
    stage: &Stage<'_>,
    refusal: &Refusal,
    place: &ObjectKey,
    measured: &Measured,
) -> Result<(), Trouble> {
    let (status, kind) = if refusal.infected {
        ("infected", "infected")
    } else {
        ("refused", "unsupported")
    };
    let error = json!({ "type": kind, "reason": refusal.reason, "message": refusal.message, "retryable": false });
    let refused = RefusedDocument {
        status,
        error,
        place,
        measured,
    };
    let kept = json!({ "safe": false, "reason": refusal.reason });
    let (rpc, holder) = (&stage.context.rpc, &stage.context.holder);
    let ending = stage.context.ending(&kept);
    let refuse = || rpc.refuse_document(holder, &refused, &ending);
    let is_held = stage.context.until_answered(refuse).await?;
    is_held.then_some(()).ok_or(Trouble::Lost)
}
