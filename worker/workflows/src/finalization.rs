//! `finalization`: the list of what a job has made, as an artifact of its own.

use gristmill_core::job::ClaimedJob;
use serde::{Deserialize, Serialize};

use super::artifact::{Form, Made, Place};
use super::{TaskError, input};
use gristmill_runner::Context;

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
    files: Vec<Made>,
}

#[derive(Debug, Serialize)]
struct Finalized {
    documents: usize,
    files: usize,
    seconds: f64,
    bytes: u64,
    artifacts: [Made; 1],
}

pub(super) async fn run(
    job: &ClaimedJob,
    context: &Context<'_>,
) -> Result<impl Serialize + use<>, TaskError> {
    let input: Input = input(job)?;
    let list = list(input.made);
    let content =
        serde_json::to_vec_pretty(&list).map_err(|error| TaskError::Content(error.to_string()))?;
    let made = input
        .place
        .store(Form::List, "Contents", content, context)
        .await?;
    Ok(Finalized {
        documents: list.documents.len(),
        files: list.documents.iter().map(|listed| listed.files.len()).sum(),
        seconds: list.seconds,
        bytes: list.bytes,
        artifacts: [made],
    })
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
