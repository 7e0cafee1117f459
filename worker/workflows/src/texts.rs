//! `text_generation`: a chapter written from what was calculated, by a model where one is configured, else by our own prose.

use gristmill_chapters::{About, Chapter, Facts, Section, System, Topic};
use gristmill_core::job::ClaimedJob;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::artifact::{Form, Made, Place, key};
use super::calculation::AllFacts;
use super::people::{self, Person};
use super::{TaskError, input};
use gristmill_models::Models;
use gristmill_runner::Context;

/// What a model is told; the facts come beside it, as JSON.
const TASK: &str = "From facts about two people, given as JSON with the title of a chapter and what it is about, write that chapter: one to two pages of warm, plain English that use their names and refer to the calculated facts, in four to seven sections of one or two paragraphs each, saying nothing that the facts do not and no sentence twice. Paragraphs are separated by an empty line. Answer with one JSON object {\"sections\": [{\"title\": string, \"text\": string}]} and nothing else.";

/// The most that is taken of a model: more would be no document, but a mistake.
const MAX_SECTIONS: usize = 20;
const MAX_LETTERS: usize = 60_000;

/// The largest file of calculations that is read.
const MAX_CALCULATIONS: u64 = 1 << 20;

#[derive(Debug, Deserialize)]
struct Input {
    #[serde(flatten)]
    place: Place,
    document: Document,
    index: usize,
    facts: AllFacts,
    /// Where the calculations lie. Absent in version 1 of the workflow, and where a worker of release 0.1.0 has calculated.
    #[serde(default)]
    calculations: Option<String>,
    /// The whole book, so that no chapter repeats another.
    #[serde(default)]
    documents: Vec<Document>,
}

/// What one document is to be about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Document {
    system: String,
    about: String,
    /// Instead of ours.
    #[serde(default)]
    title: Option<String>,
}

impl Document {
    /// The way of looking. What is unknown looks at everything.
    pub(super) fn system(&self) -> System {
        System::named(&self.system).unwrap_or(System::Verdict)
    }

    fn topic(&self) -> Topic {
        let about = match self.about.as_str() {
            "person1" => About::Person1,
            "person2" => About::Person2,
            _ => About::Both,
        };
        Topic {
            system: self.system(),
            about,
        }
    }
}

/// A text, as it lies in storage: pages and voices read it from there.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Text {
    pub(super) title: String,
    pub(super) author: String,
    pub(super) sections: Vec<Section>,
}

/// The input of a task that makes something of a text.
#[derive(Debug, Deserialize)]
pub(super) struct OfText {
    #[serde(flatten)]
    pub(super) place: Place,
    /// Where the text lies.
    text: String,
    /// Of sound: mp3 or m4a.
    #[serde(default)]
    pub(super) format: Option<String>,
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
    let facts = input.facts(context).await?;
    let chapter = input.chapter(&facts)?;
    let title = input.document.title.clone().unwrap_or(chapter.title);
    let asked = json!({ "title": title, "document": input.document, "facts": of_system(&facts, input.document.system()) });
    let sections = match models.ask::<Draft>(context, TASK, &asked).await {
        Ok(Some((draft, _))) => draft.checked()?,
        Ok(None) => chapter.sections,
        Err(trouble) => return Err(TaskError::Model(Box::new(trouble.into()))),
    };
    let text = Text {
        title,
        author: format!("For {} and {}", facts.person1.name, facts.person2.name),
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

impl Input {
    async fn facts(&self, context: &Context<'_>) -> Result<Facts, TaskError> {
        if let Some(path) = &self.calculations {
            let content = context.storage.get(&key(path)?, MAX_CALCULATIONS).await?;
            return serde_json::from_slice(&content).map_err(|_| {
                TaskError::Content(
                    "the calculations are not as calculations are written".to_owned(),
                )
            });
        }
        let plain = |name: &str, born| Person::plain(name.to_owned(), born);
        let (one, other) = (&self.facts.person1, &self.facts.person2);
        let systems = System::ALL.into_iter().collect();
        people::calculate(
            &plain(&one.name, one.born),
            &plain(&other.name, other.born),
            &systems,
        )
    }

    fn chapter(&self, facts: &Facts) -> Result<Chapter, TaskError> {
        let mut plan: Vec<Topic> = self.documents.iter().map(Document::topic).collect();
        // Without the plan of the book a chapter stands for itself. Its place tells it from others of its kind.
        if self.index >= plan.len() {
            plan = vec![self.document.topic()];
        }
        let index = self.index.min(plan.len() - 1);
        gristmill_chapters::write(facts, &plan, index, &self.place.job().to_string()).ok_or_else(
            || {
                TaskError::Input(
                    "nothing was calculated for the system of this document".to_owned(),
                )
            },
        )
    }
}

// What was calculated for one system. The verdict looks at all.
fn of_system(facts: &Facts, system: System) -> Value {
    let mut value = json!(facts);
    let name = json!(system);
    if system == System::Verdict {
        return value;
    }
    for person in ["person1", "person2"] {
        if let Some(fields) = value[person].as_object_mut() {
            fields.retain(|key, _| {
                key == "name" || key == "birth" || Some(key.as_str()) == name.as_str()
            });
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_told_the_facts_of_its_system_alone() {
        let person = |name: &str| Person::plain(name.to_owned(), "1990-05-05".parse().unwrap());
        let facts = people::calculate(
            &person("A"),
            &person("B"),
            &System::ALL.into_iter().collect(),
        )
        .unwrap();
        let told = of_system(&facts, System::HumanDesign);
        let keys: Vec<_> = told["person1"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        assert_eq!(keys, ["birth", "human_design", "name"]);
        assert_eq!(
            told["person2"]["human_design"]["personality"]
                .as_array()
                .unwrap()
                .len(),
            13
        );
        assert!(of_system(&facts, System::Verdict)["person1"]["western"].is_object());
    }

    #[test]
    fn a_draft_is_taken_only_if_it_is_a_document() {
        let draft = |sections: usize, text: &str| Draft {
            sections: (0..sections)
                .map(|_| Section {
                    title: "T".to_owned(),
                    text: text.to_owned(),
                    table: None,
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
