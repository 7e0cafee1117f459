//! `pdf_generation`: a text set by typst, in a child under limits.

use gristmill_core::job::ClaimedJob;
use gristmill_render::{Options, Quality, Template};
use serde::Serialize;
use serde_json::Value;

use super::artifact::{Form, Made};
use super::texts::OfText;
use super::{TaskError, input};
use gristmill_press::{Press, Request};
use gristmill_runner::Context;

/// The largest text that is read: a book.
const MAX_TEXT: u64 = 8 << 20;

#[derive(Debug, Serialize)]
struct Set {
    path: String,
    artifacts: [Made; 1],
}

pub(super) async fn run(
    job: &ClaimedJob,
    context: &Context<'_>,
    press: &Press,
) -> Result<impl Serialize + use<>, TaskError> {
    let input: OfText = input(job)?;
    let text: Value = input.read(context, MAX_TEXT).await?;
    let title = text["title"].as_str().unwrap_or_default().to_owned();
    context.progress(25, "set");
    let request = Request {
        template: Template::Chapter,
        data: &text,
        options: &archival(),
    };
    let pdf = press.set(job, &request, context).await?.pdf;
    context.progress(75, "store");
    let made = input.place.store(Form::Pdf, &title, pdf, context).await?;
    Ok(Set {
        path: made.storage_path.clone(),
        artifacts: [made],
    })
}

/// PDF/A: a chapter is to be kept.
pub(super) fn archival() -> Options {
    Options {
        quality: Quality::High,
        ..Options::default()
    }
}
