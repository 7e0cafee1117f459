//! `pdf_generation`: a text set by typst, in a child under limits.

use chrono::Utc;
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
    let pdf = pdf(&text, job, context, press).await?;
    context.progress(75, "store");
    let made = input.place.store(Form::Pdf, &title, pdf, context).await?;
    Ok(Set {
        path: made.storage_path.clone(),
        artifacts: [made],
    })
}

/// Sets a text to be kept: as PDF/A, tagged, with its title.
pub(super) async fn pdf(
    text: &Value,
    job: &ClaimedJob,
    context: &Context<'_>,
    press: &Press,
) -> Result<Vec<u8>, TaskError> {
    let options = Options {
        quality: Quality::High,
        title: text["title"].as_str().map(str::to_owned),
        created_at: Some(Utc::now()),
        ..Options::default()
    };
    let request = Request {
        template: Template::Plain,
        data: text,
        options: &options,
    };
    Ok(press.set(job, &request, context).await?.pdf)
}
