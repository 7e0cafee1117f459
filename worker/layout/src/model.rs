//! What is known of a document, as it travels between the stages and Postgres.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Left, top, right, bottom, as fractions of the page.
pub type Box4 = [f32; 4];

/// The smallest box around some.
pub fn around(boxes: impl IntoIterator<Item = Box4>) -> Box4 {
    boxes.into_iter().fold([1.0, 1.0, 0.0, 0.0], |all, one| {
        [
            all[0].min(one[0]),
            all[1].min(one[1]),
            all[2].max(one[2]),
            all[3].max(one[3]),
        ]
    })
}

/// A word of a page, with its box and how sure its reader was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Word {
    /// The letters.
    #[serde(rename = "t")]
    pub text: String,
    /// Where it stands.
    #[serde(rename = "b")]
    pub place: Box4,
    /// From 0 to 1; none where the file says its words itself.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
    /// The line, as the reader counted.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// A page and its words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Page {
    /// From 1.
    pub number: u32,
    /// Who read it: text_layer, tesseract, google_vision or plain.
    #[serde(default)]
    pub source: String,
    /// In any unit: only its ratio to the height counts.
    pub width: f32,
    /// In the unit of the width.
    pub height: f32,
    /// The mean confidence of its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
    /// All words, one line of the reader per line.
    #[serde(default)]
    pub text: String,
    /// In the reader's order.
    #[serde(default)]
    pub words: Vec<Word>,
    /// The EXIF orientation that the file states, 1 to 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<u8>,
    /// Degrees, clockwise, by which the page was turned to be read, beyond what its orientation says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turned: Option<f32>,
    /// What tesseract read it as: deu+eng.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// What its reader doubts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

impl Page {
    /// A page from its words; they say what its text is.
    pub fn new(number: u32, source: &str, width: f32, height: f32, words: Vec<Word>) -> Self {
        let mut text = String::new();
        let mut line = None;
        for word in &words {
            if !text.is_empty() {
                text.push(if line == Some(word.line) { ' ' } else { '\n' });
            }
            line = Some(word.line);
            text.push_str(&word.text);
        }
        let known: Vec<f32> = words.iter().filter_map(|word| word.confidence).collect();
        let confidence =
            (!known.is_empty()).then(|| known.iter().sum::<f32>() / known.len() as f32);
        Self {
            number,
            source: source.to_owned(),
            width,
            height,
            confidence,
            text,
            words,
            orientation: None,
            turned: None,
            language: None,
            doubts: Vec::new(),
        }
    }
}

/// What geometry alone says. kind: line, block, pair or row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// line, block, pair or row.
    pub kind: String,
    /// The number of its page.
    pub page: u32,
    /// Its words.
    pub text: String,
    /// The key and value of a pair, the cells of a row.
    #[serde(default)]
    pub content: Value,
    /// Where it stands.
    #[serde(rename = "box")]
    pub place: Box4,
}

/// Somebody or something that a document speaks of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    /// What it is.
    pub kind: EntityKind,
    /// Its usual name.
    pub text: String,
    /// What else is said of it.
    #[serde(default)]
    pub detail: Map<String, Value>,
    /// The number of its page.
    pub page: Option<u32>,
    /// Where it stands.
    #[serde(rename = "box")]
    pub place: Option<Box4>,
    /// From 0 to 1.
    pub confidence: Option<f32>,
}

/// Kinds of entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum EntityKind {
    Person,
    Provider,
    Date,
    Condition,
    Medication,
    Lab,
    Allergy,
    Procedure,
    Finding,
    VitalSign,
    Immunisation,
    Appointment,
}

/// Kinds of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum FactKind {
    Patient,
    Provider,
    Date,
    Condition,
    Medication,
    Lab,
    Allergy,
    Procedure,
    Finding,
    VitalSign,
    Immunisation,
    Appointment,
}

/// Whether a fact holds, and of whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It holds now, of the patient.
    #[default]
    Current,
    /// A medication that is not to be taken any more.
    Stopped,
    /// A medication whose dose was changed; this is the new dose.
    Changed,
    /// It was so.
    Historical,
    /// It is said not to be so.
    RuledOut,
    /// It is thought of, not asserted.
    Suspected,
    /// It is said of a relative.
    Family,
    /// It is meant to happen.
    Planned,
}

/// How sure the document itself is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// It is stated.
    #[default]
    Certain,
    /// "probable", "likely", "consistent with".
    Likely,
    /// "possible", "suspected", "may".
    Possible,
}

/// The words that decided a status or a certainty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// As they stand on the page.
    pub text: String,
    /// The number of their page.
    pub page: u32,
    /// Where they stand.
    #[serde(rename = "box")]
    pub place: Box4,
}

/// Something that a person should look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Doubt {
    /// A word: row_not_understood, flag_and_range_disagree, date_is_ambiguous, low_confidence, …
    pub reason: String,
    /// The words in question.
    #[serde(default)]
    pub text: String,
    /// The number of their page.
    #[serde(default)]
    pub page: Option<u32>,
    /// Where they stand.
    #[serde(rename = "box", default)]
    pub place: Option<Box4>,
    /// The number of the fact, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<u32>,
}

/// What is so, or is said not to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// From 1, in the order of the document.
    #[serde(default)]
    pub number: u32,
    /// What it is.
    pub kind: FactKind,
    /// The usual name.
    pub name: String,
    /// The words on the page that say it.
    #[serde(default)]
    pub written: String,
    /// By kind; see docs/understanding.md.
    #[serde(default)]
    pub value: Map<String, Value>,
    /// Whether it holds, and of whom.
    #[serde(default)]
    pub status: Status,
    /// How sure the document is.
    #[serde(default)]
    pub certainty: Certainty,
    /// What decided the two; none where the default did.
    #[serde(default)]
    pub decided_by: Option<Decision>,
    /// ICD-10-CM, LOINC, RxNorm, …
    #[serde(default)]
    pub code_system: Option<String>,
    /// Given where the words fit the code.
    #[serde(default)]
    pub code: Option<String>,
    /// The number of its page.
    #[serde(default)]
    pub page: Option<u32>,
    /// Where it stands.
    #[serde(rename = "box", default)]
    pub place: Option<Box4>,
    /// From 0 to 1: of the words and of the rule.
    #[serde(default)]
    pub confidence: Option<f32>,
    /// What a person should look at.
    #[serde(default)]
    pub doubts: Vec<Doubt>,
}

/// A sentence, and the facts that it stands on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// Numbers of facts.
    pub facts: Vec<u32>,
}

/// An entry of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// YYYY-MM-DD.
    pub date: String,
    /// What happened.
    pub text: String,
    /// Numbers of facts.
    pub facts: Vec<u32>,
}

/// What a document says, in sentences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Narrative {
    /// In the order in which they are read.
    pub sentences: Vec<Sentence>,
    /// By date.
    pub timeline: Vec<Moment>,
}
