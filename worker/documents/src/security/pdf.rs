//! What poppler says of a PDF, and what its bytes say by themselves.

use std::ffi::OsString;
use std::time::Duration;

use super::super::file::Fetched;
use super::super::{Stage, Trouble};
use super::file::within_limit;
use super::{Refusal, refuse};
use gristmill_runner::{ChildError, Limits};

pub(super) async fn inspect(
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
    let cancelled = stage.context.cancellation();
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
