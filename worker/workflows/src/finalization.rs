//! `finalization`: all documents of a job in one, as `full_nuclear.pdf` and `full_nuclear.json`; the latter also lists every file.

use gristmill_core::job::ClaimedJob;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::artifact::{Form, Made, Place, key};
use super::texts::{Section, Text};
use super::{TaskError, input, pages};
use gristmill_files::BUCKET;
use gristmill_press::Press;
use gristmill_runner::Context;

/// The largest text of one document.
const MAX_TEXT: u64 = 1 << 20;

#[derive(Debug, Deserialize)]
struct Input {
    #[serde(flatten)]
    place: Place,
    /// For each step what its items gave.
    made: Vec<Vec<Given>>,
}

#[derive(Debug, Deserialize)]
struct Given {
    artifacts: Vec<Made>,
}

#[derive(Debug, Serialize)]
struct List {
    documents: Vec<Listed>,
    seconds: f64,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct Listed {
    title: String,
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

pub(super) async fn run(
    job: &ClaimedJob,
    context: &Context<'_>,
    press: &Press,
) -> Result<impl Serialize + use<>, TaskError> {
    let input: Input = input(job)?;
    let mut list = list(input.made);
    let mut author = String::new();
    for listed in &mut list.documents {
        if let Some(path) = text_of(listed) {
            let content = context.storage.get(&key(&path)?, MAX_TEXT).await?;
            let text: Text = serde_json::from_slice(&content)
                .map_err(|_| TaskError::Content("a text is not as texts are written".to_owned()))?;
            listed.sections = text.sections;
            author = text.author;
        }
    }
    let mut artifacts = Vec::new();
    if list
        .documents
        .iter()
        .any(|listed| !listed.sections.is_empty())
    {
        context.progress(25, "set");
        let pdf = pages::pdf(&book(&list, &author), job, context, press).await?;
        let made = input
            .place
            .store(Form::Pdf, "full_nuclear.pdf", pdf, context);
        artifacts.push(made.await?);
    }
    let content =
        serde_json::to_vec_pretty(&list).map_err(|error| TaskError::Content(error.to_string()))?;
    let made = input
        .place
        .store(Form::List, "full_nuclear.json", content, context)
        .await?;
    Ok(Finalized {
        documents: list.documents.len(),
        files: list.documents.iter().map(|listed| listed.files.len()).sum(),
        seconds: list.seconds,
        bytes: list.bytes,
        artifacts: {
            artifacts.push(made);
            artifacts
        },
    })
}

// Texts of built-in steps lie where other tasks read them.
fn text_of(listed: &Listed) -> Option<String> {
    let is_text =
        |made: &&Made| made.r#type == "json" && made.bucket.as_deref().unwrap_or(BUCKET) == BUCKET;
    listed
        .files
        .iter()
        .find(is_text)
        .map(|made| made.storage_path.clone())
}

/// All documents as one text: each a chapter, its sections below it.
fn book(list: &List, author: &str) -> Value {
    let chapters: Vec<_> = list
        .documents
        .iter()
        .filter(|listed| !listed.sections.is_empty())
        .map(|listed| json!({ "title": listed.title, "items": listed.sections }))
        .collect();
    json!({ "title": "All documents", "author": author, "sections": chapters })
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
