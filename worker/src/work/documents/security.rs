//! Is it a file that we dare to read? Types, sizes, pages and pixels by looking at the file; what can only be known by
//! parsing is found out by poppler in a process that may die of it.

use std::ffi::OsString;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use super::clamd::{self, Verdict};
use super::file::{Fetched, fetch};
use super::{Stage, Trouble, tiff};
use crate::work::{ChildError, Limits};
use gristmill_shared::job::Failure;

/// More pages than that are no document of a person.
const MAX_PAGES: u32 = 300;
/// A4 at 600 dpi has 35 million.
const MAX_PIXELS: u64 = 100_000_000;

/// The file that every scanner must know, so that scanning can be tried; also where no clamd is configured.
const EICAR: &[u8] = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*";

/// Why a file is not read.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
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

pub(super) async fn run(stage: &Stage<'_>) -> Result<Value, Trouble> {
    let fetched = fetch(stage).await?;
    stage.context.progress(30, "scanning");
    let judged = match scan(stage, &fetched).await? {
        Some(refusal) => Err(refusal),
        None => inspect(stage, &fetched).await?,
    };
    match judged {
        Ok(pages) => {
            let scanner = if stage.settings.clamd.is_some() {
                "clamd"
            } else {
                "none"
            };
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
    let infected = |name: String| Refusal {
        infected: true,
        reason: "infected",
        message: format!("the scanner found {name}"),
    };
    let mut head = [0; 256];
    let length = tokio::fs::File::open(&fetched.path)
        .await?
        .read(&mut head)
        .await?;
    if head[..length]
        .windows(EICAR.len())
        .any(|window| window == EICAR)
    {
        return Ok(Some(infected("EICAR-Test-File".to_owned())));
    }
    let Some(address) = &stage.settings.clamd else {
        return Ok(None);
    };
    match clamd::scan(address, &fetched.path).await {
        Ok(Verdict::Clean) => Ok(None),
        Ok(Verdict::Found(name)) => Ok(Some(infected(name))),
        // Unscanned files are never let through: the job comes back.
        Err(error) => Err(Trouble::Failed(Failure::retryable(
            "network_error",
            format!("clamd: {error}"),
        ))),
    }
}

/// The number of pages, or why it is refused.
async fn inspect(stage: &Stage<'_>, fetched: &Fetched) -> Result<Result<u32, Refusal>, Trouble> {
    match stage.document.mime_type.as_str() {
        "application/pdf" => inspect_pdf(stage, fetched).await,
        "text/plain" => {
            let bytes = tokio::fs::read(&fetched.path).await?;
            Ok(match String::from_utf8(bytes) {
                Ok(text) => Ok(super::ocr::text_pages(&text).len() as u32),
                Err(_) => Err(refuse("unsupported", "the text is not UTF-8")),
            })
        }
        mime => {
            let path = fetched.path.clone();
            let is_tiff = mime == "image/tiff";
            let looked = tokio::task::spawn_blocking(move || inspect_image(&path, is_tiff)).await;
            looked.map_err(|error| std::io::Error::other(error).into())
        }
    }
}

fn inspect_image(path: &std::path::Path, is_tiff: bool) -> Result<u32, Refusal> {
    let size = imagesize::size(path)
        .map_err(|_| refuse("unsupported", "the image could not be understood"))?;
    if size.width as u64 * size.height as u64 > MAX_PIXELS {
        return Err(refuse(
            "too_many_pixels",
            format!(
                "{} x {} pixels are more than are read",
                size.width, size.height
            ),
        ));
    }
    if !is_tiff {
        return Ok(1);
    }
    let bytes =
        std::fs::read(path).map_err(|_| refuse("unsupported", "the image could not be read"))?;
    let pages = tiff::pages(&bytes)
        .ok_or_else(|| refuse("unsupported", "the TIFF could not be understood"))?;
    if pages
        .iter()
        .any(|(width, height)| u64::from(*width) * u64::from(*height) > MAX_PIXELS)
    {
        return Err(refuse(
            "too_many_pixels",
            "a page has more pixels than are read",
        ));
    }
    within_limit(pages.len() as u32)
}

fn within_limit(pages: u32) -> Result<u32, Refusal> {
    match pages {
        0 => Err(refuse("unsupported", "the document has no pages")),
        1..=MAX_PAGES => Ok(pages),
        _ => Err(refuse(
            "too_many_pages",
            format!("{pages} pages are more than the {MAX_PAGES} that are read"),
        )),
    }
}

async fn inspect_pdf(
    stage: &Stage<'_>,
    fetched: &Fetched,
) -> Result<Result<u32, Refusal>, Trouble> {
    let bytes = tokio::fs::read(&fetched.path).await?;
    if let Some(refusal) = suspicious(&bytes) {
        return Ok(Err(refusal));
    }
    drop(bytes);
    let limits = Limits {
        memory: 512 << 20,
        cpu_seconds: 15,
        wall: Duration::from_secs(30),
        output: 8 << 20,
    };
    let file = OsString::from(&fetched.path);
    let info = match ask(
        stage,
        fetched,
        "pdfinfo",
        std::slice::from_ref(&file),
        limits,
    )
    .await?
    {
        Ok(info) => info,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let judged = judge_info(&info);
    let pages = match judged {
        Ok(pages) => pages,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let scripts = ["-js".into(), file.clone()];
    match ask(stage, fetched, "pdfinfo", &scripts, limits).await? {
        Ok(text)
            if text.contains("Name Dictionary \"")
                || text.trim_start().starts_with("Page")
                || text.contains("(js)") =>
        {
            return Ok(Err(refuse("scripted", "the PDF contains JavaScript")));
        }
        Ok(_) => {}
        Err(refusal) => return Ok(Err(refusal)),
    }
    // Reading the text of every page unpacks every stream that a page is made of: a bomb goes off here, under limits.
    match ask(
        stage,
        fetched,
        "pdftotext",
        &["-q".into(), file, "-".into()],
        limits,
    )
    .await?
    {
        Ok(_) => Ok(Ok(pages)),
        Err(refusal) => Ok(Err(refusal)),
    }
}

// A program that fails on the file, or has to be ended, refuses it; one that is missing does not.
async fn ask(
    stage: &Stage<'_>,
    fetched: &Fetched,
    program: &'static str,
    arguments: &[OsString],
    limits: Limits,
) -> Result<Result<String, Refusal>, Trouble> {
    let cancelled = stage.context.cancelled();
    match stage
        .context
        .children
        .run(
            program,
            arguments,
            fetched.folder.path(),
            None,
            limits,
            cancelled,
        )
        .await
    {
        Ok(output) => Ok(Ok(String::from_utf8_lossy(&output).into_owned())),
        Err(ChildError::Bound { bound, .. }) => Ok(Err(refuse(
            "bomb",
            format!("reading it was stopped: {bound}"),
        ))),
        Err(ChildError::Failed { message, .. }) if message.contains("password") => {
            Ok(Err(refuse("encrypted", "the PDF is encrypted")))
        }
        Err(ChildError::Failed { .. }) => Ok(Err(refuse("unsupported", "the PDF is damaged"))),
        Err(error) => Err(error.into()),
    }
}

fn judge_info(info: &str) -> Result<u32, Refusal> {
    let field = |name: &str| {
        info.lines()
            .find_map(|line| line.strip_prefix(name))
            .map(str::trim)
            .unwrap_or_default()
    };
    if field("Encrypted:").starts_with("yes") {
        return Err(refuse("encrypted", "the PDF is encrypted"));
    }
    if field("JavaScript:") == "yes" {
        return Err(refuse("scripted", "the PDF contains JavaScript"));
    }
    within_limit(field("Pages:").parse().unwrap_or(0))
}

/// What can be told from the bytes alone, before anything is parsed.
fn suspicious(bytes: &[u8]) -> Option<Refusal> {
    let has = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    if has(b"/JavaScript") || has(b"/Launch") {
        return Some(refuse(
            "scripted",
            "the PDF contains JavaScript or starts programs",
        ));
    }
    // Two filters of the same sort in a row serve nothing but to unpack to a thousand times a thousand.
    let text: Vec<u8> = bytes
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let chained = b"/FlateDecode/FlateDecode";
    text.windows(chained.len())
        .any(|window| window == chained)
        .then(|| refuse("bomb", "a stream of the PDF is compressed more than once"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pdfinfo_tells_encryption_scripts_and_pages() {
        assert_eq!(
            judge_info("Encrypted:       no\nPages:           3\n"),
            Ok(3)
        );
        assert_eq!(
            judge_info("Encrypted:       yes (print:yes)\nPages: 1\n")
                .unwrap_err()
                .reason,
            "encrypted"
        );
        assert_eq!(
            judge_info("JavaScript:      yes\nPages: 1\n")
                .unwrap_err()
                .reason,
            "scripted"
        );
        assert_eq!(
            judge_info("Pages:           301\n").unwrap_err().reason,
            "too_many_pages"
        );
        assert_eq!(judge_info("").unwrap_err().reason, "unsupported");
    }

    #[test]
    fn chained_filters_and_scripts_are_seen_in_the_bytes() {
        assert_eq!(
            suspicious(b"/Filter [ /FlateDecode\n /FlateDecode ]")
                .unwrap()
                .reason,
            "bomb"
        );
        assert_eq!(
            suspicious(b"<< /S /JavaScript /JS (app.alert(1)) >>")
                .unwrap()
                .reason,
            "scripted"
        );
        assert_eq!(suspicious(b"/Filter /FlateDecode /Length 3"), None);
    }
}
