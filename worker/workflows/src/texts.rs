//! `text_generation`: a document written from facts, by a model where one is configured, else by rules.

use gristmill_core::job::ClaimedJob;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::artifact::{Form, Made, Place, key};
use super::calculation::AllFacts;
use super::{TaskError, input, rules};
use gristmill_models::Models;
use gristmill_runner::Context;

/// What a model is told; the facts come beside it, as JSON.
const TASK: &str = "From facts about two people, given as JSON with the title of a document and what it is about, write that document: friendly, in plain English, two to four sections of one paragraph each, saying nothing that the facts do not. Answer with one JSON object {\"sections\": [{\"title\": string, \"text\": string}]} and nothing else.";

/// The most that is taken of a model: more would be no document, but a mistake.
const MAX_SECTIONS: usize = 20;
const MAX_LETTERS: usize = 60_000;

#[derive(Debug, Deserialize)]
struct Input {
    #[serde(flatten)]
    place: Place,
    document: Document,
    index: usize,
    facts: AllFacts,
}

/// What one document is to be about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Document {
    pub(super) system: String,
    pub(super) about: String,
    pub(super) title: String,
}

/// A text, as it lies in storage: pages and voices read it from there.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Text {
    pub(super) title: String,
    pub(super) author: String,
    pub(super) sections: Vec<Section>,
}

/// A heading and what stands below it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Section {
    pub(super) title: String,
    pub(super) text: String,
}

/// The input of a task that makes something of a text.
#[derive(Debug, Deserialize)]
pub(super) struct OfText {
    #[serde(flatten)]
    pub(super) place: Place,
    /// Where the text lies.
    text: String,
}

impl OfText {
    /// The text, if it is no larger than `most` bytes.
    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        context: &Context<'_>,
        most: u64,
    ) -> Result<T, TaskError> {
        let text = context.storage.get(&key(&self.text)?, most).await?;
        serde_json::from_slice(&text)
            .map_err(|_| TaskError::Content("the text is not as texts are written".to_owned()))
    }
}

impl Text {
    fn words(&self) -> usize {
        let words = |text: &str| text.split_whitespace().count();
        self.sections
            .iter()
            .map(|section| words(&section.title) + words(&section.text))
            .sum()
    }
}

#[derive(Debug, Serialize)]
struct Written {
    path: String,
    title: String,
    words: usize,
    artifacts: [Made; 1],
}

/// What a model answers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Draft {
    sections: Vec<Section>,
}

impl Draft {
    fn checked(self) -> Result<Vec<Section>, TaskError> {
        let letters = |section: &Section| section.title.len() + section.text.len();
        let fits = (1..=MAX_SECTIONS).contains(&self.sections.len())
            && self
                .sections
                .iter()
                .all(|section| !section.text.trim().is_empty())
            && self.sections.iter().map(letters).sum::<usize>() <= MAX_LETTERS;
        if fits {
            Ok(self.sections)
        } else {
            Err(TaskError::Content(
                "the model wrote no document of a usable length".to_owned(),
            ))
        }
    }
}

pub(super) async fn run(
    job: &ClaimedJob,
    context: &Context<'_>,
    models: &Models,
) -> Result<impl Serialize + use<>, TaskError> {
    let input: Input = input(job)?;
    let asked = json!({ "document": input.document, "facts": input.facts });
    let sections = match models.ask::<Draft>(context, TASK, &asked).await {
        Ok(Some((draft, _))) => draft.checked()?,
        Ok(None) => rules::write(&input.document, input.index, &input.facts),
        Err(trouble) => return Err(TaskError::Model(Box::new(trouble.into()))),
    };
    let (one, other) = (&input.facts.person1, &input.facts.person2);
    let text = Text {
        title: input.document.title,
        author: format!("For {} and {}", one.name, other.name),
        sections,
    };
    let content =
        serde_json::to_vec(&text).map_err(|error| TaskError::Content(error.to_string()))?;
    let made = input
        .place
        .store(Form::Text, &text.title, content, context)
        .await?;
    Ok(Written {
        path: made.storage_path.clone(),
        words: text.words(),
        title: text.title,
        artifacts: [made],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_taken_only_if_it_is_a_document() {
        let draft = |sections: usize, text: &str| Draft {
            sections: (0..sections)
                .map(|_| Section {
                    title: "T".to_owned(),
                    text: text.to_owned(),
                })
                .collect(),
        };
        assert!(draft(3, "A sentence.").checked().is_ok());
        assert!(draft(0, "").checked().is_err());
        assert!(draft(1, "  ").checked().is_err());
        assert!(draft(MAX_SECTIONS + 1, "x").checked().is_err());
        assert!(draft(2, &"x".repeat(MAX_LETTERS)).checked().is_err());
    }
}
