//! `finalization`: what a job has made, as one book (PDF and JSON), or as a list alone where the definition names no book.

use gristmill_chapters::Section;
use gristmill_core::job::ClaimedJob;
use gristmill_press::{Press, Request};
use gristmill_render::Template;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::artifact::{Form, Made, Place, key};
use super::pages::archival;
use super::texts::Text;
use super::{TaskError, input};
use gristmill_runner::Context;

#[derive(Debug, Deserialize)]
struct Input {
    #[serde(flatten)]
    place: Place,
    /// For each step what its items gave.
    made: Vec<Vec<Given>>,
    /// What the book is called in storage. Absent in version 1 of the workflow, which has none.
    #[serde(default)]
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Given {
    artifacts: Vec<Made>,
}

#[derive(Debug, Serialize)]
struct List {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    documents: Vec<Listed>,
    seconds: f64,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct Listed {
    title: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<Section>,
    files: Vec<Made>,
}

#[derive(Debug, Serialize)]
struct Finalized {
    documents: usize,
    files: usize,
    seconds: f64,
    bytes: u64,
    artifacts: Vec<Made>,
}

/// The largest text that is read.
const MAX_TEXT: u64 = 1 << 20;

pub(super) async fn run(
    job: &ClaimedJob,
    context: &Context<'_>,
    press: &Press,
) -> Result<impl Serialize + use<>, TaskError> {
    let input: Input = input(job)?;
    let mut list = list(input.made);
    let mut artifacts = Vec::new();
    if let Some(name) = &input.name {
        let pdf = book(job, context, press, &mut list).await?;
        let title = list.title.as_deref().unwrap_or_default();
        let made = input
            .place
            .store_as(Some(name), Form::Pdf, title, pdf, context)
            .await?;
        artifacts.push(made);
    }
    let content =
        serde_json::to_vec_pretty(&list).map_err(|error| TaskError::Content(error.to_string()))?;
    let title = list.title.as_deref().unwrap_or("Contents");
    let name = input.name.as_deref();
    artifacts.push(
        input
            .place
            .store_as(name, Form::List, title, content, context)
            .await?,
    );
    Ok(Finalized {
        documents: list.documents.len(),
        files: list.documents.iter().map(|listed| listed.files.len()).sum(),
        seconds: list.seconds,
        bytes: list.bytes,
        artifacts,
    })
}

// Reads the texts into the list, and sets all of them as one PDF.
async fn book(
    job: &ClaimedJob,
    context: &Context<'_>,
    press: &Press,
    list: &mut List,
) -> Result<Vec<u8>, TaskError> {
    let mut author = String::new();
    for listed in &mut list.documents {
        let is_text = |made: &&Made| made.r#type == "json";
        let Some(made) = listed.files.iter().find(is_text) else {
            continue;
        };
        let content = context
            .storage
            .get(&key(&made.storage_path)?, MAX_TEXT)
            .await?;
        let text: Text = serde_json::from_slice(&content)
            .map_err(|_| TaskError::Content("a text is not as texts are written".to_owned()))?;
        listed.sections = text.sections;
        author = text.author;
    }
    let people = author.strip_prefix("For ").unwrap_or(&author);
    let title = format!("{people}: the whole reading");
    context.progress(25, "set");
    let chapters: Vec<Value> = list
        .documents
        .iter()
        .map(|listed| json!({ "title": listed.title, "sections": listed.sections }))
        .collect();
    let data = json!({ "title": title, "author": author, "chapters": chapters });
    let request = Request {
        template: Template::Chapter,
        data: &data,
        options: &archival(),
    };
    let pdf = press.set(job, &request, context).await?.pdf;
    context.progress(75, "store");
    list.title = Some(title);
    Ok(pdf)
}

// Item i of every step is document i.
fn list(made: Vec<Vec<Given>>) -> List {
    let mut documents: Vec<Listed> = Vec::new();
    for step in made {
        for (at, given) in step.into_iter().enumerate() {
            if documents.len() <= at {
                let title = given.artifacts.first().map(|made| made.title.clone());
                documents.push(Listed {
                    title: title.unwrap_or_default(),
                    sections: Vec::new(),
                    files: Vec::new(),
                });
            }
            documents[at].files.extend(given.artifacts);
        }
    }
    let files = || documents.iter().flat_map(|listed| &listed.files);
    List {
        title: None,
        seconds: files().filter_map(|made| made.duration_seconds).sum(),
        bytes: files().map(|made| made.bytes).sum(),
        documents,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_document_are_listed_together() {
        let file = |title: &str, kind: &str, seconds: Option<f64>| Given {
            artifacts: vec![Made {
                r#type: kind.to_owned(),
                storage_path: "p".to_owned(),
                bucket: None,
                bytes: 10,
                sha256: String::new(),
                title: title.to_owned(),
                duration_seconds: seconds,
            }],
        };
        let list = list(vec![
            vec![file("a", "json", None), file("b", "json", None)],
            vec![
                file("a", "audio_mp3", Some(1.5)),
                file("b", "audio_mp3", Some(2.0)),
            ],
        ]);
        let titles: Vec<_> = list
            .documents
            .iter()
            .map(|listed| listed.title.as_str())
            .collect();
        assert_eq!(titles, ["a", "b"]);
        assert_eq!(list.documents[1].files.len(), 2);
        assert_eq!((list.seconds, list.bytes), (3.5, 40));
    }
}
