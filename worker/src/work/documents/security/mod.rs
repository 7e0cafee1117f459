//! Is it a file that we dare to read? A scanner is asked where there is one; [`file`] looks at the file itself, and
//! [`pdf`] finds out by poppler, in a process that may die of it, what can only be known by parsing.

mod file;
mod pdf;

use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use super::file::{Fetched, fetch};
use super::{Stage, Trouble};
use crate::clamd::{self, Verdict};
use gristmill_shared::job::Failure;

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

pub(super) async fn run(stage: &Stage<'_>) -> Result<Value, Trouble> {
    let fetched = fetch(stage).await?;
    stage.context.progress(30, "scanning");
    let judged = match scan(stage, &fetched).await? {
        Some(refusal) => Err(refusal),
        None => file::inspect(stage, &fetched).await?,
    };
    match judged {
        Ok(pages) => {
            let scanner = stage.settings.clamd.as_ref().map_or("none", |_| "clamd");
            let verdict = json!({ "safe": true, "scanner": scanner });
            stage
                .finish(
                    &json!({ "verdict": verdict, "sha256": fetched.sha256, "page_count": pages }),
                )
                .await?;
            Ok(json!({ "safe": true, "pages": pages }))
        }
        Err(refusal) => {
            quarantine(stage, &refusal).await?;
            Ok(json!({ "safe": false, "reason": refusal.reason }))
        }
    }
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

// The object moves out of its owner's reach before the row says so; a repeated attempt finds it moved.
async fn quarantine(stage: &Stage<'_>, refusal: &Refusal) -> Result<(), Trouble> {
    let from = &stage.document.storage_path;
    let name = from
        .as_str()
        .split('/')
        .skip(1)
        .collect::<Vec<_>>()
        .join("/");
    let place = format!("quarantine/{name}")
        .parse()
        .map_err(|_| Trouble::Outdated)?;
    if !from.as_str().starts_with("quarantine/") {
        let bytes = stage.context.storage.get(from, 256 << 20).await?;
        stage
            .context
            .storage
            .put(&place, "application/octet-stream", bytes)
            .await?;
    }
    let status = if refusal.infected {
        "infected"
    } else {
        "refused"
    };
    let kind = if refusal.infected {
        "infected"
    } else {
        "unsupported"
    };
    let error = json!({ "type": kind, "reason": refusal.reason, "message": refusal.message, "retryable": false });
    if !stage
        .context
        .rpc
        .refuse_document(&stage.holder, status, &error, &place)
        .await?
    {
        return Err(Trouble::Outdated);
    }
    // Nothing names the old place any more: what a crash leaves here, the sweep removes.
    stage
        .context
        .storage
        .remove(std::slice::from_ref(from))
        .await?;
    Ok(())
}
