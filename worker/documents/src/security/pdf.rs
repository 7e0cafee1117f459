//! What poppler says of a PDF, and what its objects would do.

use std::ffi::OsString;
use std::time::Duration;

use super::super::file::Fetched;
use super::super::{Stage, Trouble};
use super::file::within_limit;
use super::objects::{self, Found};
use super::{Refusal, refuse};
use gristmill_runner::{ChildError, Limits};

pub(super) async fn inspect(
    stage: &Stage<'_>,
    fetched: &Fetched,
) -> Result<Result<u32, Refusal>, Trouble> {
    let limits = Limits {
        memory: 512 << 20,
        cpu_seconds: 15,
        wall: Duration::from_secs(30),
        output: 8 << 20,
    };
    let file = OsString::from(&fetched.path);
    let info = ask(
        stage,
        fetched,
        "pdfinfo",
        std::slice::from_ref(&file),
        limits,
    )
    .await?;
    let pages = match info.and_then(|info| judge_info(&info)) {
        Ok(pages) => pages,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Some(refusal) = act(stage, fetched, limits).await? {
        return Ok(Err(refusal));
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
    let (context, folder) = (stage.context, fetched.folder.path());
    let cancelled = context.cancellation();
    let children = &context.children;
    let ran = children
        .run(program, arguments, folder, None, limits, cancelled)
        .await;
    Ok(answer(ran)?.map(|output| String::from_utf8_lossy(&output).into_owned()))
}

/// What its objects would do when a viewer opens it.
async fn act(
    stage: &Stage<'_>,
    fetched: &Fetched,
    limits: Limits,
) -> Result<Option<Refusal>, Trouble> {
    let (context, folder) = (stage.context, fetched.folder.path());
    let arguments = [objects::COMMAND.into(), OsString::from(&fetched.path)];
    let children = &context.children;
    let ran = children
        .run_own(&arguments, folder, limits, context.cancellation())
        .await;
    let said = match answer(ran)? {
        Ok(said) => said,
        Err(refusal) => return Ok(Some(refusal)),
    };
    let found = serde_json::from_slice(&said).unwrap_or(Found::Damaged);
    Ok(match found {
        Found::Nothing => None,
        Found::Action => Some(refuse(
            "scripted",
            "the PDF contains JavaScript or starts programs",
        )),
        Found::Chained => Some(refuse(
            "bomb",
            "a stream of the PDF is compressed more than once",
        )),
        Found::Password => Some(refuse("encrypted", "the PDF is encrypted")),
        Found::Damaged => Some(refuse("unsupported", "the PDF is damaged")),
    })
}

fn answer(ran: Result<Vec<u8>, ChildError>) -> Result<Result<Vec<u8>, Refusal>, ChildError> {
    match ran {
        Ok(output) => Ok(Ok(output)),
        Err(ChildError::Bound { bound, .. }) => Ok(Err(refuse(
            "bomb",
            format!("reading it was stopped: {bound}"),
        ))),
        Err(ChildError::Failed { message, .. }) if message.contains("password") => {
            Ok(Err(refuse("encrypted", "the PDF is encrypted")))
        }
        Err(ChildError::Failed { .. }) => Ok(Err(refuse("unsupported", "the PDF is damaged"))),
        Err(error) => Err(error),
    }
}

// A PDF that only its owner may change says that it is encrypted, and opens all the same: pdfinfo would have failed otherwise.
fn judge_info(info: &str) -> Result<u32, Refusal> {
    let field = |name: &str| {
        info.lines()
            .find_map(|line| line.strip_prefix(name))
            .map(str::trim)
            .unwrap_or_default()
    };
    if field("JavaScript:") == "yes" {
        return Err(refuse("scripted", "the PDF contains JavaScript"));
    }
    within_limit(field("Pages:").parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pdfinfo_tells_scripts_and_pages_and_a_locked_pdf_that_opens_is_read() {
        assert_eq!(
            judge_info("Encrypted:       no\nPages:           3\n"),
            Ok(3)
        );
        assert_eq!(
            judge_info("Encrypted:       yes (print:yes copy:no)\nPages: 1\n"),
            Ok(1),
            "it was opened without a password"
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
}
