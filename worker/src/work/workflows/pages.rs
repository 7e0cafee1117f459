//! `pdf_generation`: a text set by typst.

use gristmill_render::{Options, Template, render};
use gristmill_shared::job::ClaimedJob;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::Context;
use super::artifact::{Form, Made, Place, key};
use super::{TaskError, input};

/// The largest text that is read: a book.
const MAX_TEXT: u64 = 8 << 20;

#[derive(Debug, Deserialize)]
struct Input {
    #[serde(flatten)]
    place: Place,
    /// Where the text lies.
    text: String,
}

#[derive(Debug, Serialize)]
struct Set {
    path: String,
    artifacts: [Made; 1],
}

pub(super) async fn run(
    job: &ClaimedJob,
    context: &Context,
) -> Result<impl Serialize + use<>, TaskError> {
    let input: Input = input(job)?;
    let text = context.storage.get(&key(&input.text)?, MAX_TEXT).await?;
    let text: Value = serde_json::from_slice(&text)
        .map_err(|_| TaskError::Content("the text is no JSON".to_owned()))?;
    let title = text["title"].as_str().unwrap_or_default().to_owned();
    context.progress(25, "set");
    let pdf =
        tokio::task::spawn_blocking(move || render(Template::Plain, &text, &Options::default()))
            .await
            .map_err(|_| TaskError::Content("setting the pages panicked".to_owned()))?
            .map_err(|error| TaskError::Content(error.to_string()))?;
    context.progress(75, "store");
    let made = input.place.store(Form::Pdf, &title, pdf, context).await?;
    Ok(Set {
        path: made.storage_path.clone(),
        artifacts: [made],
    })
}
